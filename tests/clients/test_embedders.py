"""Embedders an app may hand over, and a remote one against a real endpoint on the loopback interface."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from pipecat_memory import Caller, Memory
from pipecat_memory.clients.embedders import BATCH, CallableEmbedder, RemoteEmbedder, resolve_embedder
from pipecat_memory.errors import ModelAnswerBad, ModelUnavailable, UsedWrongly
from pipecat_memory.testing.model_server import ModelServer, Served, hashed

from ..kit import START, ended, opened, say, verified


@asynccontextmanager
async def remote(server: ModelServer, **more: Any) -> AsyncGenerator[RemoteEmbedder]:
    embedder = RemoteEmbedder("stub", base_url=server.url, api_key="k", **more)
    try:
        yield embedder
    finally:
        await embedder.close()


def rows(count: int, width: int = 4) -> list[list[float]]:
    return [[float(n + 1)] * width for n in range(count)]


async def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length() -> None:
    texts = ["a red door", "two blue doors", "a red door"]
    with ModelServer() as server:
        async with remote(server) as embedder:
            found = await embedder.embed(texts)
    assert (found.dtype, found.shape) == (np.float32, (3, 64))
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1])
    expected = np.asarray([hashed(text) for text in texts], np.float32)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert server.embedded[0] == {"input": texts, "model": "stub", "encoding_format": "float"}
    assert server.keys == ["Bearer k"]


async def test_many_texts_go_in_batches_and_an_empty_one_is_no_fault() -> None:
    texts = [f"text {n}" for n in range(2 * BATCH + 1)] + [""]
    with ModelServer() as server:
        async with remote(server) as embedder:
            found = await embedder.embed(texts)
    assert [len(body["input"]) for body in server.embedded] == [BATCH, BATCH, 2]
    assert server.embedded[-1]["input"][-1] == " "
    assert len(found) == len(texts)
    last = np.asarray(hashed(texts[BATCH]))
    assert np.allclose(found[BATCH], last / np.linalg.norm(last))


async def test_no_texts_are_no_request() -> None:
    with ModelServer() as server:
        async with remote(server) as embedder:
            assert (await embedder.embed([])).shape == (0, 0)
    assert server.embedded == []


@pytest.mark.parametrize(
    ("served", "requests"),
    [
        (Served(rows=rows(1)), 1),
        (Served(rows=rows(3)), 1),
        (Served(rows=[[1.0, 2.0], [1.0]]), 1),
        (Served(rows=[[1.0], [float("nan")]]), 1),
        (Served(rows=[]), 1),
        (Served(status=401, text="planted phrase"), 1),
        (Served(status=429, text="planted phrase"), 2),
        (Served(status=500, text="planted phrase"), 2),
        (Served(fault="drop"), 2),
        (Served(fault="html"), 1),
    ],
    ids=["too few", "too many", "ragged", "no number", "none", "401", "429", "500", "dropped", "a page"],
)
async def test_what_is_no_row_a_text_is_no_answer(served: Served, requests: int) -> None:
    with ModelServer(otherwise=served) as server:
        async with remote(server) as embedder:
            with pytest.raises(ModelUnavailable) as caught:
                await embedder.embed(["a planted phrase", "another"])
    assert "planted" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert len(server.embedded) == requests, "one more try, where one may help"


@pytest.mark.parametrize("fault", ["endless", "packed"])
async def test_an_answer_is_bounded_by_its_size(fault: Any) -> None:
    with ModelServer(otherwise=Served(fault=fault)) as server:
        async with remote(server, timeout=60.0) as embedder:
            with pytest.raises(ModelAnswerBad, match="more than 3200000 bytes"):
                await embedder.embed(["a text"])
    assert len(server.embedded) == 1


async def test_after_a_refusal_for_haste_the_second_try_counts() -> None:
    with ModelServer(script=[Served(status=429, text="slow down")]) as server:
        async with remote(server) as embedder:
            assert len(await embedder.embed(["a text"])) == 1


async def test_a_batch_that_fails_leaves_no_half_answer() -> None:
    texts = [f"text {n}" for n in range(BATCH + 1)]
    with ModelServer(script=[Served(), Served(status=401, text="")]) as server:
        async with remote(server) as embedder:
            with pytest.raises(ModelUnavailable):
                await embedder.embed(texts)


@pytest.mark.parametrize(
    "fault", [Served(fault="hang"), Served(fault="slow", seconds=30)], ids=["hang", "slow"]
)
async def test_one_deadline_around_everything(fault: Served) -> None:
    with ModelServer(otherwise=fault) as server:
        async with remote(server, timeout=0.3) as embedder:
            with pytest.raises(ModelUnavailable):
                await embedder.embed(["a text"])
    assert len(server.embedded) == 1, "a second try has what is left of the deadline, not one of its own"


async def test_another_width_than_that_of_the_stored_vectors_is_embedded_anew() -> None:
    """A model behind the same name may change its width: recall must not break, nor mix the two."""
    with ModelServer(width=16) as server:
        async with remote(server) as narrow, opened(embedder=narrow) as (memory, clock):
            first = memory.call(verified(), call_id="c1")
            await first.preload()
            await say(first, clock, "the spare key hangs behind the blue shed")
            await ended(first, clock)
            server.width = 64
            second = memory.call(verified(), call_id="c2")
            assert await second.preload()
            await clock.settle()
            await say(second, clock, "where does the spare key hang")
            assert "behind the blue shed" in second.briefing().text
            await ended(second, clock)


async def test_an_app_hands_over_functions() -> None:
    seen: list[int] = []

    def plain(texts: list[str]) -> list[list[float]]:
        seen.append(threading.get_ident())
        return rows(len(texts))

    async def later(texts: list[str]) -> Sequence[Sequence[float]]:
        return rows(len(texts))

    class Object:
        async def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
            return rows(len(texts))

    for call in (plain, later, Object(), lambda texts: later(texts)):
        found = await CallableEmbedder(call).embed(["a", "b"])
        assert found == pytest.approx(np.full((2, 4), 0.5))
        assert (await CallableEmbedder(call).embed([])).shape == (0, 0)
    assert threading.get_ident() not in seen, "it would hold up the loop"


@pytest.mark.parametrize("given", [[[1.0]], [["x"], ["y"]], [[1.0], [float("inf")]], 7, [[1.0], [1.0, 2.0]]])
async def test_what_a_function_gives_is_looked_at(given: Any) -> None:
    with pytest.raises(ModelUnavailable):
        await CallableEmbedder(lambda _: given).embed(["a", "b"])


async def test_what_a_function_raises_is_no_answer_and_says_no_more() -> None:
    def broken(_texts: list[str]) -> list[list[float]]:
        raise RuntimeError("planted phrase")

    def down(_texts: list[str]) -> list[list[float]]:
        raise ModelUnavailable("down")

    with pytest.raises(ModelUnavailable) as caught:
        await CallableEmbedder(broken).embed(["a"])
    assert str(caught.value) == "the app's embedder raised RuntimeError"
    with pytest.raises(ModelUnavailable, match="down"):
        await CallableEmbedder(down).embed(["a"])


async def test_a_zero_row_stays_finite() -> None:
    assert np.isfinite(await CallableEmbedder(lambda _: [[0.0, 0.0]]).embed(["a"])).all()


def test_what_an_app_may_ask_for() -> None:
    assert resolve_embedder(None) is None
    embedder = CallableEmbedder(lambda texts: rows(len(texts)))
    assert resolve_embedder(embedder) is embedder
    assert isinstance(resolve_embedder(lambda texts: rows(len(texts))), CallableEmbedder)
    for wrong in ("bert", 7):
        with pytest.raises(UsedWrongly, match="auto"):
            resolve_embedder(wrong)  # pyright: ignore[reportArgumentType] - that is what is tried


async def test_a_hanging_endpoint_holds_up_no_reply() -> None:
    with ModelServer(otherwise=Served(fault="hang")) as server:
        async with remote(server) as embedder:
            memory = await Memory.open("memory://", tenant="hang", embedder=embedder, extraction="off")
            call = memory.call(Caller.phone("+15551230001", how="verified"), call_id=f"hang {START}")
            await call.preload()
            ready = await asyncio.wait_for(call.recall_ready("where does the spare key hang"), 5)
            assert not ready
            assert call.counters["vector_late"] == 1
            await memory.close(deadline=0.0)
