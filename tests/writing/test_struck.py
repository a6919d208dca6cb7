"""What is struck out of a call goes from the store too, whatever happens to the store meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipecat_memory import CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.stores.base import NewEntry, Store

from ..kit import ended, opened, say, verified

WORDS = "I live in Rome"


async def told(call: CallMemory) -> list[str]:
    """The caller's words in the journal, in its order."""
    assert call.journal.file is not None
    events = [e.blob.decode() for e in await call.journal.file.journal(call.id) if e.kind == "event"]
    finals = [event for event in events if '"user_final"' in event]
    return [event.partition('"text":"')[2].partition('"')[0] for event in finals]


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
