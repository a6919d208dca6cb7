"""A caller comes back to a line that was somebody else's for a while: one call, told in its order."""

from __future__ import annotations

import asyncio

import pytest

from pipecat_memory import Caller, CallMemory
from pipecat_memory import events as ev
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import PutDoc
from pipecat_memory.stores.box import MOVED
from pipecat_memory.testing import ManualClock

from .kit import ended, opened, rest, say, verified

ANA = Caller.account("cust-1")


async def goes_on(call: CallMemory, clock: ManualClock, *, after: float) -> CallMemory:
    """The connection is lost, and taken up again."""
    await ended(call, clock, "crash")
    await clock.advance(after)
    return call.memory.call(call.caller, call_id=call.id)


async def identified(call: CallMemory, clock: ManualClock, who: Caller) -> None:
    named = asyncio.ensure_future(call.identify(who))
    await clock.settle()
    while not named.done():
        await clock.next()
    await rest(call.memory, clock)


@pytest.mark.parametrize("killed", [False, True])
async def test_what_moves_into_a_file_that_holds_a_part_of_the_call_keeps_its_time(killed: bool) -> None:
    """Of each part the head of the call says when it began; so it does when the move was cut in half."""
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "my name is Ana Ruiz")
        await identified(call, clock, verified().proven("number"))  # Ana hands the line over
        call = await goes_on(call, clock, after=30.0)
        assert await call.preload()
        await say(call, clock, "a table for five please")
        if killed:  # between the note that the call moves and the move
            await rest(memory, clock)
            file, there = call.journal.file, await memory.archive.file(Scope("default", "cust-1", ""))
            assert file is not None
            assert there is not None
            await file.box.put([PutDoc(MOVED, call.id, there.owner.encode(), 0)])
            await memory.keeper.left.finish_moves(file)
        else:
            await identified(call, clock, ANA)
        call = await goes_on(call, clock, after=30.0)
        await ended(call, clock)
        (kept,) = (await memory.export(ANA))["calls"]
        began = {item["text"]: round(item["started"]) for item in kept["history"]}
        assert began == {"my name is Ana Ruiz": 0, "a table for five please": 31}


@pytest.mark.parametrize("heard", [False, True])
@pytest.mark.parametrize("lost", [False, True])
async def test_a_guess_that_nobody_confirmed_stays_one_when_the_call_goes_on(heard: bool, lost: bool) -> None:
    """A reply to it is history as far as it was heard, and no further, however late that is told."""
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "hello there")
        call.apply(ev.TurnSpeculated(t=call.elapsed, text="a table"))
        await clock.advance(0.5)
        call.apply(ev.ReplyStarted(t=call.elapsed, reply="r1"))
        call.apply(ev.ReplyText(t=call.elapsed, reply="r1", text="How many people?"))
        if lost and heard:
            call.apply(ev.ReplyHeard(t=call.elapsed, reply="r1", text="How many"))
        await clock.advance(1.0)
        call.apply(ev.ReplyEnded(t=call.elapsed, reply="r1", interrupted=False))
        course = call.course
        if lost:
            call = await goes_on(call, clock, after=3.0)
        else:
            await identified(call, clock, verified())
            if heard:
                call.apply(ev.ReplyHeard(t=call.elapsed, reply="r1", text="How many"))
            await identified(call, clock, ANA)
        await say(call, clock, "me again")
        await ended(call, clock)
        words = ["hello there", *(["How many"] if heard else [])]
        assert [item.text for item in course.history()] == words
        (kept,) = (await memory.export(ANA))["calls"]
        assert [item["text"] for item in kept["history"]] == [*words, "me again"]
