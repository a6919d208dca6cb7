"""What engine tests share: a memory on a held clock, and calls told in a few words."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.testing import CallSimulator, ManualClock

NUMBER = "+15551230001"
START = datetime(2026, 3, 2, 10, tzinfo=UTC)
STRICT = Settings(strict=True)


def verified(number: str = NUMBER) -> Caller:
    return Caller.phone(number, how="verified")


@contextlib.asynccontextmanager
async def opened(
    url: str = "memory://", *, clock: ManualClock | None = None, **options: Any
) -> AsyncGenerator[tuple[Memory, ManualClock]]:
    """A memory without embedder or model (unless given) on a clock of its own."""
    held = clock or ManualClock(START)
    settings = options.pop("settings", STRICT)
    defaults: dict[str, Any] = {"embedder": None}
    memory = await Memory.open(url, clock=held, settings=settings, **(defaults | options))
    held.pending = lambda: memory.archive.gauge.out
    try:
        yield memory, held
    finally:
        await memory.close()


async def say(call: CallMemory, clock: ManualClock, text: str, **more: Any) -> None:
    """One caller turn, spoken over a second."""
    await CallSimulator(call, clock).say(text, **more)


async def reply(call: CallMemory, clock: ManualClock, id: str, text: str, heard: str | None = None) -> None:
    """One reply, heard in full unless said otherwise."""
    await CallSimulator(call, clock).reply(text, heard=heard, id=id)


async def ended(call: CallMemory, clock: ManualClock, reason: str = "hangup") -> None:
    """Close a call, moving the clock while it drains."""
    await CallSimulator(call, clock).hang_up(reason)


async def rest(memory: Memory, clock: ManualClock) -> None:
    """Let all background work end."""
    await clock.settle()
    while memory.busy:
        await clock.next()
