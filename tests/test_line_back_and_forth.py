"""A caller comes back to a line that was somebody else's for a while: one call, told in its order."""

from __future__ import annotations

import asyncio

import pytest

from pipecat_memory import Caller, CallMemory
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
