"""The line changes hands: the records of a call follow whoever is on it, or stay with who left it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Generator
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..reading.preload import Known
from ..stores.caller_file import CallerFile
from .parting import Parting

if TYPE_CHECKING:
    from ..call import CallMemory
    from ..calls.stay import Stay
    from ..memory import Memory
    from .keeper import Keeper

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def _reported(call: str) -> Generator[None]:
    """What goes wrong with the part of a call that somebody else said before is told, and goes no further."""
    try:
        yield
    except Erased:
        logger.info("call %s: who was on the line was forgotten; nothing was kept", call)
    except StoreError as error:
        logger.error("call %s: %s; its first part will be settled later", call, error)


class ChangingHands:
    """Of the calls of one `Memory`."""

    def __init__(self, memory: Memory, keeper: Keeper) -> None:
        self._memory = memory
        self._keeper = keeper

    async def rekey(self, call: CallMemory, stay: Stay, before: asyncio.Task[None] | None) -> None:
        """A late or new identity: a stay's records move to that caller, and the preload is redone."""
        for task in (before, call.kept.opening):
            if task is not None:
                await asyncio.wait({task})
        journal = stay.journal
        await journal.flushed()
        old = journal.file
        # What is said from here on waits until the call has moved.
        journal.attach(None)
        if old is not None:
            self._keeper.leases.let_go(call.id, old.owner)
        if stay is not call.stay:  # somebody else came meanwhile, and this one leaves it
            self._left(call, stay).moving = old
            return
        if call.kept.proved:
            old = None  # a process before this one held the call with somebody who proved who they are
        if call.started.remember:
            await self._keeper.attach(call, old)
        await self._keeper.preload(call)

    async def part(self, call: CallMemory, before: asyncio.Task[None] | None, left: Parting) -> None:
        """Somebody else is on the line: what was said so far stays with who said it, settled behind."""
        for task in (before, call.kept.opening):
            if task is not None:
                await asyncio.wait({task})
        if call.started.remember:
            with _reported(call.id):
                await left.write(self._memory.archive, call.tenant)
        if left.file is not None:
            self._keeper.leases.let_go(call.id, left.file.owner)
            # A model may take its time over it: whoever speaks now does not wait for that.
            work = self._settle_part(call.id, left.file)
            left.settling = self._memory.tasks.spawn(work, "settle first part")
        if not call.caller.known:
            call.arrival.arrive(Known())
            return
        if call.started.remember:
            await self._keeper.attach(call)
        await self._keeper.preload(call)

    def came_late(self, call: CallMemory, stay: Stay) -> None:
        """Something of who left the line was told since: their part is settled again when the call ends."""
        left = self._left(call, stay)
        if not left.late and call.started.remember:
            left.late = True
            self._memory.tasks.spawn(self._reopen(call, left), "reopen first part")

    async def settle_late(self, call: CallMemory) -> None:
        """The call ends: settle what was told late of those who had left the line."""
        await call.identity.settled()
        for left in call.identity.left:
            if left.late:
                await self._reopen(call, left)
                if left.file is not None:
                    await self._settle_part(call.id, left.file)

    @staticmethod
    def _left(call: CallMemory, stay: Stay) -> Parting:
        return next(one for one in call.identity.left if one.stay is stay)

    async def _reopen(self, call: CallMemory, left: Parting) -> None:
        """Their part has a job again, whoever does it."""
        await call.identity.settled()
        if left.settling is not None:
            await asyncio.wait({left.settling})
        with _reported(call.id):
            await left.write(self._memory.archive, call.tenant)

    async def _settle_part(self, call: str, file: CallerFile) -> None:
        with _reported(call):
            await self._keeper.left.settle_these([file])
