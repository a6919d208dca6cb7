"""Where a call's records are kept: their head, and whether all of them are there yet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..records.caller import Strength
from ..stores.contents import CallMeta
from ..writing.process import this_process

if TYPE_CHECKING:
    from ..call import CallMemory


class Kept:
    """The records of one call, in whosever file they are.

    Args:
        call: which.
        run: stands before the ids of what this process writes; "" where it holds no call.
    """

    def __init__(self, call: CallMemory, run: str | None) -> None:
        self._call = call
        self.runs: dict[str, str] = {}
        """When each process that is told of here began to hold the call."""
        self.begun_elsewhere = False
        """Another process (or an earlier `CallMemory`) held this call before; its journal holds that part."""
        self.proved = False
        """Who is on the line has proved who they are in this call, here or in a process before."""
        self.opening: asyncio.Task[None] | None = None
        """Opens the call's file; until then the journal waits in memory."""
        if run is not None:
            self.begin_anew(run)

    def begin_anew(self, run: str) -> None:
        """What was written so far is somebody else's; the next run counts from the call's start, too."""
        self.proved = False
        self.runs = {run: self._call.course.started.at.isoformat()}

    @property
    def meta(self) -> CallMeta:
        """The head of this call's records."""
        call = self._call
        started = call.course.started
        return CallMeta(
            call=call.id,
            at=started.at.isoformat(),
            timezone=started.timezone,
            direction=started.direction,
            how=call.caller.how,
            line=call.settings.line_of_business,
            schema=call.course.schema.report(),
            runs=self.runs,
            process=this_process() if call.live else "",
            proved=call.caller.strength is Strength.VERIFIED,
        )

    @property
    def is_durable(self) -> bool:
        """Whether all that was applied so far is in the journal, or is to be kept nowhere."""
        under_way = any(task is not None and not task.done() for task in self._ways)
        journal = self._call.journal
        return not under_way and (journal.file is None or not journal.waiting)

    def write_no_more(self) -> None:
        """The store is closed under the call."""
        for journal in (self._call.journal, *(left.stay.journal for left in self._call.identity.left)):
            journal.attach(None)

    async def durable(self) -> None:
        """Wait until all that was applied so far is in the journal, wherever it is to be kept."""
        for task in self._ways:
            if task is not None:
                await asyncio.wait({task})
        await self._call.journal.flushed()
        for left in self._call.identity.left:
            await left.stay.journal.flushed()

    @property
    def _ways(self) -> tuple[asyncio.Task[None] | None, ...]:
        return self.opening, self._call.identity.moving
