"""A clock that stands still until it is told to move."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_START = datetime(2026, 1, 1, tzinfo=UTC)
_ROUNDS = 60
"""Loop rounds in a row, with no command out, after which work that waits for nothing has come to rest."""


class ManualClock:
    """A `Clock` held by a test or by `replay`.

    Args:
        start: the moment it shows first, aware.
        pending: how many commands are out in threads or sockets; the clock does not move before
            they are back.

    Example::

        clock = ManualClock()
        await clock.advance(2.5)
    """

    def __init__(self, start: datetime = _START, *, pending: Callable[[], int] | None = None) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._ids = itertools.count()
        self.pending = pending

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    @property
    def sleeping(self) -> int:
        """How many waits are open."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._ids), future))
        await future

    def start_at(self, moment: datetime) -> None:
        """Show `moment` now; waits keep their remaining seconds."""
        self._start = moment - timedelta(seconds=self._elapsed)

    async def advance(self, seconds: float) -> None:
        """Move on by that many seconds, waking sleepers one after another in order."""
        target = self._elapsed + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, future = heapq.heappop(self._sleepers)
            if future.done():
                continue
            self._elapsed = max(self._elapsed, due)
            future.set_result(None)
            await self.settle()
        self._elapsed = max(self._elapsed, target)

    async def next(self) -> None:
        """Move on to the next sleeper; without one only let things run."""
        due = [due for due, _, future in self._sleepers if not future.done()]
        await self.advance(max(0.0, min(due) - self._elapsed) if due else 0.0)
        if not due:
            await asyncio.sleep(0.001)

    async def run_out(self, limit: float = 3600.0) -> None:
        """Move on until nobody sleeps any more, at most `limit` seconds."""
        end = self._elapsed + limit
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            await self.advance(max(0.0, self._sleepers[0][0] - self._elapsed))

    async def settle(self) -> None:
        """Let everything run that can run without this clock."""
        quiet = 0
        while quiet < _ROUNDS:
            # A command that is back lets the next one out only some rounds later: every round must be quiet.
            out = self.pending is not None and self.pending() > 0
            quiet = 0 if out else quiet + 1
            await asyncio.sleep(0.0005 if out else 0)
