"""The care of the calls that go on in this process: their files opened, read, moved, and written anew."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..reading.look_up import look_up
from ..reading.preload import Known
from ..records.summary import Summary
from ..stores.caller_file import CallerFile
from ..stores.contents import Loaded
from ..tasks import stand_back, within
from .archive import Rest
from .changing_hands import ChangingHands
from .closing import Closing
from .leases import Leases
from .left_calls import LeftCalls
from .live_calls import LiveCalls, owner_of, scope_of

if TYPE_CHECKING:
    from ..call import CallMemory
    from ..memory import Memory

logger = logging.getLogger(__name__)

_RETRY = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between tries while the store is away; the last one is repeated."""
_WHILE_AWAY = (*_RETRY, *[_RETRY[-1]] * 100)
"""Some eight minutes: a call is seldom longer, and whoever finishes it later reads anew."""
_BEHIND_PRELOAD = 0.05
"""Seconds that a call's journal waits in memory, at most, for the preload to be done with the store.
That takes a tenth of it; a stalled store or a slow `resolve` may take for ever."""


async def _durable(calls: Iterable[CallMemory]) -> None:
    """Wait until all that was said in these calls so far is kept."""
    for call in calls:
        await call.kept.durable()


class Keeper:
    """Keeps the calls of one `Memory` that go on in this process.

    Attributes:
        live: they.
        leases: what says in the store that they go on here.
        left: those that go on nowhere and are not finished.
        hands: whose records follow who is on the line.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.live = LiveCalls()
        self.leases = Leases(memory, self._lost)
        self.left = LeftCalls(memory, self)
        self.hands = ChangingHands(memory, self)

    async def close(self, deadline: float) -> int:
        """Nothing is kept any more: what there is gets `deadline` seconds to become durable.

        Returns:
            Background tasks that were left undone.
        """
        memory = self._memory
        memory.audit_trail.kick()
        for call in self.live:
            memory.tasks.spawn(call.kept.durable(), "write out")
        left = await memory.tasks.drain(memory.clock, deadline)
        for call in self.live:  # at once: what is said while the rest is closed is not written half
            if call.course.ended is None:
                logger.warning("call %s goes on without memory: it was closed under it", call.id)
            call.kept.write_no_more()
        for call in self.live:
            await call.writer.drain(0.0)
        await self.stop()
        await self.leases.give_back()
        return left

    async def stop(self) -> None:
        """Renew no more leases."""
        await self.leases.stop()

    def begin(self, call: CallMemory) -> None:
        """A live call started: open its file in the background."""
        self.live.begin(call)
        if call.caller.known and call.course.started.remember:
            call.kept.opening = self._memory.tasks.spawn(self._open(call), "open call")

    async def preload(self, call: CallMemory) -> None:
        """Load what is known of a call's caller, and hand it to the call."""
        if not call.caller.known or not call.course.started.remember:
            call.arrival.arrive(Known())
            return
        if await self._look_up(call):
            return
        await self._written(call)
        try:
            await self._read(call)
        except StoreError as error:
            self._memory.counters["preload_failed"] += 1
            logger.error("preload of call %s: %s; the call goes on without memory", call.id, error)
            self._memory.tasks.spawn(self._read_late(call), "preload again")

    def corrected(self, call: CallMemory, by: str) -> None:
        """A person mended the notes of a call."""
        if call.caller.known and call.course.started.remember:
            self._memory.audit_trail.note("corrected", call.tenant, scope_of(call), by)

    async def note_identity(self, call: CallMemory) -> None:
        """The same caller is known better or worse by now: whoever finishes the call must know."""
        await call.kept.durable()
        if (file := call.journal.file) is not None and call.course.ended is None:
            await file.open_call(call.kept.meta)

    async def settle(self, call: CallMemory) -> Summary | None:
        """Finish a call from its journal as a worker would; None where there is nothing to finish."""
        file = call.journal.file
        if file is None or not await self.leases.claim(call.id, file):
            return None
        revived = await self._memory.archive.revive(file, call.id)
        if revived is None:
            return None
        return await Closing(revived).finish_late()

    async def finish(self, call: CallMemory, file: CallerFile) -> None:
        """The call is settled; nobody need look at it again."""
        if not self.live.goes_on(call):
            await self.leases.finish(call.id, file)

    def let_go(self, call: CallMemory) -> None:
        """We are done with a call, for now at least: its lease runs out, and others may take its job."""
        if not self.live.goes_on(call):
            self.leases.let_go(call.id, owner_of(call))
        self.live.leave(call)

    # Inside.

    async def _written(self, call: CallMemory) -> None:
        """Wait, as long as for the store, until what the caller says in other calls here can be read."""
        scope = scope_of(call)
        others = [o for o in self.live if o is not call and scope_of(o) == scope and not o.kept.is_durable]
        if others:
            written = self._memory.tasks.spawn(_durable(others), "other calls written")
            await within(self._memory.clock, self._memory.settings.store_timeout, written)

    async def _read(self, call: CallMemory) -> None:
        """What is known of the caller, into the call: unless that is somebody else by then, or erased."""
        archive, whose, before = self._memory.archive, scope_of(call), call.reader.known
        file = await archive.file(whose, create=False)
        known, loaded = (Known(), None) if file is None else await archive.known(file, call)
        if scope_of(call) != whose or call.reader.known is not before:
            return
        if not known.profile.facts and not known.unsettled:
            self._memory.counters["preload_empty"] += 1
        call.arrival.arrive(known)
        if file is not None and loaded is not None:
            self._memory.audit_trail.note("read", call.tenant, whose, self.leases.worker)
            self.left.take_over(file, loaded)
            call.arrival.read_on(self._memory.tasks.spawn(self._rest(call, known, loaded, file), "index"))

    async def _read_late(self, call: CallMemory) -> None:
        """As `_read`, once the store is back."""
        whose, before = scope_of(call), call.reader.known
        for pause in _WHILE_AWAY:
            await self._memory.clock.sleep(pause)
            if call.course.ended or scope_of(call) != whose or call.reader.known is not before:
                return
            try:
                await self._read(call)
            except StoreError:
                self._memory.counters["store_retries"] += 1
                continue
            return

    async def _rest(self, call: CallMemory, known: Known, loaded: Loaded, file: CallerFile) -> Rest | None:
        """What is read behind the preload, trying again while the store is away; None where it stays so.

        Without it recall would find nothing for as long as the call lasts.
        """
        for pause in _WHILE_AWAY:
            try:
                return await self._memory.archive.rest(known, loaded, file)
            except StoreError as error:
                if pause == _RETRY[0]:
                    logger.error("call %s: %s; recall waits for what was kept", call.id, error)
                self._memory.counters["store_retries"] += 1
            await self._memory.clock.sleep(pause)
            if call.course.ended or call.reader.known is not known:
                return None
        self._memory.counters["index_failed"] += 1
        return None

    async def _lost(self, call: str, file: CallerFile) -> None:
        """Who took the job may have finished the call without what is still being said in it here."""
        live = self.live.on(call, file)
        if live is not None:  # else it has moved, or is moving
            await file.open_call(live.kept.meta)

    async def _open(self, call: CallMemory) -> None:
        """Open a call's file, behind its preload where one has begun: that one is waited for."""
        await asyncio.sleep(0)
        if call.arrival.loading is not None:
            await within(self._memory.clock, _BEHIND_PRELOAD, asyncio.wait({call.arrival.loading}))
            await stand_back()
        await self.attach(call)

    async def attach(self, call: CallMemory, old: CallerFile | None = None) -> None:
        """Open the call's file, trying again while the store is away; the journal waits meanwhile.

        Args:
            call: which.
            old: the file of another caller that holds the call's records so far; they move.
        """
        journal = call.journal  # who is on the line may change meanwhile
        for pause in _WHILE_AWAY:
            scope, meta = scope_of(call), call.kept.meta  # of who is on the line now
            try:
                file = await self._memory.archive.file(scope)
                if file is None:
                    return
                if old is not None and old.owner != file.owner:
                    await old.hand_over(call.id, file)
                head = await file.open_call(meta)
                call.kept.begun_elsewhere = len(head.runs) > 1
                call.kept.proved = head.proved
                if not await self.leases.claim(call.id, file):
                    self.leases.hold(call.id, file)
                journal.attach(file)
                if call.caller.person:
                    await self._note_person(call)
            except Erased:
                return
            except StoreError as error:
                if pause == _RETRY[0]:
                    logger.error("call %s: %s; its journal waits in memory", call.id, error)
                self._memory.counters["store_retries"] += 1
                await self._memory.clock.sleep(pause)
                continue
            return

    async def _note_person(self, call: CallMemory) -> None:
        number = await self._memory.archive.file(replace(scope_of(call), person=""))
        if number is not None and call.caller.person:
            await number.note_person(call.caller.person)

    async def _look_up(self, call: CallMemory) -> bool:
        """Ask the app who has this number; late, the call goes on without. True = somebody else."""
        number = call.caller.id
        if self._memory.resolve is None or number is None or call.caller.how == "verified":
            return False
        asked = look_up(self._memory.resolve, number)
        _, found = await within(self._memory.clock, self._memory.settings.store_timeout, asked)
        usable, answer = found or (False, None)
        if not usable:
            self._memory.counters["resolve_failed"] += 1
        if answer is None or answer == call.caller or call.course.ended is not None:
            return False
        moved = (answer.id, answer.person) != (call.caller.id, call.caller.person)
        call.identity.take(answer)
        return moved
