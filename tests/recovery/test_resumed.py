"""A call drops with its process and the caller rings back: minutes later it goes on, hours later not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.errors import NotConfirmed
from pipecat_memory.records.caller import How
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, ended, opened, reply, rest, say, verified
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

BOOKING = {
    "version": 1,
    "slots": [
        {"name": "name", "type": "name"},
        {"name": "email", "type": "email"},
        {"name": "party_size", "type": "quantity"},
    ],
}


class Forever:
    """A model that is asked and does not answer in this test's time."""

    name = "forever"

    async def answer(self, request: ModelRequest) -> ModelReply:
        await asyncio.get_running_loop().create_future()
        raise AssertionError


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
        await dropped(dead, clock, Caller.phone(NUMBER), end="error")
        clock.start_at(clock.now() - timedelta(seconds=4))
        call = await back(memory, clock, Caller.phone(NUMBER), 0.0)
        assert call.state["slots"]["party_size"]["value"] == 5
        await ended(call, clock)


@pytest.mark.parametrize(
    ("how", "later", "goes_on"),
    [("number", 5.0, False), ("number", 45.0, True), ("verified", 5.0, True)],
)
async def test_a_call_that_another_process_may_still_hold_is_left_to_it(
    how: How, later: float, goes_on: bool
) -> None:
    """Until its lease has run out it may be going on there; who may see all of it goes on at once."""
    caller = Caller.phone(NUMBER, how=how)
    async with processes(2) as (clock, _, (dead, memory)):
        await dropped(dead, clock, caller)
        call = await back(memory, clock, caller, later)
        assert ("party_size" in call.state["slots"]) is goes_on
        await ended(call, clock)


@pytest.mark.parametrize("how", ["number", "verified"])
async def test_a_call_that_goes_on_is_no_dropped_one(how: How) -> None:
    async with opened() as (memory, clock):
        live = memory.call(verified(), call_id="c1", schema=BOOKING)
        await live.preload()
        await say(live, clock, "my name is Bea Lind, my email is bea@example.org, a table for five please")
        other = memory.call(Caller.phone(NUMBER, how=how), call_id="c2", schema=BOOKING)
        assert await other.preload()
        assert other.state["slots"] == {}
        with pytest.raises(NotConfirmed):
            other.require("email")
        assert told(other, ["bea@example.org", "Lind"]) == [how == "verified"] * 2
        assert "line dropped" not in other.briefing().text
        await ended(other, clock)
        await ended(live, clock)


@pytest.mark.parametrize("reason", ["hangup", "bot_ended", "transferred", "idle_timeout"])
async def test_a_call_that_ended_in_peace_and_is_not_settled_yet_is_no_dropped_one(reason: str) -> None:
    async with opened(model=Forever()) as (memory, clock):
        first = memory.call(Caller.phone(NUMBER), call_id="c1", schema=BOOKING)
        await first.preload()
        await say(first, clock, "my email is bea@example.org, a table for five please")
        await reply(first, clock, "r1", "Very well.")
        closing = memory.tasks.spawn(first.close(reason), "close")
        await clock.settle()
        second = memory.call(Caller.phone(NUMBER), call_id="c2", schema=BOOKING)
        await clock.settle()
        assert await second.preload()
        assert second.state["slots"] == {}
        assert told(second, ["bea@example.org", "line dropped"]) == [False, False]
        await ended(second, clock)
        await closing


@pytest.mark.parametrize("first", ["number", "verified"])
@pytest.mark.parametrize("then", ["number", "verified"])
async def test_a_dropped_call_goes_on_at_most_as_strongly_as_this_one_is_known(first: How, then: How) -> None:
    async with opened() as (memory, clock):
        call = memory.call(Caller.phone(NUMBER, how=first), call_id="c1", schema=BOOKING)
        await say(call, clock, "my email is bea@example.org, a table for five please")
        await ended(call, clock, "error")
        again = memory.call(Caller.phone(NUMBER, how=then), call_id="c2", schema=BOOKING)
        assert await again.preload()
        weaker = (first, then) == ("verified", "number")
        standing = {name: held["confidence"] for name, held in again.state["slots"].items()}
        assert standing == ({"party_size": "inferred"} if weaker else dict.fromkeys(standing, "confirmed"))
        assert ("email" in standing) is not weaker
        assert told(again, ["bea@example.org"]) == [not weaker]
        if weaker:
            with pytest.raises(NotConfirmed):
                again.require("party_size")
            await again.identify(verified())
            again.require("party_size", "email")
        await ended(again, clock)
