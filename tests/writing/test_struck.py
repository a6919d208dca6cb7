"""What is struck out of a call goes from the store too, whatever happens to the store meanwhile."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from pipecat_memory import CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.stores.base import NewEntry, Store
from pipecat_memory.writing import struck

from ..kit import ended, opened, reply, say, verified

WORDS = "I live in Rome"


async def told(call: CallMemory) -> list[str]:
    """The caller's words in the journal, in its order, but for those that were struck out."""
    assert call.journal.file is not None
    entries = await call.journal.file.journal(call.id)
    events = [json.loads(entry.blob) for entry in entries if entry.kind == "event"]
    said = [event["text"] for event in events if event["type"] in ("user_final", "user_typed")]
    return [words for words in said if words != struck.WORDS]


def strike(call: CallMemory, *, later: float = 0.0) -> None:
    call.apply(ev.MemoryForgetLast(t=call.elapsed + later))


class Halting:
    """A store that can be away, and that tells what is written anew before it does so."""

    def __init__(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.away = False
        self.then = lambda: None
        self._store: Store = memory.archive.vault.store
        self._append = self._store.append
        monkeypatch.setattr(self._store, "append", self.append)

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        if self.away:
            raise StoreUnavailable("away")
        if instead_of:
            then, self.then = self.then, lambda: None
            then()
        return await self._append(owner, call, entries, instead_of=instead_of)


async def test_forgotten_while_the_store_is_away_is_forgotten_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (memory, clock):
        store = Halting(memory, monkeypatch)
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "a table for five please")
        await say(call, clock, WORDS)
        assert await told(call) == ["a table for five please", WORDS]
        store.away = True
        strike(call)
        await say(call, clock, "on Friday")
        assert await told(call) == ["a table for five please", WORDS]
        store.away = False
        await clock.advance(3.0)
        assert await told(call) == ["a table for five please", "on Friday"]
        await ended(call, clock)
        assert WORDS not in str(await memory.export(verified()))


async def test_words_that_come_while_the_journal_is_written_anew_keep_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (memory, clock):
        store = Halting(memory, monkeypatch)
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "a table for five please")
        await say(call, clock, WORDS)

        def more() -> None:
            call.apply(ev.UserFinal(t=call.elapsed, text="on Friday", id="late", started=call.elapsed))
            call.apply(ev.TurnEnded(t=call.elapsed))

        store.then = more
        strike(call)
        await clock.settle()
        assert await told(call) == ["a table for five please", "on Friday"]
        assert call.journal.waiting == 0
        await ended(call, clock)


async def test_struck_again_while_the_journal_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as (memory, clock):
        store = Halting(memory, monkeypatch)
        call = memory.call(verified(), call_id="c1")
        for words in ("a table for five please", "on Friday", WORDS):
            await say(call, clock, words)
        store.then = lambda: strike(call, later=0.1)
        strike(call)
        await clock.settle()
        assert await told(call) == ["a table for five please"]
        await ended(call, clock)


async def test_what_another_process_holds_of_the_call_stays() -> None:
    async with opened() as (memory, clock):
        first = memory.call(verified(), call_id="c1")
        await say(first, clock, "a table for five please")
        await ended(first, clock, "crash")
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, WORDS)
        file = call.journal.file
        assert file is not None
        await file.append("c1", [("other-000001", "event", 0.0, b'{"type":"dtmf","t":1.0,"digits":"7"}')])
        strike(call)
        await clock.settle()
        assert await told(call) == ["a table for five please"]
        assert "other-000001" in [entry.uid for entry in await file.journal("c1")]
        await ended(call, clock)


async def history(call: CallMemory) -> list[tuple[str, str]]:
    """What happened, as the call's journal tells it to a worker."""
    (found,) = (await call.memory.export(verified()))["calls"]
    return [(item["role"], item["text"]) for item in found["history"]]


async def test_what_the_journal_tells_is_what_happened() -> None:
    """Asked for twice in one breath, words that come late, and all that came from the turn."""
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "a table for five please", id="u1")
        await reply(call, clock, "r1", "For which day?")
        await say(call, clock, WORDS, id="u2")
        began = call.elapsed
        call.apply(ev.ToolCalled(t=call.elapsed, id="t1", name="look_up", args={"city": "Rome"}))
        call.apply(ev.ReplyStarted(t=call.elapsed, reply="r2"))
        call.apply(ev.ReplyText(t=call.elapsed, reply="r2", text="Rome, I see. "))
        await clock.advance(1.0)
        for _ in range(2):
            strike(call)
        await clock.advance(1.0)
        call.apply(ev.ReplyHeard(t=call.elapsed, reply="r2", text="Rome, I"))
        call.apply(ev.ReplyEnded(t=call.elapsed, reply="r2", interrupted=True))
        call.apply(ev.ToolReturned(t=call.elapsed, id="t1", status="ok", result="Rome"))
        call.apply(ev.UserFinal(t=call.elapsed, text="I live in Rome now", id="u2", started=began - 1.0))
        await reply(call, clock, "r3", "It is forgotten.")
        await say(call, clock, "on Friday", id="u3")
        live = [(item.role, item.text) for item in call.course.history()]
        assert live == [
            ("user", "a table for five please"),
            ("assistant", "For which day?"),
            ("assistant", "It is forgotten."),
            ("user", "on Friday"),
        ]
        assert await history(call) == live
        assert call.journal.file is not None
        assert b"Rome" not in b"".join(entry.blob for entry in await call.journal.file.journal())
        await ended(call, clock)
        assert await history(call) == live


async def test_the_same_words_elsewhere_in_the_call_stay() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        for _ in range(2):
            call.apply(ev.UserTyped(t=call.elapsed, text="yes"))
            call.apply(ev.TurnEnded(t=call.elapsed))
            await clock.advance(1.0)
        strike(call)
        call.apply(ev.UserTyped(t=call.elapsed, text="yes"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await clock.advance(1.0)
        assert await history(call) == [("user", "yes")] * 2
        assert await told(call) == ["yes"] * 2
        await ended(call, clock)


async def test_keys_and_a_partial_that_stood_for_a_turn_are_struck_out() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        call.apply(ev.Dtmf(t=call.elapsed, digits="4711"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        strike(call)
        await clock.advance(1.0)
        call.apply(ev.UserStarted(t=call.elapsed))
        await clock.advance(1.0)
        call.apply(ev.UserPartial(t=call.elapsed, text=WORDS))
        await clock.advance(1.0)
        call.apply(ev.UserStopped(t=call.elapsed))
        call.apply(ev.TurnEnded(t=call.elapsed))
        assert [item.text for item in call.course.history()] == [WORDS]
        strike(call)
        await clock.settle()
        assert await history(call) == []
        assert call.journal.file is not None
        blobs = b"".join(entry.blob for entry in await call.journal.file.journal())
        assert b"Rome" not in blobs
        assert b"4711" not in blobs
        await ended(call, clock)
