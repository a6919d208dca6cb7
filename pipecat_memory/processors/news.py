"""What memory did, told to the pipeline: frames, events and the live panel, in order and off the path."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pipecat.processors.frameworks.rtvi.frames import RTVIServerMessageFrame

from .frames import (
    CallSummaryFrame,
    MemoryFrame,
    MemoryPreloadedFrame,
    MemoryRecalledFrame,
    MemoryStoredFrame,
)

if TYPE_CHECKING:
    from .memory import MemoryProcessor

FRAMES: dict[str, type[MemoryFrame]] = {
    "preloaded": MemoryPreloadedFrame,
    "recalled": MemoryRecalledFrame,
    "stored": MemoryStoredFrame,
    "summary": CallSummaryFrame,
}
EVENTS = {"recalled": "on_memory_recalled", "stored": "on_memory_stored"}


class News:
    """Pushes one frame a piece of news, from a task of its own.

    Args:
        processor: whose frames they are.
        call_id: the call.
    """

    def __init__(self, processor: MemoryProcessor, call_id: str) -> None:
        self._processor = processor
        self._call_id = call_id
        self._panel = False
        self._waiting: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def attach(self, *, panel: bool) -> None:
        """`panel`: an RTVI client may be watching."""
        self._panel = panel

    def add(self, name: str, payload: dict[str, Any]) -> None:
        """Take a piece of news from the call: ids and counts."""
        if name in FRAMES:
            self._waiting.put_nowait((name, payload))

    def start(self) -> None:
        """The pipeline runs: frames may be pushed. Said twice it is once."""
        if self._task is None:
            self._task = self._processor.create_task(self._run(), "memory news")

    async def stop(self) -> None:
        """The pipeline is over: what still came in is told to event handlers only."""
        if self._task is not None:
            await self._processor.cancel_task(self._task)
            self._task = None
        while not self._waiting.empty():
            name, payload = self._waiting.get_nowait()
            await self._announce(name, self._frame(name, payload))

    async def _run(self) -> None:
        while True:
            name, payload = await self._waiting.get()
            await asyncio.sleep(0)  # what the news is about goes first: the model's own frame
            frame = self._frame(name, payload)
            await self._processor.push_frame(frame)
            if self._panel:
                data = {"type": f"memory-{name}", "call_id": frame.call_id, "counts": dict(frame.counts)}
                await self._processor.push_frame(RTVIServerMessageFrame(data=data | {"ids": list(frame.ids)}))
            await self._announce(name, frame)
            if name == "preloaded":
                await self._processor.hint()

    def _frame(self, name: str, payload: dict[str, Any]) -> MemoryFrame:
        counts = {k: v for k, v in payload.items() if isinstance(v, int)}
        ids = [str(each) for value in payload.values() if isinstance(value, list) for each in value]
        return FRAMES[name](call_id=self._call_id, counts=counts, ids=ids)

    async def _announce(self, name: str, frame: MemoryFrame) -> None:
        if event := EVENTS.get(name):
            await self._processor._call_event_handler(event, frame)
