from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pipecat_memory.clients import openai as client
from pipecat_memory.clients.base import ModelReply, ModelRequest, Usage
from pipecat_memory.clients.function import FunctionModel, language_model
from pipecat_memory.clients.openai import OpenAIModel
from pipecat_memory.clock import SystemClock
from pipecat_memory.errors import ModelAnswerBad, ModelUnavailable, UsedWrongly
from pipecat_memory.testing.model_server import ModelServer, Served
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.ask import ask

REQUEST = ModelRequest(
    purpose="extract", fixed="fixed part", text="planted phrase", schema={"type": "object"}, call="c"
)
NOTHING = '{"facts":[]}'


@pytest.fixture(autouse=True)
def _forget_dialects() -> Iterator[None]:
    client._DIALECTS.clear()
    yield
    client._DIALECTS.clear()


@asynccontextmanager
async def opened(server: ModelServer, **more: Any) -> AsyncGenerator[OpenAIModel]:
    model = OpenAIModel("stub", base_url=server.url, **more)
    try:
        yield model
    finally:
        await model.aclose()


async def test_an_answer_with_what_it_cost() -> None:
    with ModelServer(script=[Served(text=NOTHING, cached=3)]) as server:
        async with opened(server, api_key="k") as model:
            reply = await model.answer(REQUEST)
    assert (reply.text, reply.finish, reply.tokens_cached) == (NOTHING, "stop", 3)
    assert reply.tokens_in == (len("fixed part") + len("planted phrase")) // 4
    assert server.keys == ["Bearer k"]
    sent = server.requests[0]
    assert [message["content"] for message in sent["messages"]] == ["fixed part", "planted phrase"]
    assert sent["response_format"]["type"] == "json_schema"


async def test_no_usage_is_no_cost() -> None:
    with ModelServer(script=[Served(text=NOTHING, usage=False)]) as server:
        async with opened(server) as model:
            assert (await model.answer(REQUEST)).tokens_in == 0


async def test_an_endpoint_without_schemas_is_asked_more_simply_and_remembered() -> None:
    def simple(body: dict[str, Any]) -> Served:
        refused = body.get("response_format", {}).get("type") == "json_schema"
        return Served(status=400, text="json_schema is not supported") if refused else Served(text=NOTHING)

    with ModelServer(otherwise=simple) as server:
        async with opened(server) as model:
            assert (await model.answer(REQUEST)).text == NOTHING
            assert (await model.answer(REQUEST)).text == NOTHING
        async with opened(server) as other:
            await other.answer(REQUEST)
    kinds = [body.get("response_format", {}).get("type") for body in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object", "json_object"]


async def test_an_endpoint_that_knows_plain_text_only() -> None:
    def plain(body: dict[str, Any]) -> Served:
        return Served(status=422, text="unknown field") if "response_format" in body else Served(text=NOTHING)

    with ModelServer(otherwise=plain) as server:
        async with opened(server) as model:
            assert (await model.answer(REQUEST)).text == NOTHING
    assert [("response_format" in body) for body in server.requests] == [True, True, False]


async def test_newer_names_of_parameters() -> None:
    def newer(body: dict[str, Any]) -> Served:
        if "max_tokens" in body:
            return Served(status=400, text="Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in body:
            return Served(status=400, text="temperature does not support 0")
        return Served(text=NOTHING)

    with ModelServer(otherwise=newer) as server:
        async with opened(server) as model:
            assert (await model.answer(REQUEST)).text == NOTHING
    last = server.requests[-1]
    assert last["max_completion_tokens"] == REQUEST.max_tokens
    assert last["response_format"]["type"] == "json_schema"


async def test_a_refusal_of_everything_is_no_answer_and_nothing_is_learned_from_it() -> None:
    with ModelServer(otherwise=Served(status=400, text="context too long")) as server:
        async with opened(server) as model:
            with pytest.raises(ModelUnavailable):
                await model.answer(REQUEST)
    assert client._DIALECTS == {}


@pytest.mark.parametrize(
    "served",
    [
        Served(status=401, text="bad key"),
        Served(status=429, text="slow down"),
        Served(status=500, text="oops"),
        Served(fault="drop"),
        Served(fault="html"),
    ],
    ids=["401", "429", "500", "dropped", "a page"],
)
async def test_no_answer_is_said_to_be_none_at_the_first_request(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with ModelServer(otherwise=served) as server:
        async with opened(server, api_key="sk-planted") as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.answer(REQUEST)
    assert len(server.requests) == 1
    assert "planted" not in f"{caught.value!r} {caught.value.__cause__!r} {caplog.text}"


@pytest.mark.parametrize(("reason", "finish"), [("length", "length"), ("content_filter", "error")])
async def test_how_an_answer_ended_is_passed_on(reason: str, finish: str) -> None:
    with ModelServer(script=[Served(text='{"facts":[{"te', finish=reason)]) as server:
        async with opened(server) as model:
            reply = await model.answer(REQUEST)
    assert reply.finish == finish
    with pytest.raises(ModelAnswerBad):
        read_extract(reply)


async def test_null_content_is_an_empty_answer() -> None:
    with ModelServer(script=[Served(text=None)]) as server:
        async with opened(server) as model:
            assert (await model.answer(REQUEST)).text == ""


@pytest.mark.parametrize(
    "fault", [Served(fault="hang"), Served(fault="slow", seconds=30)], ids=["hang", "slow"]
)
async def test_one_deadline_measured_from_outside(fault: Served) -> None:
    with ModelServer(otherwise=fault) as server:
        async with opened(server, timeout=0.4) as model:
            reply = await model.answer(REQUEST)
    assert reply.finish == "timeout"
    assert len(server.requests) == 1, "retries inside the client would multiply the deadline"


async def test_our_own_deadline_does_not_wait_for_a_client_that_ignores_it() -> None:
    async def deaf(_request: ModelRequest) -> str:
        while not heard.is_set():
            try:
                await heard.wait()
            except asyncio.CancelledError:
                continue
        return NOTHING

    heard = asyncio.Event()
    usage = Usage()
    with pytest.raises(ModelUnavailable):
        await ask(FunctionModel(deaf), REQUEST, read_extract, clock=_Instant(), seconds=0.01, usage=usage)
    assert usage.by_purpose["extract"]["requests"] == 2
    heard.set()
    await asyncio.sleep(0)


async def test_requests_at_once_are_limited_over_all_calls() -> None:
    with ModelServer(otherwise=Served(text=NOTHING, fault="slow", seconds=0.05)) as server:
        async with opened(server, max_requests=2) as model:
            jobs = [
                ask(
                    model,
                    ModelRequest(purpose="extract", fixed="f", text="t", call=f"c{i}"),
                    read_extract,
                    clock=SystemClock(),
                    seconds=5,
                    usage=Usage(),
                )
                for i in range(8)
            ]
            await asyncio.gather(*jobs)
    assert server.most_open == 2
    assert len(server.requests) == 8


def test_a_key_or_an_endpoint_is_needed() -> None:
    with pytest.raises(UsedWrongly, match="api_key"):
        OpenAIModel("gpt")
    assert "sk-secret" not in repr(OpenAIModel("gpt", api_key="sk-secret"))


async def test_any_callable_is_a_model() -> None:
    async def later(request: ModelRequest) -> str:
        return request.purpose

    def now(_request: ModelRequest) -> ModelReply:
        return ModelReply(text="now", tokens_in=7)

    assert (await FunctionModel(later).answer(REQUEST)).text == "extract"
    model = language_model(now)
    assert model is not None
    assert model.name == "now"
    assert (await model.answer(REQUEST)).tokens_in == 7
    assert (await FunctionModel(lambda _: "text", "mine").answer(REQUEST)).tokens_out == 1


def test_what_an_app_may_hand_in() -> None:
    assert language_model(None) is None
    assert isinstance(language_model("m", base_url="http://127.0.0.1:1/v1"), OpenAIModel)
    given = FunctionModel(lambda _: "")
    assert language_model(given) is given


async def test_what_a_model_raises_is_no_answer_and_says_no_more() -> None:
    def broken(_request: ModelRequest) -> str:
        raise RuntimeError("planted phrase")

    with pytest.raises(ModelUnavailable) as caught:
        await ask(FunctionModel(broken), REQUEST, read_extract, clock=_Instant(), seconds=1, usage=Usage())
    assert str(caught.value) == "RuntimeError"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("told", [-5, 10**30, True, 1.5, "x", None])
async def test_what_an_apps_model_miscounts_spends_no_budget(told: Any) -> None:
    model = FunctionModel(lambda _: ModelReply(text='{"facts":[]}', tokens_in=told, tokens_out=3))
    usage = Usage()
    await ask(model, REQUEST, read_extract, clock=_Instant(), seconds=1, usage=usage)
    assert usage.by_purpose == {"extract": {"requests": 1, "tokens_in": 0, "tokens_out": 3}}


class _Instant(SystemClock):
    """Pauses cost no time; deadlines never come."""

    async def sleep(self, seconds: float) -> None:
        if seconds == 1:
            await asyncio.Event().wait()
