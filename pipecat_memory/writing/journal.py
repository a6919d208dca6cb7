"""The journal of one call: what happened is durable before anything is derived from it.

Adding never waits; one owned task writes in order, in batches, and tries again while the store is
away. Without a file (nobody is known yet) records wait in memory and are gone with the call.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import msgspec

from ..clock import Clock
from ..errors import Erased, StoreError
from ..events import (
    Documents,
    Event,
    ModelAnswer,
    ReplyHeard,
    ReplyText,
    encode,
    from_mapping,
)
from ..records.turn import Turn
from ..stores.caller_file import CallerFile
from ..tasks import Tasks, behind
from .masked import Mask, masked
from .pieces import HeardPieces, joined
from .runs import run_of
from .struck import Record, Struck

logger = logging.getLogger(__name__)

PASSING = (ModelAnswer, Documents)
"""Never written: what the app can fetch again."""

_BACKOFF = (0.1, 0.3, 1.0, 2.0)
_AT_ONCE = 64
"""Events that are made records of in one go, at about 10 µs each."""


class Journal:
    """Writes one call's records in order.

    Args:
        call: id of the call.
        run: makes record ids unique to this process's run of the call; "" where the same events must
            give the same ids (back-filling a recording twice changes nothing).
        mask: takes what must not be kept out of texts that are joined here.
    """

    def __init__(self, call: str, run: str, tasks: Tasks, clock: Clock, mask: Mask) -> None:
        self.call = call
        self.file: CallerFile | None = None
        self.counters = {"journalled": 0, "journal_retries": 0}
        self.run = run
        self._tasks = tasks
        self._clock = clock
        self._count = 0
        self._added: list[tuple[Event, float]] = []
        """Events that are no records yet, and when they came: a turn's end is added just before its reply."""
        self._pending: list[Record] = []
        self._kept: list[Record] = []
        self._texts: dict[str, ReplyText] = {}
        self._pieces = HeardPieces()
        self._mask = mask
        self._struck = Struck()
        self._stale = False
        """The store may hold what was struck out since: our records there are to be written anew."""
        self._unmasked = False
        """Our records may hold what must not be kept, as is known since: no record is written so."""
        self._called = False
        self._flusher: asyncio.Task[None] | None = None
        self.erased = False

    def event(self, event: Event) -> None:
        """Write an event (masked already). What that takes is done behind whatever the loop does now."""
        self._added.append((event, self._clock.now().timestamp()))
        held = isinstance(event, (ReplyText, ReplyHeard))  # comes token by token, and starts no writing
        if held or (self.file is None and len(self._added) >= _AT_ONCE):
            self._take_in()
        self._kick()

    def _take_in(self) -> None:
        """Make records of what was added."""
        added, self._added = self._added, []
        for event, at in added:
            self._record(event, at)

    def _record(self, event: Event, at: float) -> None:
        """Make a record of an event. Pieces of a draft are kept together until they matter."""
        event = self._struck.told(event)
        if isinstance(event, ReplyText):
            draft = self._texts.get(event.reply)
            self._texts[event.reply] = (
                event if draft is None else replace(draft, text=draft.text + event.text)
            )
            return
        if isinstance(event, ReplyHeard) and self._pieces.take(event):
            if not self._pieces.open:
                self._release(at)
            return
        self._release(at)
        self._write(event, at)

    def redact(self, old: Event, new: Event) -> None:
        """Write a masked event in the place of one that was added already."""
        self._take_in()
        before, after = msgspec.json.encode(encode(old)), msgspec.json.encode(encode(new))
        self._anew([(*r[:3], after) if r[3] == before else r for r in self._kept])

    def remask(self) -> None:
        """More must not be kept than was known: write anew what holds it, before anything else is written."""
        self._take_in()
        self._unmasked = True
        self._kick()

    async def _masked_again(self, file: CallerFile) -> None:
        """Take out of our records what was not known when they came; what comes meanwhile is without it."""
        while self._unmasked:
            self._unmasked = False
            kept, count = self._kept, len(self._kept)
            records = await file.aside(
                lambda kept=kept[:count]: [(*r[:3], self._without(r[1], r[3])) for r in kept]
            )
            if self._kept is not kept:
                self._unmasked = True  # they were put together anew
            elif records != kept[:count]:
                self._anew([*records, *kept[count:]])

    def _without(self, kind: str, blob: bytes) -> bytes:
        if kind != "event":
            return blob
        event = from_mapping(msgspec.json.decode(blob))
        kept, hits = (event, 0) if event is None else masked(event, self._mask)
        return msgspec.json.encode(encode(kept)) if kept is not None and hits else blob

    def note(self, kind: str, uid: str, payload: Any) -> None:
        """Write a record of another kind under an id of its own (the same id is kept once)."""
        self._take_in()
        self._add(kind, payload, self._clock.now().timestamp(), uid)
        self._kick()

    def attach(self, file: CallerFile | None) -> None:
        """From here on the records belong into this file; those that waited are written now."""
        self.file = file
        self._kick()

    def erase(self) -> None:
        """Whose records they are was forgotten: nothing is written any more, wherever it were to go."""
        self.file, self.erased = None, True

    def strike_turn(self, turn: Turn, until: float) -> None:
        """Take a forgotten turn's words back, and those of what came from it.

        Args:
            turn: which.
            until: seconds of the call at which that was asked for.
        """
        self._take_in()
        self._anew(self._struck.strike(turn, until, self._kept))

    @property
    def records(self) -> list[Record]:
        """All that was written, in order."""
        self._take_in()
        return list(self._kept)

    @property
    def waiting(self) -> int:
        """Records that are not durable yet."""
        self._take_in()
        return len(self._pending)

    def _anew(self, records: list[Record]) -> None:
        """From now on these are the call's records; nothing else that this run wrote may stay."""
        waiting = {record[0] for record in self._pending}
        self._pending = [record for record in records if record[0] in waiting]
        self._kept = records
        self._stale = True
        self._kick()

    async def flushed(self) -> None:
        """Wait until everything added so far is durable. Without a file there is nothing to wait for.

        A memory that closes cancels the writing when its time is up; then nothing is waited for either.
        """
        self._start()
        while (flusher := self._flusher) is not None and not flusher.done():
            await asyncio.wait({flusher})
            if flusher.cancelled():
                return
            self._start()

    def _release(self, at: float) -> None:
        """Write the pieces that were held, as one where only together they show what must go."""
        held = self._pieces.release()
        if not held:
            return
        whole, hits = masked(joined(held), self._mask)
        for piece in [whole] if hits else held:
            self._write(piece, at)

    def _write(self, event: Event, at: float) -> None:
        for draft in self._texts.values():
            self._add("event", encode(masked(draft, self._mask)[0]), at)
        self._texts.clear()
        self._add("event", encode(event), at)

    def _add(self, kind: str, payload: Any, at: float, uid: str | None = None) -> None:
        if uid is None:
            self._count += 1
            uid = f"{self.run}{self._count:06d}"
        record = (uid, kind, at, msgspec.json.encode(payload))
        self._pending.append(record)
        self._kept.append(record)

    def _kick(self) -> None:
        if self._due and not self._called:
            self._called = True
            behind(self._start)

    def _start(self) -> None:
        """See that somebody writes, if there is anything to write."""
        self._called = False
        if self._due and (self._flusher is None or self._flusher.done()):
            self._flusher = self._tasks.spawn(self._flush(), "journal")

    @property
    def _due(self) -> bool:
        there = self._added or self._pending or self._stale or self._unmasked
        return bool(there) and self.file is not None and not self.erased

    async def _flush(self) -> None:
        misses = 0
        while self.file is not None:
            self._take_in()
            await self._masked_again(self.file)
            if not (self._pending or self._stale):
                return  # what came is held until more comes
            stale, self._stale = self._stale, False
            batch = list(self._pending)
            try:
                if stale:
                    await self._write_anew(self.file)
                else:
                    await self.file.append(self.call, batch)
            except Erased:
                self.erased = True
                self._pending.clear()
                return
            except StoreError as error:
                self._stale = self._stale or stale
                if misses == 0:
                    logger.error("journal of call %s: %s; it will be tried again", self.call, error)
                self.counters["journal_retries"] += 1
                await self._clock.sleep(_BACKOFF[min(misses, len(_BACKOFF) - 1)])
                misses += 1
                continue
            misses = 0
            self.counters["journalled"] += len(batch)
            written = {record[0] for record in batch}
            self._pending = [r for r in self._pending if r[0] not in written]

    async def _write_anew(self, file: CallerFile) -> None:
        """Put our records in the place of what this run wrote of the call: in one step, all or none.

        Whatever came meanwhile is written too, and then once more: the store keeps it once.
        """
        there = [entry.uid for entry in await file.journal(self.call) if run_of(entry) == self.run]
        ours = [record[0] for record in self._kept]
        await file.append(self.call, self._kept, instead_of=list(dict.fromkeys([*there, *ours])))
