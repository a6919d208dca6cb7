"""Time as the engine sees it: one small protocol, so that tests and `replay` can hold the clock."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the engine asks of time. `testing.ManualClock` is the other implementation."""

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that many seconds of this clock."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
