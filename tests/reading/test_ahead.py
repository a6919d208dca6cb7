"""What is made ready while the turn goes on: used for the very same words and state, else made anew."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence

import numpy as np
import pytest

from pipecat_memory import Caller, CallMemory
from pipecat_memory import events as ev
from pipecat_memory.bench.caller import seed, sentence
from pipecat_memory.clients.base import Embedder, Vectors
from pipecat_memory.reading.entry import Hit, Query
from pipecat_memory.reading.reader import Reader
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, opened, reply, verified

ABOUT = sentence(17)
OTHER = sentence(34)


class Gate:
    """An embedder that answers when it is let."""

    name = "gate"

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await self.open.wait()
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        rows[:, 0] = 1.0
        return rows


@contextlib.asynccontextmanager
async def line(embedder: Embedder | None = None) -> AsyncGenerator[tuple[CallMemory, ManualClock]]:
    """A call of a verified caller with 40 memories, indexed."""
    async with opened(embedder=embedder) as (memory, clock):
        await seed(memory, 40, NUMBER)
        call = memory.call(verified(), call_id="ahead")
        await call.preload()
        await clock.settle()
        assert call.arrival.indexing is not None
        assert call.arrival.indexing.done()
        try:
            yield call, clock
        finally:
            call.reader.prefetch.cancel()


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Callable[[CallMemory], list[Query]]:
    """Watches what is searched for in a call's index."""

    def watch(call: CallMemory) -> list[Query]:
        asked: list[Query] = []
        search = call.reader.index.search

        def spy(query: Query) -> list[Hit]:
            asked.append(query)
            return search(query)

        monkeypatch.setattr(call.reader.index, "search", spy)
        return asked

    return watch


async def hear(call: CallMemory, text: str, id: str = "f1", started: float = 0.0) -> None:
    """A final; what can be made ready is made ready."""
    call.apply(ev.UserFinal(t=call.elapsed, text=text, id=id, started=started))
    for _ in range(60):  # not `clock.settle()`, which waits for an embedder that hangs
        await asyncio.sleep(0)


def fresh(call: CallMemory, text: str | None = None) -> str:
    """The briefing as a reader makes it that made nothing ready."""
    twin = Reader(call.settings, call.memory.embedder, call.course.started.at)
    twin.arrive(call.reader.known, call.caller)
    twin.index = call.reader.index
    twin.prefetch = call.reader.prefetch
    twin.documents(call.reader._documents)
    return twin.brief(call.course, text).text


def end(call: CallMemory) -> str:
    """The turn ends; what the reply is told, which must be what it would be without anything made ready."""
    call.apply(ev.TurnEnded(t=call.elapsed))
    told = call.briefing().text
    assert told == fresh(call)
    return told


@pytest.mark.parametrize("embedder", [None, Gate])
async def test_the_turns_end_searches_for_nothing_new(
    searches: Callable[[CallMemory], list[Query]], embedder: type[Gate] | None
) -> None:
    async with line(embedder() if embedder else None) as (call, _):
        asked = searches(call)
        await hear(call, ABOUT)
        assert [q.text for q in asked] == [ABOUT]
        assert (asked[0].vector is not None) == (embedder is not None)
        call.apply(ev.TurnEnded(t=call.elapsed))
        assert ABOUT in call.briefing().changing
        assert len(asked) == 1
        assert call.briefing().text == fresh(call)


async def test_more_words_are_another_question(searches: Callable[[CallMemory], list[Query]]) -> None:
    async with line() as (call, clock):
        asked = searches(call)
        await hear(call, OTHER)
        await clock.advance(1.0)
        await hear(call, ABOUT, "f2", started=0.5)
        call.apply(ev.TurnEnded(t=call.elapsed))
        call.briefing()
        assert [q.text for q in asked] == [OTHER, f"{OTHER} {ABOUT}"]


async def test_changed_words_drop_what_was_made_ready() -> None:
    async with line() as (call, _):
        await hear(call, OTHER)
        call.apply(ev.UserFinal(t=call.elapsed, text=ABOUT, id="f1", started=0.0))
        told = end(call)
        assert ABOUT in told


async def test_late_words_amend_the_turn_and_its_briefing() -> None:
    async with line() as (call, clock):
        await hear(call, OTHER)
        await clock.advance(1.0)
        before = end(call)
        assert ABOUT not in before
        call.apply(ev.UserFinal(t=call.elapsed, text=ABOUT, id="late", started=0.5))
        assert ABOUT in call.briefing().text
        assert call.briefing().text == fresh(call)


async def test_a_correction_before_the_turns_end_is_told() -> None:
    async with line() as (call, _):
        await hear(call, "a table for five please")
        call.correct("/slots/party_size", 7, by="operator")
        told = end(call)
        assert "party_size = 7" in told
        assert "party_size = 5" not in told


async def test_another_caller_hears_nothing_of_what_was_made_ready() -> None:
    async with line() as (call, _):
        await hear(call, ABOUT)
        call.identity.take(Caller.phone("+15550009999", how="verified"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        told = call.briefing()
        assert not call.reader.hits
        assert "recall" not in told.tokens
        assert told.stable == ""


async def test_a_weaker_identity_hears_no_recall() -> None:
    async with line() as (call, _):
        await hear(call, ABOUT)
        assert "recall" in call.briefing().tokens
        call.identity.take(Caller.phone(NUMBER, how="claimed"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        assert "recall" not in call.briefing().tokens
        assert call.briefing().text == fresh(call)


async def test_a_forgotten_turn_is_told_no_more() -> None:
    async with line() as (call, clock):
        await hear(call, "my name is Wren Okafor")
        end(call)
        await reply(call, clock, "r1", "Hello Wren.")
        await hear(call, ABOUT, "f2", started=call.elapsed)
        call.apply(ev.TurnEnded(t=call.elapsed))
        call.apply(ev.MemoryForgetLast(t=call.elapsed))
        told = call.briefing().text
        assert told == fresh(call)
        await hear(call, "and", "f3", started=call.elapsed)
        assert f'caller: "{ABOUT}"' not in end(call)


async def test_an_interruption_after_the_words_is_told() -> None:
    async with line() as (call, clock):
        await hear(call, OTHER)
        end(call)
        call.apply(ev.ReplyStarted(t=call.elapsed, reply="r1"))
        call.apply(ev.ReplyText(t=call.elapsed, reply="r1", text="It was moved to week nine."))
        await clock.advance(1.0)
        await hear(call, ABOUT, "f2", started=call.elapsed)
        call.apply(ev.Interrupted(t=call.elapsed))
        call.apply(ev.ReplyEnded(t=call.elapsed, reply="r1", interrupted=True, played=0.5))
        assert "The last reply was cut off" in end(call)


async def test_documents_and_tools_that_come_before_the_turns_end_are_told() -> None:
    async with line() as (call, _):
        await hear(call, "a table for five please")
        call.documents([{"id": "d1", "text": "", "fields": {"party_size": 2}}])
        call.apply(ev.ToolCalled(t=call.elapsed, id="t1", name="look_up", args={}))
        call.apply(ev.ToolReturned(t=call.elapsed, id="t1", status="ok", result="free at nine"))
        told = end(call)
        assert "Document d1 says party_size = 2" in told
        assert "free at nine" in told


async def test_a_guarded_tool_named_before_the_turns_end_is_told() -> None:
    async with line() as (call, _):
        await hear(call, "a table for five please")
        call.guard({"book": ("party_size",)})
        assert "call_tool book" in end(call)


async def test_a_guess_is_briefed_on_its_own_words() -> None:
    async with line() as (call, _):
        await hear(call, OTHER)
        told = call.briefing(ABOUT).text
        assert told == fresh(call, ABOUT)
        assert ABOUT in told
        assert call.briefing(ABOUT) is call.briefing(ABOUT)
        assert ABOUT not in end(call)


async def test_a_vector_that_comes_late_changes_no_reply_and_helps_no_other_words(
    searches: Callable[[CallMemory], list[Query]],
) -> None:
    gate = Gate()
    async with line(gate) as (call, clock):
        asked = searches(call)
        gate.open.clear()  # from here on the embedder hangs
        await hear(call, ABOUT)
        assert asked == []
        call.apply(ev.TurnEnded(t=call.elapsed))
        assert not await call.recall_ready(ABOUT)
        assert call.counters["vector_late"] == 1
        told = call.briefing()
        assert [q.vector is None for q in asked] == [True]
        assert ABOUT in told.changing  # by its words alone
        gate.open.set()
        await clock.settle()
        assert [q.vector is None for q in asked] == [True]
        await reply(call, clock, "r1", "Noted.")
        assert call.stay.briefings == [told.text]
        gate.open.clear()
        await hear(call, OTHER, "f2", started=call.elapsed)
        call.apply(ev.TurnEnded(t=call.elapsed))
        call.briefing()
        assert [(q.text, q.vector is None) for q in asked[1:]] == [(OTHER, True)]


async def test_the_end_of_a_turn_folds_nothing_again() -> None:
    async with line() as (call, clock):
        await hear(call, "a table for five please")
        before = call.course.notes
        call.apply(ev.TurnEnded(t=call.elapsed))
        assert call.course.notes is before
        await clock.advance(1.0)
        call.apply(ev.UserFinal(t=call.elapsed, text="no, for six", id="late", started=0.5))
        assert call.course.notes.state.slots["party_size"].value == 6
