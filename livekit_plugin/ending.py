"""How a session's call ends: once, for the reason that the line tells, else for the session's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from livekit.agents.voice.events import CloseReason

from pipecat_memory import CallMemory

from .line import Line

REASONS = {
    CloseReason.PARTICIPANT_DISCONNECTED: "hangup",
    CloseReason.USER_INITIATED: "bot_ended",
    CloseReason.TASK_COMPLETED: "bot_ended",
    CloseReason.JOB_SHUTDOWN: "cancelled",
    CloseReason.ERROR: "error",
}
"""LiveKit's close reasons as call endings. USER_INITIATED is also what a worker that stops reports (1.8),
and a job whose entrypoint raised."""
CLOSE_EVENT = 2.0
"""Seconds for a session's close event once our own end was awaited. Only other toolsets' ends stand between;
an app's handler that raises `TypeError` keeps the event from all that were registered behind it."""


class Ending:
    """Ends one call, whoever says first that it is over.

    Args:
        call: the call.
        line: what tells how it ended for its caller.
    """

    def __init__(self, call: CallMemory, line: Line) -> None:
        self._call = call
        self._line = line
        self._closing: asyncio.Task[Any] | None = None
        self._event: asyncio.Task[None] | None = None
        self._crashed = False

    def follow(self, entry: asyncio.Task[Any]) -> None:
        """Mind how the entrypoint ends: LiveKit ends a job whose entrypoint raised as if the app had."""
        entry.add_done_callback(self._entered)

    def close(self, reason: str, holder: object) -> None:
        """End the call in the background; once.

        Args:
            reason: why, where the line doesn't tell.
            holder: held until the call is over, so that a job's end finds what it has to wait for.
        """
        if self._closing is not None:
            return
        true = reason if reason == "error" else self._line.ending or reason
        if self._crashed and true in ("bot_ended", "cancelled"):
            true = "error"
        self._closing = self._call.memory.tasks.spawn(self._call.close(true), "session close")
        self._closing.add_done_callback(partial(_let_go, holder))

    async def finished(self) -> None:
        """Wait until the call is summarised, as far as `Settings.drain` allows."""
        if self._closing is not None:
            await asyncio.shield(self._closing)

    def expect_event(self, unheard: Callable[[], None]) -> None:
        """The session's tools are closed, its close event is next; `unheard` is called where none comes."""
        if self._event is None:
            self._event = self._call.memory.tasks.spawn(self._wait(unheard), "session end")

    def event_came(self) -> None:
        """The close event was heard."""
        if self._event is not None:
            self._event.cancel()

    async def _wait(self, unheard: Callable[[], None]) -> None:
        await self._call.memory.clock.sleep(CLOSE_EVENT)
        unheard()

    def _entered(self, entry: asyncio.Task[Any]) -> None:
        self._crashed = not entry.cancelled() and entry.exception() is not None


def _let_go(_: object, __: asyncio.Task[Any]) -> None:
    """What is waited for was held by the task until here."""
