"""Jobs: parked turns are asked for again, leases are kept while one works and taken over when one died."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from pipecat_memory import Caller, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.stores.memory import MemoryKeyStore, MemoryStore
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing import ManualClock
from pipecat_memory.writing.archive import Archive
from pipecat_memory.writing.aside import Aside

from ..kit import START, ended, opened, rest, say, verified
from ..writing.scene import fact


class Moody:
    """A model that is away until it is told to come back, and then says where the caller lives."""

    name = "moody"

    def __init__(self, clock: ManualClock, *, delay: float = 0.0) -> None:
        self.away = False
        self.asked = 0
        self._clock = clock
        self._delay = delay

    async def answer(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        await self._clock.sleep(self._delay)
        if self.away:
            raise ModelUnavailable("away")
        if request.purpose == "summarise":
            return ModelReply(text=json.dumps({"text": "They talked.", "resolved": True}))
        cities = [city for city in ("Rome", "Oslo") if city in request.text.rsplit("> [", 1)[-1]]
        facts = [fact("home_city", city, f"I live in {city}", explicit=True) for city in cities]
        return ModelReply(text=json.dumps({"facts": facts, "mood": "cross"}))


@contextlib.asynccontextmanager
async def processes(
    count: int, *, delay: float = 0.0
) -> AsyncGenerator[tuple[ManualClock, Moody, list[Memory]]]:
    """So many processes on one store, as seen from the store: each a memory with a worker of its own."""
    clock = ManualClock(START)
    model = Moody(clock, delay=delay)
    store, keys = MemoryStore(now=clock.monotonic), MemoryKeyStore()
    async with contextlib.AsyncExitStack() as stack:
        made: list[Memory] = []
        for number in range(count):
            # A tenant of its own keeps them from being one and the same memory.
            one = opened(clock=clock, model=model, tenant=f"process-{number}")
            memory, _ = await stack.enter_async_context(one)
            memory.tenant = "default"
            memory.archive = Archive(memory, Vault(store, keys))
            memory.aside = Aside(memory.archive.gauge)
            made.append(memory)
        clock.pending = lambda: sum(memory.archive.gauge.out for memory in made)
        yield clock, model, made


async def cities(memory: Memory) -> list[tuple[str, int, int]]:
    """(value, turn, times seen) of the current facts."""
    facts = await memory.profile(verified())
    return [(f["value"], f["source"]["turn"], f["seen"]) for f in facts if f["status"] == "current"]


async def test_a_parked_turn_is_asked_for_again_by_reprocess() -> None:
    async with processes(1) as (clock, model, (memory,)):
        call = memory.call(verified(), call_id="c1")
        model.away = True
        await say(call, clock, "I live in Rome and my name is Wren Okafor")
        await ended(call, clock)
        await clock.run_out()
        assert await cities(memory) == [("Wren Okafor", 1, 1)]
        assert await work(memory, clock, verified()) == {"settled": 1, "held": 0, "parked": 1}
        model.away = False
        assert await work(memory, clock, verified()) == {"settled": 1, "held": 0, "parked": 0}
        assert await cities(memory) == [("Rome", 1, 1), ("Wren Okafor", 1, 1)]
        assert await work(memory, clock, verified()) == {"settled": 0, "held": 0, "parked": 0}


async def work(memory: Memory, clock: ManualClock, caller: Caller | None = None) -> dict[str, int]:
    """One `reprocess`, the clock moving along."""
    task = asyncio.ensure_future(memory.reprocess(caller))
    while not task.done():
        await clock.settle()
        if not task.done():
            await clock.next()
    return await task


async def test_a_worker_ends_although_the_model_stays_away() -> None:
    async with processes(1) as (clock, model, (memory,)):
        model.away = True
        for number in range(4):
            call = memory.call(Caller.phone(f"+1555123000{number}", how="verified"), call_id=f"c{number}")
            await say(call, clock, "I live in Rome")
            await ended(call, clock)
        await clock.advance(31.0)
        done = await work(memory, clock)
        assert done == {"settled": 4, "held": 0, "parked": 4}


async def test_turns_that_a_worker_had_no_time_for_are_counted_and_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with processes(1, delay=7.0) as (clock, model, (memory,)):
        model.away = True
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I live in Rome")
        await ended(call, clock)
        await clock.run_out()
        model.away = False
        with monkeypatch.context() as hasty:
            hasty.setattr("pipecat_memory.writing.closing.PATIENCE", 5.0)
            assert await work(memory, clock, verified()) == {"settled": 1, "held": 0, "parked": 1}
        assert await cities(memory) == []
        assert await work(memory, clock, verified()) == {"settled": 1, "held": 0, "parked": 0}
        assert await cities(memory) == [("Rome", 1, 1)]


async def test_a_lease_is_kept_while_a_slow_model_is_asked() -> None:
    async with processes(3, delay=7.0) as (clock, model, (dead, first, second)):
        call = dead.call(verified(), call_id="c1")
        for city in ("Rome", "Oslo", "Rome", "Oslo", "Rome", "Oslo"):
            await say(call, clock, f"I live in {city}")
        dead.keeper.live.leave(call)
        await dead.keeper.stop()
        await call.writer.drain(0.0)
        await clock.advance(31.0)
        before = model.asked
        one = asyncio.ensure_future(first.reprocess(verified()))
        await clock.settle()
        held = 0
        while not one.done():
            held += (await second.reprocess(verified()))["held"]
            await clock.advance(1.0)
        assert (await one)["settled"] == 1
        assert clock.monotonic() > 40.0
        assert held > 10, "the second worker found it held all the while"
        assert model.asked - before <= 7
        assert [value for value, _, _ in await cities(first)] == ["Oslo"]


async def test_a_call_that_goes_on_here_is_not_settled_beside_it() -> None:
    async with processes(1) as (clock, _, (memory,)):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I live in Rome")
        await rest(memory, clock)
        assert await work(memory, clock, verified()) == {"settled": 0, "held": 1, "parked": 0}
        await say(call, clock, "I live in Oslo now")
        await ended(call, clock)
        assert [value for value, _, _ in await cities(memory)] == ["Oslo"]


async def test_the_next_call_of_the_caller_finishes_what_a_dead_process_left() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        call = dead.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        await rest(dead, clock)
        await dead.keeper.stop()
        await clock.advance(31.0)
        again = memory.call(verified(), call_id="c2")
        await again.preload()
        assert again.greeting_name() == "Wren"
        await rest(memory, clock)
        export = await memory.export(verified())
        assert export["calls"][0]["summary"] is not None
        assert [value for value, _, _ in await cities(memory)] == ["Wren Okafor"]


async def test_a_turn_amended_to_as_many_letters_is_asked_about_as_it_is_now() -> None:
    async with processes(2) as (clock, model, (dead, memory)):
        call = dead.call(verified(), call_id="c1")
        call.apply(ev.UserFinal(t=1.0, text="I live in Rome", id="u1", started=0.0))
        call.apply(ev.TurnEnded(t=1.5))
        await rest(dead, clock)
        model.away = True
        call.apply(ev.UserFinal(t=1.0, text="I live in Oslo", id="u1", started=0.0))
        await clock.settle()
        await dead.keeper.stop()
        await call.writer.drain(0.0)
        await clock.advance(31.0)
        model.away = False
        await work(memory, clock, verified())
        assert [value for value, _, _ in await cities(memory)] == ["Oslo"]


@pytest.mark.parametrize("back", [True, False])
async def test_a_turn_that_grew_while_it_was_asked_about_is_asked_about_as_it_is_now(back: bool) -> None:
    async with processes(2, delay=2.0) as (clock, model, (dead, memory)):
        call = dead.call(verified(), call_id="c1")
        call.apply(ev.UserFinal(t=1.0, text="I live in Rome", id="u1", started=0.0))
        call.apply(ev.TurnEnded(t=1.5))
        await clock.settle()
        grown = "I live in Rome, I mean the office, I live in Oslo"
        call.apply(ev.UserFinal(t=1.0, text=grown, id="u1", started=0.0))
        await clock.advance(2.5)
        model.away = True
        await rest(dead, clock)
        assert call.writer.counters["turns_parked"] == 1
        await dead.keeper.stop()
        await clock.advance(31.0)
        model.away = not back
        done = await work(memory, clock, verified())
        assert done == {"settled": 1, "held": 0, "parked": 0 if back else 1}
        if back:
            assert [value for value, _, _ in await cities(memory)] == ["Oslo"]


async def test_a_mood_is_in_no_journal() -> None:
    async with processes(1) as (clock, _, (memory,)):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I live in Rome")
        await ended(call, clock)
        assert call.course.notes.state.mood == "cross"
        assert call.journal.file is not None
        assert not [e for e in await call.journal.file.journal() if b"cross" in e.blob]


async def test_calls_that_are_over_are_let_go() -> None:
    async with opened() as (memory, clock):
        for number, caller in enumerate((None, verified(), Caller.phone("anonymous"))):
            call = memory.call(caller, call_id=f"c{number}")
            await say(call, clock, "a table for five please")
            await ended(call, clock)
        off = memory.call(verified(), call_id="off", remember=False)
        await ended(off, clock)
        assert not memory.keeper.live


async def test_a_call_id_used_again_has_a_job_again(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        first = memory.call(verified(), call_id="c1")
        await say(first, clock, "my name is Wren Okafor")
        await ended(first, clock)
        again = memory.call(verified(), call_id="c1")
        await say(again, clock, "call me Wrennie")
        await ended(again, clock, "crash")
        assert (await memory.reprocess(verified()))["settled"] == 1
        assert {fact["value"] for fact in await memory.profile(verified())} == {"Wren Okafor", "Wrennie"}
