"""What engine tests share: a memory on a held clock, and calls told in a few words."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.testing import ManualClock

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
    started = call.elapsed
    await clock.advance(1.0)
    call.apply(ev.UserFinal(t=call.elapsed, text=text, started=started, **more))
    call.apply(ev.TurnEnded(t=call.elapsed))
    await clock.settle()


async def reply(call: CallMemory, clock: ManualClock, id: str, text: str, heard: str | None = None) -> None:
    """One reply, heard in full unless said otherwise."""
    call.apply(ev.ReplyStarted(t=call.elapsed, reply=id))
    call.apply(ev.ReplyText(t=call.elapsed, reply=id, text=text))
    await clock.advance(1.0)
    words = text if heard is None else heard
    if words:
        call.apply(ev.ReplyHeard(t=call.elapsed, reply=id, text=words))
    call.apply(ev.ReplyEnded(t=call.elapsed, reply=id, interrupted=heard is not None, played=None))
    await clock.settle()


async def ended(call: CallMemory, clock: ManualClock, reason: str = "hangup") -> None:
    """Close a call, moving the clock while it drains."""
    closing = call.memory.tasks.spawn(call.close(reason), "test close")
    while not closing.done():
        await clock.settle()
        if not closing.done():
            await clock.next()
    await closing
    await rest(call.memory, clock)


async def rest(memory: Memory, clock: ManualClock) -> None:
    """Let all background work end."""
    await clock.settle()
    while memory.busy:
        await clock.next()
