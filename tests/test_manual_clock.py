"""The clock that tests hold: it moves only when all that can run without it has run."""

from __future__ import annotations

import asyncio

import pytest

from pipecat_memory.testing import ManualClock


@pytest.mark.parametrize("between", [0, 1, 8, 40, 59])
async def test_it_stands_still_between_the_commands_of_a_chain(between: int) -> None:
    out = 0
    done: list[float] = []
    clock = ManualClock(pending=lambda: out)

    async def chain() -> None:
        nonlocal out
        for _ in range(30):
            out += 1
            for _ in range(3):
                await asyncio.sleep(0)
            out -= 1
            for _ in range(between):
                await asyncio.sleep(0)
        done.append(clock.monotonic())

    running = asyncio.ensure_future(chain())
    sleeping = asyncio.ensure_future(clock.sleep(2.5))
    await clock.advance(2.5)
    assert done == [0.0], "the chain ended before the clock moved"
    await asyncio.gather(running, sleeping)
