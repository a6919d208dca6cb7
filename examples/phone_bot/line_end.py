"""The last words before a hang-up: heard to their end, then the line goes dead."""

from __future__ import annotations

import asyncio

from pipecat.frames.frames import (
    InputAudioRawFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.transports.base_input import BaseInputTransport

SILENCE = 0.6
"""Seconds of silence that end an utterance for any voice detector here."""
PATIENCE = 2.0
"""Longest wait for the recogniser's last words. Whisper takes a tenth of the utterance."""


class LastWords(BaseObserver):
    """Knows whether the caller has said something that the recogniser has not answered yet."""

    def __init__(self) -> None:
        super().__init__(observe_every_push=False)
        self._speaking = False
        self._answered = asyncio.Event()
        self._answered.set()

    async def on_push_frame(self, data: FramePushed) -> None:
        if isinstance(data.frame, VADUserStartedSpeakingFrame):
            self._speaking = True
            self._answered.clear()
        elif isinstance(data.frame, VADUserStoppedSpeakingFrame):
            self._speaking = False
        elif isinstance(data.frame, TranscriptionFrame) and not self._speaking:
            self._answered.set()

    async def settle(self, line: BaseInputTransport, rate: int) -> None:
        """The caller hung up: let the line fall silent and wait for what was said last."""
        if self._answered.is_set():
            return
        for _ in range(int(SILENCE / 0.02)):
            frame = InputAudioRawFrame(bytes(int(rate * 0.02) * 2), rate, 1)
            await line.push_audio_frame(frame)
        try:
            await asyncio.wait_for(self._answered.wait(), PATIENCE)
        except TimeoutError:
            return
        # The transcript is on its way through the pipeline; let it arrive before the end does.
        await asyncio.sleep(0.05)
