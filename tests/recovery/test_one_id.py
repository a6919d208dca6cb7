"""One call id at two callers, or two tenants, at once: they are two lines; none takes the other's end."""

from __future__ import annotations

import pytest

from pipecat_memory import Caller

from ..kit import ended, opened, rest, say, verified
from .test_jobs import cities, processes, work

OTHER = Caller.phone("+15551230002", how="verified")


@pytest.mark.parametrize(("caller", "tenant"), [(OTHER, None), (verified(), "other")])
async def test_each_is_finished_by_its_own_end(caller: Caller, tenant: str | None) -> None:
    async with opened() as (memory, clock):
        first = memory.call(verified(), call_id="c1")
        second = memory.call(caller, call_id="c1", tenant=tenant)
        await say(first, clock, "my name is Wren Okafor")
        await say(second, clock, "my name is Tam Birch")
        await ended(first, clock)
        assert list(memory.keeper.live) == [second]
        assert [f["value"] for f in await memory.profile(verified())] == ["Wren Okafor"]
        assert await memory.reprocess(verified()) == {"settled": 0, "held": 0, "parked": 0}
        await say(second, clock, "a table for five please")
        await ended(second, clock)
        assert not memory.keeper.live
        assert [f["value"] for f in await memory.profile(caller, tenant=tenant)] == ["Tam Birch"]
        file = second.journal.file
        assert file is not None
        assert (await file.load()).calls["c1"].done


@pytest.mark.parametrize("caller", [OTHER, None])
async def test_what_a_dead_process_left_is_finished_though_another_has_the_id(caller: Caller | None) -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        call = dead.call(verified(), call_id="c1")
        await say(call, clock, "I live in Rome")
        await rest(dead, clock)
        await dead.keeper.stop()
        await clock.advance(31.0)
        other = memory.call(caller, call_id="c1")
        await say(other, clock, "I live in Oslo")
        again = memory.call(verified(), call_id="c2")
        await again.preload()
        await rest(memory, clock)
        assert await cities(memory) == [("Rome", 1, 1)]
        assert set(memory.keeper.live) == {other, again}
        await ended(again, clock)
        await ended(other, clock)


async def test_a_lost_lease_opens_the_call_it_was_for() -> None:
    async with processes(2) as (clock, _, (slow, memory)):
        first = slow.call(verified(), call_id="c1")
        second = slow.call(OTHER, call_id="c1")
        await say(first, clock, "I live in Rome")
        await say(second, clock, "I live in Oslo")
        await slow.keeper.stop()
        await clock.advance(31.0)
        file = first.journal.file
        assert file is not None
        await memory.reprocess(verified())
        assert (await file.load()).calls["c1"].settled
        slow.keeper.leases.hold("c1", file)
        await clock.advance(31.0)
        head = (await file.load()).calls["c1"]
        assert not head.settled
        assert head.runs.keys() == first.kept.runs.keys()
        await ended(first, clock)
        await ended(second, clock)


async def test_what_a_worker_asks_is_counted_for_the_tenant_of_the_call() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        call = dead.call(verified(), call_id="c1", tenant="other")
        await say(call, clock, "I live in Rome")
        await dead.keeper.stop()
        await clock.advance(31.0)
        await work(memory, clock)
        assert memory.usage("other")["by_purpose"]
        assert not memory.usage()["by_purpose"]
