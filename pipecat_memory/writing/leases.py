"""The jobs that this process holds in the store: claimed, kept while it lives, given back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import Erased, StoreError
from ..stores.base import Job
from ..stores.caller_file import CallerFile

if TYPE_CHECKING:
    from ..memory import Memory

Lost = Callable[[str, CallerFile], Awaitable[None]]


class Leases:
    """Leases of the jobs that finish calls.

    Every live call has a job in the store under a lease that is renewed while the process lives. When
    the process dies the lease runs out, and another worker finishes the call from its journal.

    Args:
        memory: whose clock, settings and store are used.
        lost: told of a call whose job another worker holds: it takes us for dead, or we have come after
            a process whose lease still runs.
    """

    def __init__(self, memory: Memory, lost: Lost) -> None:
        self.worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._memory = memory
        self._lost = lost
        self._held: dict[tuple[str, str], CallerFile] = {}
        """(owner, call) of the jobs that are ours to hold, and whose they are."""
        self._beat: asyncio.Task[None] | None = None

    async def next(self, kinds: Sequence[str]) -> Job | None:
        """Take whatever job of these kinds is free longest."""
        with self._memory.archive.gauge.one():
            return await self._memory.archive.vault.claim(
                self.worker, self._memory.settings.lease, kinds=kinds
            )

    async def claim(self, call: str, file: CallerFile) -> bool:
        """Take (or keep) the job that finishes a call; its lease is renewed until it is let go."""
        taken = await self._take(call, file)
        if taken:
            self.hold(call, file)
        return taken

    def hold(self, call: str, file: CallerFile) -> None:
        """Try from now on, again and again, to have the job of a call."""
        self._held[file.owner, call] = file
        if self._beat is None or self._beat.done():
            self._beat = asyncio.get_running_loop().create_task(self._renew(), name="pipecat-memory leases")

    async def finish(self, call: str, file: CallerFile) -> None:
        """The job is done; nobody need look at the call again."""
        self.let_go(call, file.owner)
        with self._memory.archive.gauge.one():
            await self._memory.archive.vault.finish(self.worker, file.job(call))

    def let_go(self, call: str, owner: str) -> None:
        """The lease runs out, and others may take the job."""
        self._held.pop((owner, call), None)

    async def give_back(self) -> None:
        """What is left undone need not wait until our leases run out: the next worker may take it at once."""
        held, self._held = self._held, {}

        async def give(call: str, file: CallerFile) -> None:
            with contextlib.suppress(StoreError):  # else it does run out
                await self._take(call, file, lease=0.0)

        await asyncio.gather(*(give(call, file) for (_, call), file in held.items()))

    async def stop(self) -> None:
        """Renew no more."""
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)

    async def _take(self, call: str, file: CallerFile, lease: float | None = None) -> bool:
        seconds = self._memory.settings.lease if lease is None else lease
        with self._memory.archive.gauge.one():
            vault = self._memory.archive.vault
            return await vault.claim(self.worker, seconds, job=file.job(call)) is not None

    async def _renew(self) -> None:
        while self._held:
            await self._memory.clock.sleep(self._memory.settings.lease / 3)
            for (owner, call), file in list(self._held.items()):
                try:
                    # What is let go meanwhile is not held again.
                    if not await self._take(call, file) and (owner, call) in self._held:
                        await self._lost(call, file)
                except Erased:
                    self.let_go(call, owner)
                except StoreError:
                    self._memory.counters["store_retries"] += 1
