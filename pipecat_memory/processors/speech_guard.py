"""The speech guard as a processor between LLM and TTS."""

from __future__ import annotations

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from ..call import CallMemory
from ..guard import Guard
from ..reading.speech_guard import GuardCounts, SpeechGuard
from .part import Part


class SpeechGuardProcessor(Part):
    """Takes memory blocks, notes and field names out of the text on its way to the voice.

    What it lets through is the reply: history too holds the cleaned text. Made by
    `MemoryProcessor.speech_guard()`.
    """

    def __init__(self, memory: FrameProcessor, call: CallMemory, guard: Guard) -> None:
        super().__init__(memory)
        self._guard = guard
        self._speech = SpeechGuard(slot.name for slot in call.course.schema.slots)

    @property
    def counts(self) -> GuardCounts:
        """What was taken out so far."""
        return self._speech.counts

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take a frame and pass it on, cleaned where it is text to be spoken."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMTextFrame):
            await self._push_text(self._cleaned(frame.text), frame, direction)
            return
        if isinstance(frame, LLMFullResponseEndFrame):
            await self._push_text(self._rest(), LLMTextFrame(""), direction)
        elif isinstance(frame, InterruptionFrame | LLMFullResponseStartFrame):
            self._speech.drop()
        elif isinstance(frame, TTSSpeakFrame):
            frame.text = self._cleaned(frame.text) + self._rest()
        await self.push_frame(frame, direction)

    def _cleaned(self, text: str) -> str:
        with self._guard("speech guard"):
            return self._speech.feed(text)
        return text

    def _rest(self) -> str:
        with self._guard("speech guard"):
            return self._speech.end()
        return ""

    async def _push_text(self, text: str, frame: LLMTextFrame, direction: FrameDirection) -> None:
        if text:
            frame.text = text
            await self.push_frame(frame, direction)
