"""Two thin taps around an output transport: what goes in is made, what comes out was played.

They pass every frame on at once, in the task that pushed it: no queue of theirs can be emptied by an
interruption. With a `TwilioMarkSerializer` on the transport they also send marks behind the audio, and
the telephone's own confirmation then bounds what counts as heard.
"""

from __future__ import annotations

from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSStoppedFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from ..guard import Guard
from .marks import Position, TwilioMarkSerializer
from .part import Part
from .tap import Tap

MARK_EVERY = 0.25
"""Seconds of audio between two marks: about half a word."""


class MadeTap(Part):
    """Stands before the output: sees what will be played, and sends marks behind it."""

    def __init__(self, memory: FrameProcessor, tap: Tap, guard: Guard, output: FrameProcessor) -> None:
        super().__init__(memory, enable_direct_mode=True)
        self._tap = tap
        self._guard = guard
        self._output = output
        self._marks: TwilioMarkSerializer | None = None
        self._marked: Position = (0, 0.0)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take a frame and pass it on."""
        await super().process_frame(frame, direction)
        down = direction == FrameDirection.DOWNSTREAM and self._tap.tapped
        if down:
            with self._guard("made"):
                self._tap.entering(frame)
        await self.push_frame(frame, direction)
        if down and isinstance(frame, TTSAudioRawFrame | TTSStoppedFrame):
            await self._mark(isinstance(frame, TTSStoppedFrame))

    async def _mark(self, last: bool) -> None:
        if self._marks is None:
            if (marks := TwilioMarkSerializer.of(self._output)) is None:
                return
            self._marks = marks
            marks.on_played = self._tap.agent.replies.confirm
        stream, seconds = position = self._tap.agent.replies.audio.end
        since = seconds - (self._marked[1] if self._marked[0] == stream else 0.0)
        if since >= MARK_EVERY or (last and since > 0):
            self._marked = position
            await self.push_frame(self._marks.mark(position))


class PlayedTap(Part):
    """Stands behind the output: sees what was written to the caller."""

    def __init__(self, memory: FrameProcessor, tap: Tap, guard: Guard) -> None:
        super().__init__(memory, enable_direct_mode=True)
        self._tap = tap
        self._guard = guard

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take a frame and pass it on."""
        await super().process_frame(frame, direction)
        if direction == FrameDirection.DOWNSTREAM and self._tap.tapped:
            with self._guard("played"):
                self._tap.leaving(frame)
        await self.push_frame(frame, direction)
