"""The turns of calls long past: not in this process until a question finds nothing in the newer ones."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.records.caller import Scope
from pipecat_memory.records.profile import Episode
from pipecat_memory.stores.caller_file import CallerFile
from pipecat_memory.stores.contents import CallMeta, Loaded
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, START, ended, opened, reply, say, verified

SAID = (
    "the parcel went to the neighbour with the green door",
    "our boiler rattles whenever the tap is open",
    "the piano needs tuning before the concert",
    "a window in the attic will not close",
    "the garden gate has lost its hinge",
)
"""One line a call, the oldest first."""
TWO = Settings(strict=True, recall_calls=2)


async def past(memory: Memory) -> None:
    """Five calls of one caller, a day apart, one turn each."""
    file = await memory.archive.file(Scope(memory.tenant, NUMBER, ""))
    assert file is not None
    for n, text in enumerate(SAID):
        at = (START - timedelta(days=len(SAID) - n)).isoformat()
        meta = CallMeta(call=f"past{n}", at=at, outcome="completed", ended=at)
        turn = Episode(id=f"turn.past{n}.1", call=f"past{n}", turn=1, role="user", text=text, at=at)
        await file.open_call(meta)
        await file.settle(replace(meta, settled=True), lambda profile: profile, [turn])
        await memory.keeper.leases.finish(f"past{n}", file)


@contextlib.asynccontextmanager
async def line(
    settings: Settings = TWO, url: str = "memory://"
) -> AsyncGenerator[tuple[CallMemory, ManualClock]]:
    async with opened(url, settings=settings) as (memory, clock):
        await past(memory)
        call = memory.call(verified(), call_id="now")
        await call.preload()
        await clock.settle()
        yield call, clock
        await ended(call, clock)


async def ask(call: CallMemory, clock: ManualClock, about: str, times: int = 1) -> list[str]:
    """Ask about something, in as many turns; what the last reply is told of past calls."""
    for n in range(times):
        await say(call, clock, f"what was it that {about}")
        call.briefing()
        await clock.settle()
        await reply(call, clock, f"r{n}{call.elapsed}", "One moment.")
    return [hit.entry.text for hit in call.reader.hits]


def held(call: CallMemory) -> set[str]:
    """Which past calls the index holds."""
    return {f"past{n}" for n in range(len(SAID)) if f"turn.past{n}.1" in call.reader.index}


@pytest.mark.parametrize("url", ["memory://", "sqlite"])
async def test_what_only_an_older_call_holds_is_found_a_question_later(url: str, tmp_path: object) -> None:
    async with line(url=f"sqlite:///{tmp_path}/calls.db" if url == "sqlite" else url) as (call, clock):
        assert held(call) == {"past4", "past3"}
        assert await ask(call, clock, SAID[4]) == [SAID[4]]
        assert held(call) == {"past4", "past3"}
        assert await ask(call, clock, SAID[2]) == []
        assert held(call) == {"past4", "past3", "past2", "past1"}
        assert await ask(call, clock, SAID[2]) == [SAID[2]]


async def test_the_index_holds_the_newest_calls_and_one_page_of_older_ones() -> None:
    async with line() as (call, clock):
        assert await ask(call, clock, SAID[0], times=3) == [SAID[0]]
        assert held(call) == {"past4", "past3", "past0"}
        assert await ask(call, clock, SAID[4]) == [SAID[4]]
        # After the oldest page the first one comes again.
        assert await ask(call, clock, SAID[1], times=2) == [SAID[1]]


async def test_a_turn_that_asks_nothing_fetches_nothing() -> None:
    async with line() as (call, clock):
        await say(call, clock, "okay, thanks")
        call.briefing()
        await clock.settle()
        assert held(call) == {"past4", "past3"}


async def test_all_is_searched_from_the_start_where_there_are_few_calls() -> None:
    async with line(Settings(strict=True)) as (call, clock):
        assert await ask(call, clock, SAID[0]) == [SAID[0]]


async def test_a_page_that_comes_for_somebody_who_left_is_dropped() -> None:
    async with line() as (call, clock):
        await say(call, clock, f"what was it that {SAID[2]}")
        call.briefing()
        call.reader.arrive(None, Caller.phone("+15551230009"))
        await clock.settle()
        assert len(call.reader.index) == 0


async def test_a_store_that_is_away_is_asked_again_at_the_next_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with line() as (call, clock):
        memories = CallerFile.memories

        async def away(self: CallerFile, calls: Sequence[str] = ()) -> Loaded:
            raise StoreUnavailable("away")

        monkeypatch.setattr(CallerFile, "memories", away)
        assert await ask(call, clock, SAID[2]) == []
        assert held(call) == {"past4", "past3"}
        monkeypatch.setattr(CallerFile, "memories", memories)
        assert await ask(call, clock, SAID[1]) == []
        assert await ask(call, clock, SAID[2]) == [SAID[2]]
