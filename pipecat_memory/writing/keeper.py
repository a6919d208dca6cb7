"""The care of calls in the store: opened, read, moved, kept alive, finished - by whoever can."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..reading.look_up import look_up
from ..reading.preload import Known
from ..records.caller import Scope
from ..records.summary import Summary
from ..stores.caller_file import SETTLE, CallerFile, Loaded
from ..tasks import within
from .closing import Closing
from .retention import EXPIRE, KEEPER, expire, watch

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
        self._held: dict[tuple[str, str], CallerFile] = {}
        """(owner, call) of the jobs we hold, and whose they are; their leases are renewed."""
        self._beat: asyncio.Task[None] | None = None

    async def settle_all(self) -> dict[str, int]:
        """Finish whatever calls a worker may take; see `Memory.reprocess`."""
        done = {"settled": 0, "held": 0, "parked": 0}
        vault, lease = self._memory.archive.vault, self._memory.settings.lease
        seen: set[tuple[str, str]] = set()
        days = self._memory.settings.retention_days
        kinds = [SETTLE] if days is None else [SETTLE, EXPIRE]
        while (job := await vault.claim(self._worker, lease, kinds=kinds)) is not None:
            if (job.owner, job.call) in seen:
                break  # parked again, and free again: only what can't be done now is left
            seen.add((job.owner, job.call))
            file = await self._memory.archive.file_of(job.owner)
            if file is not None and days is not None and job.kind == EXPIRE:
                await expire(file, days, self._memory.clock.now())
                await self.retain(file, self._worker)
            elif file is not None:
                self._hold(file, job.call)
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
                if not self._under_way(meta.call) and await self.claim_job(meta.call, file):
                    await self._settle(file, meta.call, done)
                else:
                    done["held"] += 1
        return done

    async def retain(self, file: CallerFile, worker: str = KEEPER) -> None:
        """A call was written or removed: have the file looked at when its oldest call is too old."""
        days = self._memory.settings.retention_days
        if days is not None:
            with contextlib.suppress(Erased):
                await watch(self._memory.archive.vault, file, days, self._memory.clock.now(), worker)

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
            known, loaded = (Known(), None) if file is None else await self._memory.archive.known(file, call)
        except StoreError as error:
            self._memory.counters["preload_failed"] += 1
            logger.error("preload of call %s: %s; the call goes on without memory", call.id, error)
            return
        if not known.profile.facts and not known.unsettled:
            self._memory.counters["preload_empty"] += 1
        call.arrive(known)
        if file is not None and loaded is not None:
            self._take_over(file, loaded)
            call.index_from(self._memory.tasks.spawn(self._memory.archive.index(known, file), "index"))

    async def rekey(self, call: CallMemory, before: asyncio.Task[None] | None) -> None:
        """A late or new identity: the call's records move to that caller, and the preload is redone."""
        for task in (before, call.opening):
            if task is not None:
                await asyncio.wait({task})
        await call.journal.flushed()
        old = call.journal.file
        # What is said from here on waits until the call has moved.
        call.journal.attach(None)
        if old is not None:
            self._held.pop((old.owner, call.id), None)
        if not call.caller.known:
            call.arrive(Known())
            return
        await self._attach(call, old)
        await self.preload(call)

    async def note_identity(self, call: CallMemory) -> None:
        """The same caller is known better or worse by now: whoever finishes the call must know."""
        await call.durable()
        if (file := call.journal.file) is not None and call.course.ended is None:
            await file.open_call(call.meta)

    async def finish_moves(self, file: CallerFile) -> list[CallerFile]:
        """Finish the moves of calls to other callers that a killed process left half done.

        Returns:
            The files that calls moved to. What belongs to a caller who was erased meanwhile is dropped.
        """
        found: list[CallerFile] = []
        for call, owner in (await file.load()).moved.items():
            there = await self._memory.archive.file_of(owner)
            if there is None:
                await file.drop(call)
                continue
            await file.hand_over(call, there)
            found.append(there)
        return found

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
        """Take (or keep) the job that finishes a call; its lease is renewed until it is let go."""
        with self._memory.archive.gauge.one():
            job = await self._memory.archive.vault.claim(
                self._worker, self._memory.settings.lease, job=file.job(call)
            )
        if job is not None:
            self._hold(file, call)
        return job is not None

    async def finish_job(self, call: str, file: CallerFile) -> None:
        """The call is settled; nobody need look at it again."""
        self.let_go(call, file)
        with self._memory.archive.gauge.one():
            await self._memory.archive.vault.finish(self._worker, file.job(call))

    def let_go(self, call: str, file: CallerFile | None) -> None:
        """We are done with a call, for now at least: its lease runs out, and others may take its job."""
        owner = file.owner if file else None
        self._held.pop((owner or "", call), None)
        live = self.live.get(call)
        if live is not None and owner == (live.journal.file.owner if live.journal.file else None):
            del self.live[call]

    # Inside.

    def _under_way(self, call: str) -> bool:
        """Whether a call is going on in this process, or being finished. A crashed one is neither."""
        live = self.live.get(call)
        return live is not None and live.course.ended != "crash"

    def _hold(self, file: CallerFile, call: str) -> None:
        self._held[file.owner, call] = file
        if self._beat is None or self._beat.done():
            self._beat = asyncio.get_running_loop().create_task(self._renew(), name="pipecat-memory leases")

    def _take_over(self, file: CallerFile, loaded: Loaded) -> None:
        """Finish, in the background, the calls of this caller that a dead process left unfinished."""
        left = [m.call for m in loaded.calls.values() if not m.settled and m.call not in self.live]
        if left:
            self._memory.tasks.spawn(self._finish_left(file, left), "take over")

    async def _finish_left(self, file: CallerFile, calls: Sequence[str]) -> None:
        done = {"settled": 0, "held": 0, "parked": 0}
        try:
            for call in calls:
                if await self.claim_job(call, file):
                    await self._settle(file, call, done)
        except StoreError as error:
            logger.error("calls of an earlier process: %s; they are left to the next worker", error)

    async def _settle(self, file: CallerFile, call: str, done: dict[str, int]) -> None:
        if (await file.load()).moved:
            await self.finish_moves(file)  # a call that moved has its job where it is now
        revived = await self._memory.archive.revive(file, call)
        if revived is None:
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

    async def _attach(self, call: CallMemory, old: CallerFile | None = None) -> None:
        """Open the call's file, trying again while the store is away; the journal waits meanwhile.

        Args:
            call: which.
            old: the file of another caller that holds the call's records so far; they move.
        """
        for pause in (*_RETRY, *[_RETRY[-1]] * 100):
            try:
                file = await self._memory.archive.file(self._scope(call))
                if file is None:
                    return
                if old is not None and old.owner != file.owner:
                    await old.hand_over(call.id, file)
                await file.open_call(call.meta)
                await self.claim_job(call.id, file)
                call.journal.attach(file)
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
        number = await self._memory.archive.file(replace(self._scope(call), person=""))
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

    async def _renew(self) -> None:
        while self._held:
            await self._memory.clock.sleep(self._memory.settings.lease / 3)
            for (owner, call), file in list(self._held.items()):
                try:
                    if await self.claim_job(call, file) or (owner, call) not in self._held:
                        continue
                    # We were taken for dead. Who took the job may have finished it without the rest.
                    if (live := self.live.get(call)) is not None:
                        await file.open_call(live.meta)
                except Erased:
                    self._held.pop((owner, call), None)
                except StoreError:
                    self._memory.counters["store_retries"] += 1

    def _scope(self, call: CallMemory) -> Scope:
        return Scope(call.tenant, call.caller.id or "", call.caller.person or "")
