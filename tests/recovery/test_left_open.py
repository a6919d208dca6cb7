"""What a call left open is told to whoever rings back, however it ended and however short that one is."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from pipecat_memory import CallMemory, Memory, Settings
from pipecat_memory.testing import ManualClock, ScriptedAnswer, ScriptedModel

from ..kit import ended, opened, rest, say, verified
from .test_jobs import processes

TABLE = "date 2026-03-06, party size 4"


def titles(call: CallMemory) -> list[str]:
    return [item.title for item in call.left_open()]


async def broke_off(memory: Memory, clock: ManualClock, call_id: str = "c1") -> None:
    """A caller asks for a table, and the process dies."""
    call = memory.call(verified(), call_id=call_id)
    await call.preload()
    await say(call, clock, "I'd like to book a table for four on Friday")
    await rest(memory, clock)
    await memory.keeper.stop()


async def rung_back(memory: Memory, clock: ManualClock, call_id: str, after: float) -> CallMemory:
    await clock.advance(after)
    call = memory.call(verified(), call_id=call_id)
    assert await call.preload()
    return call


async def test_it_is_told_before_anybody_has_settled_the_call() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await broke_off(dead, clock)
        call = await rung_back(memory, clock, "c2", 3600.0)
        assert titles(call) == [TABLE]
        assert TABLE in call.briefing().text
        await ended(call, clock)


@pytest.mark.parametrize(
    "after", [10.0, 200.0, 3600.0], ids=["under its lease", "minutes later", "an hour later"]
)
async def test_a_short_call_after_it_takes_nothing_away_and_doubles_nothing(after: float) -> None:
    async with processes(3) as (clock, _, (dead, second, third)):
        await broke_off(dead, clock)
        await ended(await rung_back(second, clock, "c2", after), clock)
        await second.keeper.stop()
        call = await rung_back(third, clock, "c3", 7200.0)
        assert titles(call) == [TABLE]
        await ended(call, clock)
        assert titles(await rung_back(third, clock, "c4", 7200.0)) == [TABLE]


async def test_what_a_closing_memory_left_undone_is_done_with_the_next_call(tmp_path: Path) -> None:
    url, settings = f"sqlite:///{tmp_path}/calls.db", Settings(strict=True, model_timeout=60.0)
    found = {"key": "home_city", "value": "Rome", "text": "", "quote": "I live in Rome"}
    async with opened(url, settings=settings) as (memory, clock):
        for delay in (40.0, 0.0):
            memory.model = model = ScriptedModel(clock)
            model.add(ScriptedAnswer("c1", "extract", json.dumps({"facts": [found]}), 1, delay=delay))
            if delay:
                call = memory.call(verified(), call_id="c1")
                await call.preload()
                await say(call, clock, "I live in Rome")
                closing = asyncio.gather(call.close("hangup"), memory.close())
                await clock.settle()
                await clock.advance(5.0)
                await closing
                memory = await Memory.open(url, clock=clock, embedder=None, settings=settings)
        clock.pending = lambda: memory.archive.gauge.out
        again = await rung_back(memory, clock, "c2", 1.0)
        await rest(memory, clock)
        facts = await memory.profile(verified())
        assert [(fact["key"], fact["value"]) for fact in facts] == [("home_city", "Rome")]
        await ended(again, clock)
        await memory.close()


async def test_a_call_that_is_going_on_elsewhere_has_left_nothing_open() -> None:
    async with processes(2) as (clock, _, (first, second)):
        live = first.call(verified(), call_id="c1")
        await live.preload()
        await say(live, clock, "I'd like to book a table for four on Friday")
        await rest(first, clock)
        call = await rung_back(second, clock, "c2", 30.0)
        assert titles(call) == []
        await ended(call, clock)
        await ended(live, clock)
