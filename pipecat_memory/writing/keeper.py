"""The care of calls in the store: opened, read, moved, kept alive, finished - by whoever can."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..reading.preload import Known
from ..records.caller import Scope
from ..records.summary import Summary
from ..stores.caller_file import SETTLE, CallerFile
from ..tasks import within
from .closing import Closing

if TYPE_CHECKING:
    from ..call import CallMemory
    from ..memory import Memory

logger = logging.getLogger(__name__)

_RETRY = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between tries while the store is away; the last one is repeated."""
_BEHIND_PRELOAD = 0.05
"""Seconds that a call's journal waits in memory, at most, for the preload to be done with the store.
That takes a tenth of it; a stalled store or a slow `resolve` may take for ever."""


class Keeper:
    """Keeps the calls of one `Memory`.

    Every live call holds a job in the store under a lease that is renewed while the process lives.
    When the process dies the lease runs out, and another worker finishes the call from its journal.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.live: dict[str, CallMemory] = {}
        self._worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._beat: asyncio.Task[None] | None = None

    async def settle_all(self) -> dict[str, int]:
        """Finish whatever calls a worker may take; see `Memory.reprocess`."""
        done = {"settled": 0, "held": 0, "parked": 0}
        vault, lease = self._memory.archive.vault, self._memory.settings.lease
        while (job := await vault.claim(self._worker, lease, kinds=[SETTLE])) is not None:
            await self._settle(await self._memory.archive.file_of(job.owner), job.call, done)
        return done

    async def settle_these(self, files: Sequence[CallerFile]) -> dict[str, int]:
        """Finish the unfinished calls of these callers, but for those that another worker holds."""
        done = {"settled": 0, "held": 0, "parked": 0}
        for file in files:
            for meta in (await file.load()).calls.values():
                if meta.settled:
                    continue
                if await self.claim_job(meta.call, file):
                    await self._settle(file, meta.call, done)
                else:
                    done["held"] += 1
        return done

    async def stop(self) -> None:
        """Renew no more leases."""
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)

    def begin(self, call: CallMemory) -> None:
        """A live call started: open its file in the background."""
        self.live[call.id] = call
        if call.caller.known and call.course.started.remember:
            call.opening = self._memory.tasks.spawn(self._open(call), "open call")

    async def preload(self, call: CallMemory) -> None:
        """Load what is known of a call's caller, and hand it to the call."""
        if not call.caller.known or not call.course.started.remember:
            call.arrive(Known())
            return
        if await self._look_up(call):
            return
        try:
            file = await self._memory.archive.file(self._scope(call), create=False)
            known = Known() if file is None else await self._memory.archive.known(file, call)
        except StoreError as error:
            self._memory.counters["preload_failed"] += 1
            logger.error("preload of call %s: %s; the call goes on without memory", call.id, error)
            return
        if not known.profile.facts and not known.unsettled:
            self._memory.counters["preload_empty"] += 1
        call.arrive(known)
        if file is not None:
            call.index_from(self._memory.tasks.spawn(self._memory.archive.index(known, file), "index"))

    async def rekey(self, call: CallMemory, before: asyncio.Task[None] | None) -> None:
        """A late or new identity: the call's records move to that caller, and the preload is redone."""
        if before is not None:
            await asyncio.wait({before})
        old = call.journal.file
        if not call.caller.known:
            call.journal.attach(None)
            call.arrive(Known())
            return
        await call.journal.flushed()
        new = await self._memory.archive.file(self._scope(call))
        if new is not None and old is not None and old.owner != new.owner:
            await old.hand_over(call.id, new)
        await self._attach(call)
        await self.preload(call)

    def rewrite(self, call: CallMemory) -> None:
        """Write a call's journal anew, without what was struck out of it."""
        self._memory.tasks.spawn(self._rewrite(call), "rewrite journal")

    async def settle(self, call: CallMemory) -> Summary | None:
        """Finish a call from its journal as a worker would; None where there is nothing to finish."""
        file = call.journal.file
        if file is None or not await self.claim_job(call.id, file):
            return None
        revived = await self._memory.archive.revive(file, call.id)
        if revived is None:
            return None
        revived.catch_up()
        return await Closing(revived).finish()

    async def claim_job(self, call: str, file: CallerFile) -> bool:
        """Take (or keep) the job that finishes a call."""
        with self._memory.archive.gauge.one():
            job = await self._memory.archive.vault.claim(
                self._worker, self._memory.settings.lease, job=file.job(call)
            )
        return job is not None

    async def finish_job(self, call: str, file: CallerFile) -> None:
        """The call is settled; nobody need look at it again."""
        self.live.pop(call, None)
        with self._memory.archive.gauge.one():
            await self._memory.archive.vault.finish(self._worker, file.job(call))

    # Inside.

    async def _settle(self, file: CallerFile | None, call: str, done: dict[str, int]) -> None:
        revived = await self._memory.archive.revive(file, call) if file is not None else None
        if revived is None or file is None:
            if file is not None:
                await self.finish_job(call, file)
            return
        revived.catch_up()
        await Closing(revived).finish()
        done["settled"] += 1
        done["parked"] += revived.writer.counters.get("turns_parked", 0)

    async def _open(self, call: CallMemory) -> None:
        """Open a call's file, behind its preload where one has begun: that one is waited for."""
        await asyncio.sleep(0)
        if call.loading is not None:
            await within(self._memory.clock, _BEHIND_PRELOAD, asyncio.wait({call.loading}))
        await self._attach(call)

    async def _attach(self, call: CallMemory) -> None:
        """Open the call's file, trying again while the store is away; the journal waits meanwhile."""
        for pause in (*_RETRY, *[_RETRY[-1]] * 100):
            try:
                file = await self._memory.archive.file(self._scope(call))
                if file is None:
                    return
                await file.open_call(call.meta)
                await self.claim_job(call.id, file)
                call.journal.attach(file)
                if call.caller.person:
                    await self._note_person(call)
                self._keep_leases()
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
        number = await self._memory.archive.file(replace(self._scope(call), person=""))
        if number is not None and call.caller.person:
            await number.note_person(call.caller.person)

    async def _look_up(self, call: CallMemory) -> bool:
        """Ask the app who has this number; late, the call goes on without. True = somebody else."""
        number = call.caller.id
        if self._memory.resolve is None or number is None or call.caller.how == "verified":
            return False
        answer = self._memory.resolve(number)
        if isinstance(answer, Awaitable):
            there, answer = await within(self._memory.clock, self._memory.settings.store_timeout, answer)
            if not there:
                self._memory.counters["resolve_failed"] += 1
                return False
        if answer is None or answer == call.caller:
            return False
        moved = (answer.id, answer.person) != (call.caller.id, call.caller.person)
        call.take_identity(answer)
        return moved

    async def _rewrite(self, call: CallMemory) -> None:
        file = call.journal.file
        if file is not None:
            await call.journal.flushed()
            await file.drop(call.id)
            await file.open_call(call.meta)
            await self.claim_job(call.id, file)
            await file.append(call.id, call.journal.records)

    def _keep_leases(self) -> None:
        if self._beat is None or self._beat.done():
            self._beat = asyncio.get_running_loop().create_task(self._renew(), name="pipecat-memory leases")

    async def _renew(self) -> None:
        while self.live:
            await self._memory.clock.sleep(self._memory.settings.lease / 3)
            for call in list(self.live.values()):
                if call.journal.file is not None:
                    try:
                        await self.claim_job(call.id, call.journal.file)
                    except StoreError:
                        self._memory.counters["store_retries"] += 1

    def _scope(self, call: CallMemory) -> Scope:
        return Scope(call.tenant, call.caller.id or "", call.caller.person or "")
