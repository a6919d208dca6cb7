"""A processor that keeps what passes."""

from __future__ import annotations

from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor


class Collector(FrameProcessor):
    """Keeps what passes."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self.down: list[Frame] = []
        self.up: list[Frame] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        (self.down if direction == FrameDirection.DOWNSTREAM else self.up).append(frame)
        await self.push_frame(frame, direction)
