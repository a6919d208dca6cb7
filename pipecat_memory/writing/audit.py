"""The audit trail: who read, corrected, exported or erased whose records, and when. Ids only.

One journal a tenant, sealed in the same store under a scope that no caller can have. A caller stands in it
as the keyed hash that names the caller in the store: never a number, a name or a word. It outlives the
caller's erasure, and whoever has the store's secret and a number can find what was done with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ..errors import StoreError, VersionConflict
from ..records.caller import Scope
from ..stores.base import PutDoc
from ..stores.box import Box
from ..tasks import stand_back

if TYPE_CHECKING:
    from ..memory import Memory

logger = logging.getLogger(__name__)

What = Literal["read", "corrected", "exported", "erased"]

SEGMENT = 1000
"""Entries after which a new segment is begun: what is too old or too much is dropped by the segment."""

SEGMENTS = 200
"""Segments that are kept at most, whatever their age: two hundred thousand entries."""

WAITING = 1000
"""Entries that wait in memory while the store is away; beyond that the oldest are dropped, and counted."""

_KIND = "audit"
_SEGMENT_KIND = "segment"


@dataclass(frozen=True, slots=True, repr=False)
class Act:
    """One thing done with a caller's records. `whose` is the caller's scope, or the id of the owner."""

    what: What
    whose: Scope | str
    at: datetime
    by: str
    uid: str


class Audit:
    """Writes and reads the trails of a memory's tenants. Noting never waits and never fails."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        memory.counters |= {"audit_late": 0, "audit_lost": 0}
        self._run = secrets.token_hex(4)
        self._count = 0
        self._waiting: dict[str, list[Act]] = {}
        self._trails: dict[str, Trail] = {}
        self._flusher: asyncio.Task[None] | None = None

    def note(self, what: What, tenant: str, whose: Scope | str, by: str) -> None:
        """Note what was done; it is written in the background. Does nothing where no trail is kept."""
        if self._memory.settings.audit_days <= 0:
            return
        self._count += 1
        waiting = self._waiting.setdefault(tenant, [])
        waiting.append(Act(what, whose, self._memory.clock.now(), by, f"{self._run}-{self._count:06d}"))
        if len(waiting) > WAITING:
            del waiting[0]
            self._memory.counters["audit_lost"] += 1
        self.kick()

    def kick(self) -> None:
        """Write what waits, in the background. What the store can't take now waits for the next time."""
        if any(self._waiting.values()) and (self._flusher is None or self._flusher.done()):
            self._flusher = self._memory.tasks.spawn(self._flush(), "audit")

    async def rows(self, tenant: str, scope: Scope | None) -> list[dict[str, Any]]:
        """The trail of a tenant, oldest first: all of it, or what was done with one caller's records.

        Raises:
            StoreError: the store can't be read.
        """
        self.kick()
        if self._flusher is not None:
            await asyncio.wait({self._flusher})
        who = None if scope is None else await self._memory.archive.vault.subject(scope)
        with self._memory.archive.gauge.one():
            entries = await (await self._memory.archive.vault.trail(tenant)).read()
        oldest = self._memory.clock.now() - timedelta(days=self._memory.settings.audit_days)
        rows = (msgspec.json.decode(e.blob) for e in entries if e.at >= oldest.timestamp())
        return [row for row in rows if who in (None, row["caller"])]

    async def _flush(self) -> None:
        await stand_back()
        for tenant, waiting in list(self._waiting.items()):
            while batch := waiting[:SEGMENT]:
                try:
                    with self._memory.archive.gauge.one():
                        await self._write(tenant, batch)
                except StoreError as error:
                    self._memory.counters["audit_late"] += 1
                    logger.warning("the audit trail waits in memory: %s", type(error).__name__)
                    return
                del waiting[: len(batch)]

    async def _write(self, tenant: str, batch: list[Act]) -> None:
        vault = self._memory.archive.vault
        if tenant not in self._trails:
            box = await vault.trail(tenant)
            self._trails[tenant] = Trail(box, self._memory.settings.audit_days)
        records: list[tuple[str, str, float, bytes]] = []
        for act in batch:
            row = {
                "what": act.what,
                "at": act.at.isoformat(),
                "by": act.by,
                "caller": await vault.subject(act.whose),
            }
            records.append((act.uid, _KIND, act.at.timestamp(), msgspec.json.encode(row)))
        await self._trails[tenant].append(records, self._memory.clock.now())


class Trail:
    """One tenant's journal, in segments: named by the sequence number with which they begin.

    Args:
        box: where it lies.
        days: age at which a segment is dropped.
    """

    def __init__(self, box: Box, days: int) -> None:
        self._box = box
        self._days = days
        self._segment: str | None = None
        self._day: date | None = None
        self._last = 0

    async def append(self, records: list[tuple[str, str, float, bytes]], now: datetime) -> None:
        """Add records; all or none."""
        today = now.astimezone(UTC).date()
        segment = self._segment
        if segment is None or self._day != today:
            segment = await self._turn_over(today)
        self._last = await self._box.append(segment, records)
        if self._last - int(segment) >= SEGMENT:
            await self._turn_over(today)

    async def _turn_over(self, today: date) -> str:
        """Go on in the newest segment if it is of today and not full, else in a new one; drop the oldest."""
        held = sorted(await self._box.load([_SEGMENT_KIND]), key=lambda doc: doc.name)
        days = {doc.name: date.fromisoformat(doc.blob.decode()) for doc in held}
        newest = held[-1].name if held else f"{0:012d}"
        if days.get(newest) != today or self._last - int(newest) >= SEGMENT:
            newest = f"{max(self._last, int(newest)) + 1:012d}"
            with contextlib.suppress(VersionConflict):  # another process begins the same one
                await self._box.put([PutDoc(_SEGMENT_KIND, newest, today.isoformat().encode(), 0)])
        oldest = today - timedelta(days=self._days)
        for place, name in enumerate(sorted(days)):
            if name != newest and (days[name] < oldest or len(days) - place >= SEGMENTS):
                await self._box.drop(name)
        self._segment, self._day = newest, today
        return newest
