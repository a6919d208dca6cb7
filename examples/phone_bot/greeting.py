"""The first words, chosen from the preload and rendered while the line is set up.

A returning caller is greeted by first name; who is unknown, or known too late or too weakly, gets the
plain greeting. A rendered greeting is a reply like any other: it has a context of its own, its text
and its audio go through the taps, and what of it was heard is measured.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from loguru import logger
from pipecat.frames.frames import (
    AggregatedTextFrame,
    DataFrame,
    Frame,
    LLMAssistantPushAggregationFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType

from pipecat_memory.call import CallMemory

from .answers import GREETING, greeting, left_open, table_of
from .voice.local import chunks

Render = Callable[[str], Awaitable[bytes]]
LATE = 2.0
"""Seconds a caller who is already on the line waits for the greeting, before the plain one is taken. About as
long as people wait before they say hello themselves."""
KNOWN = 1.0
"""Of these, seconds that the preload may take; rendering takes the rest. A preload takes 5 to 20 ms."""
_plain: dict[int, bytes] = {}
"""The plain greeting's audio by sample rate: it holds nothing of a caller, so it is kept."""


@dataclass
class GreetingFrame(DataFrame):
    """A greeting that is rendered already."""

    text: str = ""
    audio: bytes = b""
    rate: int = 8000


class Greeter(FrameProcessor):
    """Speaks a rendered greeting. Stands behind the synthesiser."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, GreetingFrame):
            await self.push_frame(frame, direction)
            return
        name, rate = str(uuid.uuid4()), frame.rate
        announced = AggregatedTextFrame(frame.text, TextType.SENTENCE, raw_text=frame.text)
        announced.context_id, announced.append_to_context = name, False
        announced.will_be_spoken = True
        spoken = TTSTextFrame(frame.text, TextType.SENTENCE, raw_text=frame.text)
        spoken.context_id, spoken.append_to_context = name, True
        await self.push_frame(announced)
        await self.push_frame(TTSStartedFrame(context_id=name))
        for chunk in chunks(frame.audio, rate):
            await self.push_frame(TTSAudioRawFrame(chunk, rate, 1, context_id=name))
        await self.push_frame(spoken)
        await self.push_frame(TTSStoppedFrame(context_id=name))
        await self.push_frame(LLMAssistantPushAggregationFrame())


class Greeting:
    """One call's greeting, on its way while the line is set up.

    Args:
        call: whose preload chooses the words.
        render: makes audio of words; None where the transport has no voice.
        rate: samples a second of that audio.
    """

    def __init__(self, call: CallMemory, render: Render | None, rate: int) -> None:
        self._call = call
        self._render = render
        self._rate = rate
        self._making = asyncio.create_task(self._make(), name="greeting")

    async def frame(self) -> Frame:
        """What to queue once the caller is on the line."""
        done, _ = await asyncio.wait({self._making}, timeout=LATE)
        if done:
            text, audio = self._making.result()
            return GreetingFrame(text=text, audio=audio, rate=self._rate) if audio else TTSSpeakFrame(text)
        self._making.cancel()
        if (audio := _plain.get(self._rate)) is not None:
            return GreetingFrame(text=GREETING, audio=audio, rate=self._rate)
        return TTSSpeakFrame(GREETING)

    async def _make(self) -> tuple[str, bytes]:
        await self._call.preload(KNOWN)
        resumed = {name: slot["value"] for name, slot in self._call.state["slots"].items()}
        opened = left_open(self._call) or resumed
        text = greeting(self._call.greeting_name(), table_of(opened) if set(opened) - {"name"} else "")
        if self._render is None:
            return text, b""
        if text == GREETING and self._rate in _plain:
            return text, _plain[self._rate]
        try:
            audio = await self._render(text)
        except (OSError, TimeoutError, RuntimeError) as error:
            logger.warning(f"the greeting is spoken unrendered: {type(error).__name__}")
            return text, b""
        if text == GREETING:
            _plain[self._rate] = audio
        return text, audio
