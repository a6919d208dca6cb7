"""Calls left unfinished, by a process that died or a model that was away: finished by whoever can."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..stores.box import EXPIRE
from ..stores.caller_file import SETTLE, CallerFile
from ..stores.contents import Loaded
from .closing import Closing
from .retention import KEEPER, expire, watch

if TYPE_CHECKING:
    from ..memory import Memory
    from .keeper import Keeper

logger = logging.getLogger(__name__)


class LeftCalls:
    """Finishes calls from their journals, under the leases of this process."""

    def __init__(self, memory: Memory, keeper: Keeper) -> None:
        self._memory = memory
        self._keeper = keeper

    async def settle_all(self) -> dict[str, int]:
        """Finish whatever calls a worker may take; see `Memory.reprocess`."""
        done = {"settled": 0, "held": 0, "parked": 0}
        leases = self._keeper.leases
        seen: set[tuple[str, str]] = set()
        days = self._memory.settings.retention_days
        kinds = [SETTLE] if days is None else [SETTLE, EXPIRE]
        while (job := await leases.next(kinds)) is not None:
            if (job.owner, job.id) in seen:
                break  # parked again, and free again: only what can't be done now is left
            seen.add((job.owner, job.id))
            file = await self._memory.archive.file_of(job.owner)
            if file is not None and days is not None and job.kind == EXPIRE:
                if await expire(file, days, self._memory.clock.now()):
                    self._memory.audit_trail.note("erased", file.box.tenant, file.owner, KEEPER)
                await self.retain(file, leases.worker)
            elif file is not None:
                leases.hold(job.call, file)
                await self._settle(file, job.call, done)
        return done

    async def settle_these(self, files: Sequence[CallerFile]) -> dict[str, int]:
        """Finish the unfinished calls of these callers, but for those that another worker holds."""
        done = {"settled": 0, "held": 0, "parked": 0}
        files = [*files, *[there for file in files for there in await self.finish_moves(file)]]
        for file in files:
            for meta in (await file.load()).calls.values():
                if meta.done:
                    continue
                under_way = self._keeper.live.under_way(meta.call, file)
                if not under_way and await self._keeper.leases.claim(meta.call, file):
                    await self._settle(file, meta.call, done)
                else:
                    done["held"] += 1
        return done

    def take_over(self, file: CallerFile, loaded: Loaded) -> None:
        """Finish, in the background, the calls of this caller that a dead process left unfinished."""
        live = self._keeper.live
        left = [m.call for m in loaded.calls.values() if not m.settled and not live.on(m.call, file)]
        if left:
            self._memory.tasks.spawn(self._finish(file, left), "take over")

    async def finish_moves(self, file: CallerFile) -> list[CallerFile]:
        """Finish the moves of calls to other callers that a killed process left half done.

        Returns:
            The files that calls moved to. What belongs to a caller who was erased meanwhile is dropped.
        """
        found: list[CallerFile] = []
        for call, owner in (await file.moved()).items():
            there = await self._memory.archive.file_of(owner)
            if there is None:
                await file.drop(call)
                continue
            await file.hand_over(call, there)
            found.append(there)
        return found

    async def retain(self, file: CallerFile, worker: str = KEEPER) -> None:
        """A call was written or removed: have the file looked at when its oldest call is too old."""
        days = self._memory.settings.retention_days
        if days is not None:
            with contextlib.suppress(Erased):
                await watch(self._memory.archive.vault, file, days, self._memory.clock.now(), worker)

    async def _finish(self, file: CallerFile, calls: Sequence[str]) -> None:
        done = {"settled": 0, "held": 0, "parked": 0}
        try:
            for call in calls:
                if await self._keeper.leases.claim(call, file):
                    await self._settle(file, call, done)
        except StoreError as error:
            logger.error("calls of an earlier process: %s; they are left to the next worker", error)

    async def _settle(self, file: CallerFile, call: str, done: dict[str, int]) -> None:
        if await file.moved():
            await self.finish_moves(file)  # a call that moved has its job where it is now
        revived = await self._memory.archive.revive(file, call)
        if revived is None:
            await self._keeper.leases.finish(call, file)
            return
        await Closing(revived).finish_late()
        done["settled"] += 1
        done["parked"] += revived.writer.left
