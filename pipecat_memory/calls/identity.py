"""Who is on the line: known late, known better, or somebody else than before."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UsedWrongly
from ..events import CallEnded, CallerIdentified, MemoryPaused, TurnEnded
from ..ledger.effects import Rejected
from ..records.caller import Caller, How, Strength
from ..stores.contents import CallMeta
from ..tasks import outlived
from ..writing.parting import Parting
from ..writing.runs import run_after

if TYPE_CHECKING:
    from ..call import CallMemory


class Identity:
    """Of one call. Its records and what is read follow whoever is on the line."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self.left: list[Parting] = []
        """What those leave who were on the line before, oldest first."""
        self.moving: asyncio.Task[None] | None = None
        """Brings the records to whoever is on the line now."""

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
            await outlived(self.moving)

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
        call.reader.documents(())
        call.reader.prefetch.cancel()
        if self._keeps_theirs(before) or not caller.known:
            self._part(before, head)
            return
        call.arrival.learn()  # what was known of who was there is not known of this one
        self.moving = call.memory.tasks.spawn(
            call.memory.keeper.hands.rekey(call, call.stay, self.moving), "identify"
        )

    def _surer(self, before: Caller) -> None:
        """The same person, known better or worse."""
        call = self._call
        call.kept.proved |= Strength.VERIFIED in (before.strength, call.caller.strength)
        call.reader.identify(call.caller)
        if call.caller.how == before.how:
            return
        if call.reader.known is not None:
            call.arrival.learn()  # who is known better is known more of
        if call.caller.known:
            call.memory.tasks.spawn(call.memory.keeper.note_identity(call), "note identity")

    def _keeps_theirs(self, before: Caller) -> bool:
        """Whether what was said so far stays with who said it: they proved who they are, or came again.

        What was said by who has been forgotten since goes to nobody either.
        """
        if self._call.journal.erased:
            return True
        again = any((one.caller.id, one.caller.person) == (before.id, before.person) for one in self.left)
        return before.strength is Strength.VERIFIED or self._call.kept.proved or again

    def _part(self, before: Caller, head: CallMeta) -> None:
        """Somebody proved to be another, or nobody is known now: what was said stays with who said it."""
        call, stay, t = self._call, self._call.stay, self._call.elapsed
        ledger = stay.course.ledger
        keyed, speaking = ledger.caller.keyed, ledger.caller.voices.now.goes_on
        if ledger.open_turn is not None:
            call.apply(TurnEnded(t=t))  # what was begun is theirs too, whatever comes
        paused, guests = ledger.paused, [one for one in ledger.parties if one.role != "caller"]
        stay.take(CallEnded(t=t, reason="transferred"))
        left = Parting(before, head, stay)
        self.left.append(left)
        run = run_after(stay.journal.run, len(self.left))
        call.kept.begin_anew(run)
        call.whose.hand_over(call.following.begin_anew(run, t), speaking=speaking, keyed=keyed)
        if paused:
            call.apply(MemoryPaused(t=t))
        for guest in guests:
            call.apply(replace(guest, t=t))
        call.arrival.learn()
        self.moving = call.memory.tasks.spawn(call.memory.keeper.hands.part(call, self.moving, left), "part")
