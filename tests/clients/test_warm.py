"""A model of another SDK loads what it needs on no deadline, once the first call begins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from pipecat_memory import Memory
from pipecat_memory import events as ev
from pipecat_memory.clients import ModelReply, ModelRequest, Usage
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.testing import ManualClock
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.ask import LOADING, ask

NOTHING = '{"facts":[]}'
REQUEST = ModelRequest(purpose="extract", fixed="fixed", text="changing", call="c")


class Other:
    """Another SDK's model."""

    name = "other"

    def __init__(self) -> None:
        self.answered: list[str] = []

    async def answer(self, request: ModelRequest) -> ModelReply:
        self.answered.append(request.purpose)
        return ModelReply(text=NOTHING)


class Slow(Other):
    """It loads for as long as the test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.ready = asyncio.Event(), asyncio.Event()

    async def warm(self) -> None:
        self.begun.set()
        await self.ready.wait()


async def test_what_another_sdk_loads_is_no_delay_of_its_answer() -> None:
    model, clock, usage = Slow(), ManualClock(datetime(2026, 3, 2, tzinfo=UTC)), Usage()
    answer = asyncio.ensure_future(ask(model, REQUEST, read_extract, clock=clock, seconds=1.0, usage=usage))
    await model.begun.wait()
    await clock.advance(LOADING / 2)
    assert model.answered == []
    model.ready.set()
    assert (await answer).facts == ()
    assert usage.by_purpose["extract"]["requests"] == 1


async def test_a_model_that_never_loads_is_given_up() -> None:
    model, clock, usage = Slow(), ManualClock(datetime(2026, 3, 2, tzinfo=UTC)), Usage()
    answer = asyncio.ensure_future(ask(model, REQUEST, read_extract, clock=clock, seconds=1.0, usage=usage))
    await model.begun.wait()
    while not answer.done():
        await clock.advance(LOADING)
    with pytest.raises(ModelUnavailable):
        await answer
    assert (model.answered, usage.by_purpose) == ([], {}), "no request was made, so none is counted"


def _absent() -> None:
    raise ImportError("no such SDK")


async def _later_absent() -> None:
    _absent()


@pytest.mark.parametrize("warm", [_absent, _later_absent])
async def test_a_model_that_cannot_load_parks_the_turn_and_the_call_goes_on(
    warm: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipecat_memory.writing.ask.PAUSE", 0.0)
    model = Other()
    model.warm = warm  # pyright: ignore[reportAttributeAccessIssue] - what an app may hand over
    memory = await Memory.open("memory://", tenant=warm.__name__, model=model, embedder=None)
    call = memory.call("+15551230001", call_id="c")
    call.apply(ev.UserFinal(t=0.0, text="I live in Lisbon.", started=0.0))
    call.apply(ev.TurnEnded(t=0.0))
    await call.writer.idle()
    assert (call.writer.counters["turns_parked"], model.answered) == (1, [])
    assert await call.close("hangup") is not None
    await memory.close()


async def test_a_plain_function_loads_in_a_thread_once_the_first_call_begins() -> None:
    loaded_in: list[int] = []
    model = Other()
    model.warm = lambda: loaded_in.append(threading.get_ident())  # pyright: ignore[reportAttributeAccessIssue]
    memory = await Memory.open("memory://", tenant="thread", model=model, embedder=None)
    assert loaded_in == [], "looking into a store asks no model"
    calls = [memory.call(None, call_id=f"c{number}") for number in range(2)]
    assert await memory.tasks.drain(memory.clock, 30.0) == 0
    assert len(loaded_in) == 1
    assert threading.get_ident() not in loaded_in
    for call in calls:
        await call.close("hangup")
    await memory.close()


async def test_without_a_warm_up_nothing_is_asked_for() -> None:
    model, usage = Other(), Usage()
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    await ask(model, REQUEST, read_extract, clock=clock, seconds=1.0, usage=usage)
    assert model.answered == ["extract"]
