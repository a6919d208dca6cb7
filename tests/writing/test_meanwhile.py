"""What happens while a model is still thinking: the caller is forgotten, is somebody else, takes it back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.testing import ManualClock, ScriptedAnswer, ScriptedModel

from ..kit import NUMBER, ended, opened, rest, say, verified

OTHER = "+15551230002"
SLOW = 20.0


def answer(key: str, value: str, quote: str) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "text": "", "quote": quote}]})


@asynccontextmanager
async def asked(caller: Caller, *, cat: int = 2) -> AsyncGenerator[tuple[Memory, ManualClock, CallMemory]]:
    """A call whose first turn is with the model, for another 19 seconds. A cat is spoken of in turn `cat`."""
    async with opened(settings=Settings(strict=True, model_timeout=60.0)) as (memory, clock):
        memory.model = model = ScriptedModel(clock)
        for turn, text in (
            (1, answer("home_city", "Rome", "I live in Rome")),
            (cat, answer("pet", "cat", "I have a cat")),
        ):
            for _ in range(2):
                model.add(ScriptedAnswer("c1", "extract", text, turn, delay=SLOW))
        call = memory.call(caller, call_id="c1")
        await call.preload()
        await say(call, clock, "I live in Rome")
        await clock.advance(1)
        yield memory, clock, call


async def at_once(clock: ManualClock, work: Any) -> Any:
    """What needs no time but the store's."""
    task = asyncio.create_task(work)
    await clock.settle()
    assert task.done()
    return task.result()


async def facts(memory: Memory, caller: Caller) -> list[tuple[str, Any]]:
    return [(fact["key"], fact["value"]) for fact in await memory.profile(caller)]


@pytest.mark.parametrize("closes", [False, True], ids=["in the call", "behind it"])
async def test_a_caller_who_is_forgotten_stays_forgotten(closes: bool) -> None:
    async with asked(verified()) as (memory, clock, call):
        if closes:
            closing = asyncio.create_task(call.close("hangup"))
            await clock.advance(5)
            await closing
        receipt = await at_once(clock, memory.forget(verified()))
        assert receipt["erased"]
        if not closes:
            await say(call, clock, "I have a cat")
            await ended(call, clock)
        await rest(memory, clock)
        assert await facts(memory, verified()) == []
        assert (await memory.export(verified()))["calls"] == []


async def test_who_takes_the_line_over_does_not_wait_for_a_model() -> None:
    async with asked(verified(), cat=1) as (memory, clock, call):
        await at_once(clock, call.identify(verified(OTHER)))
        await say(call, clock, "I have a cat")
        await clock.settle()
        [mine] = (await memory.export(verified(OTHER)))["calls"]
        assert [item["text"] for item in mine["history"]] == ["I have a cat"], "durable while a model thinks"
        await ended(call, clock)
        await rest(memory, clock)
        assert await facts(memory, verified()) == [("home_city", "Rome")]
        assert await facts(memory, verified(OTHER)) == [("pet", "cat")]


async def test_a_number_that_turns_out_to_be_somebody_else_takes_the_finding_along() -> None:
    async with asked(Caller.phone(NUMBER)) as (memory, clock, call):
        await at_once(clock, call.identify(verified(OTHER)))
        await say(call, clock, "I have a cat")
        await ended(call, clock)
        await rest(memory, clock)
        assert await facts(memory, verified()) == []
        assert await facts(memory, verified(OTHER)) == [("home_city", "Rome"), ("pet", "cat")]


async def test_nobody_who_is_known_in_time_has_what_was_said_before() -> None:
    async with asked(Caller.nobody()) as (memory, clock, call):
        await at_once(clock, call.identify(verified(OTHER)))
        await ended(call, clock)
        await rest(memory, clock)
        assert await facts(memory, verified(OTHER)) == [("home_city", "Rome")]


async def test_what_is_taken_back_is_not_found_after_all() -> None:
    async with asked(verified()) as (memory, clock, call):
        assert call.forget_last() == 1
        await ended(call, clock)
        await rest(memory, clock)
        assert await facts(memory, verified()) == []
        assert (await memory.export(verified()))["calls"][0]["history"] == []
