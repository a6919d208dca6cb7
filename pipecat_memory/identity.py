"""Who is on the line: known late, known better, or somebody else than before."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .events import CallerIdentified
from .records.caller import Caller, How, Strength
from .stores.contents import CallMeta
from .writing.journal import Journal
from .writing.parting import Parting

if TYPE_CHECKING:
    from .call import CallMemory


class Identity:
    """Of one call. Its records and what is read follow whoever is on the line."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self.parted = 0
        """How often one verified person gave the line to another, and with it what had been said."""
        self.moving: asyncio.Task[None] | None = None
        """Brings the records to whoever is on the line now."""

    async def say(self, caller: Caller | str | None, how: How | None) -> None:
        """See `CallMemory.identify`."""
        known = caller if isinstance(caller, Caller) else Caller.phone(caller)
        known = known if how is None else known.proven(how)
        told = CallerIdentified(t=self._call.elapsed, caller=known.id, how=known.how, person=known.person)
        self._call.apply(told)
        if self.moving is not None:
            await asyncio.shield(self.moving)

    async def settled(self) -> None:
        """Wait until the records have followed whoever is on the line."""
        while self.moving is not None and not self.moving.done():
            await asyncio.wait({self.moving})

    def take(self, caller: Caller) -> None:
        """The caller is known, or known better: records and reading follow."""
        call = self._call
        head = call.kept.meta
        before, call.caller = call.caller, caller
        if caller.id == before.id and caller.person == before.person:
            self._surer(before)
            return
        call.reader.arrive(None, caller)
        if before.strength is Strength.VERIFIED:
            self._part(before, head)
            return
        self.moving = call.memory.tasks.spawn(call.memory.keeper.rekey(call, self.moving), "identify")

    def _surer(self, before: Caller) -> None:
        """The same person, known better or worse."""
        call = self._call
        call.reader.identify(call.caller)
        if call.caller.how == before.how:
            return
        if call.reader.known is not None:
            call.arrival.learn()  # who is known better is known more of
        if call.caller.known:
            call.memory.tasks.spawn(call.memory.keeper.note_identity(call), "note identity")

    def _part(self, before: Caller, head: CallMeta) -> None:
        """Who proved to be somebody else now leaves what was said before to who said it."""
        call = self._call
        left = Parting(before, head, call.journal, call.elapsed)
        self.parted += 1
        run = f"{left.journal.run}{self.parted}-"
        call.kept.begin_anew(run)
        call.journal = Journal(call.id, run, call.memory.tasks, call.memory.clock, call.secrets)
        call.findings.begin_anew(call.journal)
        for turn in call.course.ledger.turns:
            call.writer.forget(turn.key)
        call.arrival.learn()
        call.course.part(run)
        self.moving = call.memory.tasks.spawn(call.memory.keeper.part(call, self.moving, left), "part")
