"""What the bench says of the event loop: its stalls, without what is no part of the measure."""

from __future__ import annotations

import asyncio

from pipecat_memory.bench.figures import Collector, Stalls


def test_a_stall_is_ours_as_far_as_this_process_computed() -> None:
    stalls = Stalls(Collector())
    for late, computed in ((0.030, 0.004), (0.012, 0.020), (-0.001, 0.001)):
        stalls.tick(late, computed)
    found = stalls.report()
    assert (found["max"], found["ours_max"]) == (30.0, 12.0)
    assert stalls.late[-1] == 0.0


def test_what_the_collector_took_of_a_stall_is_not_ours() -> None:
    stalls = Stalls(Collector())
    stalls.tick(0.037, 0.070, collected=0.033)
    stalls.tick(0.002, 0.001, collected=0.002)
    assert [round(one, 6) for one in stalls.ours] == [0.004, 0.0]


def test_a_tick_with_what_is_not_measured_is_left_out_and_no_other() -> None:
    stalls = Stalls(Collector())
    stalls.excuse()
    stalls.tick(0.5, 0.5)
    stalls.tick(0.001, 0.001)
    assert stalls.report()["max"] == 1.0


async def test_the_loop_is_watched_while_the_block_runs() -> None:
    stalls = Stalls(Collector(), every=0.0)
    async with stalls.watching():
        for _ in range(20):
            await asyncio.sleep(0)
    seen = len(stalls.late)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(stalls.late) == seen > 0


async def test_what_the_collector_took_is_told_apart() -> None:
    collector = Collector()
    stalls = Stalls(collector, every=0.0)
    async with stalls.watching():
        await asyncio.sleep(0)
        collector.pauses.append(60.0)
        for _ in range(20):
            await asyncio.sleep(0)
    assert min(stalls.ours) == 0.0
