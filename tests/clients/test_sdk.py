"""The SDK behind a model: loaded off the loop and on no deadline, made once, closed by whoever made it."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from pipecat_memory import Memory, prewarm
from pipecat_memory.clients import openai as client
from pipecat_memory.clients.base import ModelReply, ModelRequest, Usage
from pipecat_memory.clients.openai import OpenAIModel
from pipecat_memory.clients.sdk import rehearse
from pipecat_memory.clock import SystemClock
from pipecat_memory.testing import ManualClock
from pipecat_memory.testing.model_server import ModelServer, Served
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.ask import ask

REQUEST = ModelRequest(
    purpose="extract", fixed="fixed part", text="planted phrase", schema={"type": "object"}, call="c"
)
NOTHING = '{"facts":[]}'


@asynccontextmanager
async def opened(server: ModelServer, **more: Any) -> AsyncGenerator[OpenAIModel]:
    model = OpenAIModel("stub", base_url=server.url, **more)
    try:
        yield model
    finally:
        await model.aclose()


async def test_to_import_the_sdk_is_no_delay_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    model = OpenAIModel("stub", base_url="http://127.0.0.1:1/v1", timeout=0.5)

    async def connect() -> None:
        await asyncio.sleep(0.6)

    async def ask_at_once(_client: object, _request: ModelRequest) -> ModelReply:
        return ModelReply(text=NOTHING)

    monkeypatch.setattr(model, "_connect", connect)
    monkeypatch.setattr(model, "_ask", ask_at_once)
    assert (await model.answer(REQUEST)).text == NOTHING


async def test_nor_is_it_one_of_the_asker(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, connected = asyncio.Event(), asyncio.Event()
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    model = OpenAIModel("stub", base_url="http://127.0.0.1:1/v1")

    async def connect() -> None:
        asked.set()
        await connected.wait()

    async def ask_at_once(_client: object, _request: ModelRequest) -> ModelReply:
        return ModelReply(text=NOTHING)

    monkeypatch.setattr(model, "_connect", connect)
    monkeypatch.setattr(model, "_ask", ask_at_once)
    answer = asyncio.ensure_future(ask(model, REQUEST, read_extract, clock=clock, seconds=1.0, usage=Usage()))
    await asked.wait()
    await clock.advance(30.0)
    connected.set()
    assert (await answer).facts == ()


def test_one_model_object_serves_one_loop_after_another() -> None:
    async def once() -> str:
        return (await model.answer(REQUEST)).text

    with ModelServer(otherwise=Served(text=NOTHING)) as server:
        model = OpenAIModel("stub", base_url=server.url)

        async def twice() -> str:
            text = await once()
            await model.aclose()
            return text

        assert asyncio.run(twice()) == asyncio.run(twice()) == NOTHING


async def test_a_memory_closes_the_client_it_made_and_no_other() -> None:
    with ModelServer(otherwise=Served(text=NOTHING)) as server:
        async with opened(server) as given:
            for model, closed in (("stub", True), (given, False)):
                memory = await Memory.open(
                    "memory://", tenant=f"closes {closed}", model=model, base_url=server.url, embedder=None
                )
                made = memory.model
                assert isinstance(made, OpenAIModel)
                await made.answer(REQUEST)
                await memory.close()
                assert (made._client is None) is closed


async def test_the_client_is_made_off_the_loop_and_before_the_first_turn() -> None:
    made_in: list[int] = []
    genuine = client.sdk.connected

    def connected(*args: Any) -> Any:
        made_in.append(threading.get_ident())
        return genuine(*args)

    with pytest.MonkeyPatch.context() as patch, ModelServer(otherwise=Served(text=NOTHING)) as server:
        patch.setattr(client.sdk, "connected", connected)
        memory = await Memory.open(
            "memory://", tenant="warm", model="stub", base_url=server.url, embedder=None
        )
        assert made_in == [], "looking into a store asks no model"
        model = memory.model
        assert isinstance(model, OpenAIModel)
        calls = [memory.call(None, call_id=f"c{number}") for number in range(2)]
        assert await memory.tasks.drain(SystemClock(), 30.0) == 0
        assert model._client is not None
        assert server.requests == []
        await model.answer(REQUEST)
        assert len(made_in) == 1
        assert threading.get_ident() not in made_in
        for call in calls:
            await call.close("hangup")
        await memory.close()


def test_the_sdk_is_rehearsed_with_nobody_at_the_other_end() -> None:
    rehearse.cache_clear()
    rehearse()


@pytest.mark.parametrize(("key", "rehearsed"), [("", 0), ("k", 1)])
def test_prewarm_loads_the_sdk_where_the_environment_names_a_model(
    key: str, rehearsed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setattr(sys.modules["pipecat_memory.prewarm"], "rehearse", lambda: done.append(1))
    prewarm()
    assert len(done) == rehearsed
