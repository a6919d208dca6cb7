"""A call drops with its process and the caller rings back: minutes later it goes on, hours later not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, ended, rest, say, verified
from .test_jobs import processes

SCHEMA = {
    "version": 1,
    "slots": [
        {"name": "party_size", "type": "quantity"},
        {"name": "date", "type": "date", "required": True},
        {"name": "diagnosis", "type": "text", "sensitive": True},
        {"name": "pin", "type": "digits", "secret": True},
    ],
}


async def dropped(memory: Memory, clock: ManualClock, caller: Caller, *, end: str | None = None) -> None:
    """A call that noted something, has one tool done and one running, and then its process dies."""
    call = memory.call(caller, call_id="c1", schema=SCHEMA)
    await say(call, clock, "a table for five please")
    call.correct("/slots/diagnosis", "asthma", by="operator")
    call.correct("/slots/pin", "4711", by="operator")
    call.apply(ev.ToolCalled(t=call.elapsed, id="x1", name="find_table", args={}))
    call.apply(ev.ToolReturned(t=call.elapsed, id="x1", status="ok", result={"table": 9}))
    call.apply(ev.ToolCalled(t=call.elapsed, id="x2", name="hold_table", args={}))
    if end is not None:
        await ended(call, clock, end)
    await rest(memory, clock)
    await memory.keeper.stop()


async def back(memory: Memory, clock: ManualClock, caller: Caller, seconds: float) -> CallMemory:
    await clock.advance(seconds)
    call = memory.call(caller, call_id="c2", schema=SCHEMA)
    assert await call.preload()
    return call


def told(call: CallMemory, words: Sequence[str]) -> list[bool]:
    text = call.briefing().text
    return [word in text for word in words]


WORDS = ("party_size = 5", "find_table had ended: ok", "hold_table was still running", "asthma", "4711")


@pytest.mark.parametrize(
    ("caller", "asthma"), [(Caller.phone(NUMBER), False), (verified(), True)], ids=["number", "verified"]
)
async def test_minutes_later_it_goes_on_with_notes_and_tools(caller: Caller, asthma: bool) -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, caller)
        call = await back(memory, clock, caller, 120.0)
        assert call.state["slots"]["party_size"]["value"] == 5
        assert told(call, WORDS) == [True, True, True, asthma, False]
        await say(call, clock, "make that six")
        assert call.state["slots"]["party_size"]["value"] == 6
        assert call.next_step().slot == "date"
        await ended(call, clock)


async def test_what_was_untold_is_told_once_the_caller_is_verified() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, Caller.phone(NUMBER))
        call = await back(memory, clock, Caller.phone(NUMBER), 120.0)
        assert told(call, ["asthma"]) == [False]
        await call.identify(verified())
        assert told(call, ["asthma", "4711"]) == [True, False]
        await ended(call, clock)


async def test_hours_later_it_is_over() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, Caller.phone(NUMBER))
        call = await back(memory, clock, Caller.phone(NUMBER), 7200.0)
        assert call.state["slots"] == {}
        assert not any(told(call, WORDS))
        await ended(call, clock)


async def test_a_call_that_was_ended_in_peace_is_over_at_once() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, Caller.phone(NUMBER), end="bot_ended")
        call = await back(memory, clock, Caller.phone(NUMBER), 5.0)
        assert call.state["slots"] == {}
        assert not any(told(call, WORDS))
        await ended(call, clock)


async def test_another_machines_clock_may_be_ahead() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, Caller.phone(NUMBER))
        clock.start_at(clock.now() - timedelta(seconds=4))
        call = await back(memory, clock, Caller.phone(NUMBER), 0.0)
        assert call.state["slots"]["party_size"]["value"] == 5
        await ended(call, clock)
