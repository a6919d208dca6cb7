"""Who is on the line: known late, known better, or somebody else than before."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from .errors import UsedWrongly
from .events import CallerIdentified, Event, MemoryPaused, TurnEnded, UserFinal
from .fitting import fitted
from .ledger.effects import Rejected
from .records.caller import Caller, How, Strength
from .stores.contents import CallMeta
from .stores.digit_runs import has_digits
from .writing.journal import Journal
from .writing.masked import masked
from .writing.parting import Parting

if TYPE_CHECKING:
    from .call import CallMemory


class Identity:
    """Of one call. Its records and what is read follow whoever is on the line."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self.parted = 0
        """How often somebody left the line, and what had been said with them."""
        self._left: set[tuple[str | None, str | None]] = set()
        """Who left it: should they come again, what they said before must not go along with the rest."""
        self._theirs: Journal | None = None
        """The journal of who left the line last."""
        self.moving: asyncio.Task[None] | None = None
        """Brings the records to whoever is on the line now."""

    def keeps_apart(self, event: Event) -> bool:
        """A final that began before the line changed hands is of who left it: theirs, and nobody else's."""
        call, since = self._call, self._call.course.parted
        if since is None or not isinstance(event, UserFinal):
            return False
        if event.started is None or event.started >= since:
            return False
        call.count("said_by_who_left")
        # Out of its place a code, or a card's end, looks like any digits: those are kept nowhere.
        bare = call.course.secret or has_digits(event.text)
        if self._theirs is not None and not bare and not call.course.ledger.paused:
            self._theirs.event(masked(fitted(replace(event, nbest=()))[0], call.secrets)[0])
        return True

    async def say(self, caller: Caller | str | None, how: How | None) -> None:
        """See `CallMemory.identify`."""
        if self._call.course.ended is not None:
            raise UsedWrongly(
                "call.identify: the call has ended, and what was said stays with who was on the line; "
                "identify the caller before call.close(...)"
            )
        known = caller if isinstance(caller, Caller) else Caller.phone(caller)
        known = known if how is None else known.proven(how)
        told = CallerIdentified(t=self._call.elapsed, caller=known.id, how=known.how, person=known.person)
        self._call.apply(told)
        if self.moving is not None:
            await asyncio.shield(self.moving)

    def told(self, event: CallerIdentified) -> tuple[Rejected, ...]:
        """A call was told who calls; returns why that was not taken, where it was not."""
        if self._call.course.ended is not None:
            return (self._call.course.ledger.reject("call_over", "caller_identified"),)
        self.take(Caller.phone(event.caller, how=event.how, person=event.person))
        return ()

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
        proved = before.strength is Strength.VERIFIED or (before.id, before.person) in self._left
        if proved or not caller.known:
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
        """Somebody proved to be another, or nobody is known now: what was said stays with who said it."""
        call = self._call
        if call.course.ledger.open_turn is not None:
            call.apply(TurnEnded(t=call.elapsed))  # what was begun is theirs too, whatever comes
        left = Parting(before, head, call.journal, call.elapsed)
        self._theirs = call.journal
        self.parted += 1
        self._left.add((before.id, before.person))
        run = f"{left.journal.run}{self.parted}-"
        call.kept.begin_anew(run)
        call.journal = Journal(call.id, run, call.memory.tasks, call.memory.clock, call.secrets)
        if call.course.ledger.paused:
            call.journal.event(MemoryPaused(t=call.elapsed))
        call.findings.begin_anew(call.journal)
        for turn in call.course.ledger.turns:
            call.writer.forget(turn.key)
        call.arrival.learn()
        call.course.part(run, call.elapsed)
        self.moving = call.memory.tasks.spawn(call.memory.keeper.part(call, self.moving, left), "part")
