"""Counts what passes a front door, and does one thing at a chosen place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Wire:
    """Trips when so many things have passed.

    Args:
        at: which of them trips it, from 0.
    """

    def __init__(self, at: int) -> None:
        self.at = at
        self.passed = 0
        self.act: Callable[[], Awaitable[None]] | None = None
        self.tripped = asyncio.Event()
        self._acting: asyncio.Task[None] | None = None

    def sees(self) -> None:
        """One more has passed; counted once there is something to do."""
        if self.act is None:
            return
        if self.passed == self.at:
            self._acting = asyncio.ensure_future(self._acts(self.act))
        self.passed += 1

    async def _acts(self, act: Callable[[], Awaitable[None]]) -> None:
        await act()
        self.tripped.set()

    async def during(self, talk: Awaitable[None]) -> None:
        """Talk until it is over, or the wire has tripped and done what it does."""
        talking, waiting = asyncio.ensure_future(talk), asyncio.ensure_future(self.tripped.wait())
        done, _ = await asyncio.wait({talking, waiting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (talking, waiting):
            task.cancel()
        await asyncio.gather(talking, waiting, return_exceptions=True)
        self.act = None
        if talking in done:
            talking.result()
        if self._acting is not None:
            await self._acting
