"""What is known of the caller, on its way into the call: the preload, and what is read on behind it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..reading.index import Index
from ..reading.preload import Known
from ..reading.reader import Older
from ..tasks import within

if TYPE_CHECKING:
    from ..call import CallMemory


class Arrival:
    """Of one call. Whoever else comes on the line is read for anew."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self.loading: asyncio.Task[None] | None = None
        """The preload, once it was asked for."""
        self.indexing: asyncio.Task[tuple[Known, Index, Older] | None] | None = None
        """Reads on behind the preload and builds the index; recall finds nothing before it is done."""

    async def wait(self, seconds: float) -> bool:
        """See `CallMemory.preload`."""
        call = self._call
        if self.loading is None:
            self.loading = call.memory.tasks.spawn(call.memory.keeper.preload(call), "preload")
        there, _ = await within(call.memory.clock, seconds, self._there(self.loading))
        if not there:
            call.count("preload_late")
        return there and call.reader.known is not None

    def arrive(self, known: Known) -> None:
        """The preload is there: what is known takes part from now on."""
        call = self._call
        call.reader.arrive(known, call.caller)
        self.learn()
        seen = call.reader.seen
        call.telling.news("preloaded", facts=seen.count, open_items=len(seen.open_items))

    def learn(self) -> None:
        """What may be seen of the caller takes part in the notes."""
        seen = self._call.reader.seen
        resumed = seen.dropped.slots if seen.dropped else {}
        told = {f.key: f.value for f in seen.facts if f.subject == "caller"}
        self._call.course.learn(told, resumed, seen.open_items)

    def read_on(self, reading: asyncio.Task[tuple[Known, Index, Older] | None]) -> None:
        """All that is known and the index, once they are there, unless somebody else is on the line then."""
        call, known = self._call, self._call.reader.known
        self.indexing = reading

        def read(task: asyncio.Task[tuple[Known, Index, Older] | None]) -> None:
            if task.cancelled() or task.exception() is not None or (rest := task.result()) is None:
                return
            if call.reader.known is known:
                call.reader.take_rest(*rest, call.caller)

        reading.add_done_callback(read)

    async def _there(self, preload: asyncio.Task[None]) -> None:
        await asyncio.wait({preload})
        await self._call.identity.settled()
