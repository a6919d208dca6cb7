"""Three fake synthesisers, one of each kind that Pipecat has."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from typing import Any

from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSStoppedFrame
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService

RATE = 8000
WORD = 0.02
"""Seconds of audio a word gets in the fake voices: twenty times faster than people speak."""


def audio(seconds: float, context_id: str) -> TTSAudioRawFrame:
    return TTSAudioRawFrame(b"\x01\x00" * round(seconds * RATE), RATE, 1, context_id=context_id)


class Voice(TTSService):
    """What the three have in common: they say when they start and stop."""

    def __init__(self, *, silence: float = 0.2, **options: Any) -> None:
        super().__init__(
            push_start_frame=True,
            push_stop_frames=True,
            stop_frame_timeout_s=silence,
            settings=TTSSettings(model=None, voice=None, language=None),
            **options,
        )


class WordVoice(Voice):
    """A synthesiser that times its words, as Cartesia and ElevenLabs do."""

    def __init__(self) -> None:
        super().__init__(silence=0.1, push_text_frames=False)
        self._words: Counter[str] = Counter()

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        for word in text.split():
            yield audio(WORD, context_id)
            await self.add_word_timestamps([(word, self._words[context_id] * WORD)], context_id)
            self._words[context_id] += 1


class SentenceVoice(Voice):
    """A synthesiser that answers with the audio inline, as the HTTP services do."""

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        for _ in text.split():
            yield audio(WORD, context_id)


class SocketVoice(Voice):
    """A synthesiser on a websocket that times nothing, as Deepgram's: text first, audio later."""

    def __init__(self) -> None:
        super().__init__()
        self._sending: dict[str, list[asyncio.Task[None]]] = {}

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        receive = self.create_task(self._receive(len(text.split()), context_id), "receive")
        self._sending.setdefault(context_id, []).append(receive)
        yield None

    async def flush_audio(self, context_id: str | None = None) -> None:
        if context_id is not None:
            work = self.create_task(self._flushed(context_id), "flushed")
            self._sending.setdefault("flush", []).append(work)

    async def _receive(self, words: int, context_id: str) -> None:
        for _ in range(words):
            await asyncio.sleep(0)
            await self.append_to_audio_context(context_id, audio(WORD, context_id))

    async def _flushed(self, context_id: str) -> None:
        await asyncio.gather(*self._sending.pop(context_id, []))
        await self.append_to_audio_context(context_id, TTSStoppedFrame(context_id=context_id))
        await self.remove_audio_context(context_id)

    async def cleanup(self) -> None:
        for task in [task for tasks in self._sending.values() for task in tasks]:
            await self.cancel_task(task)
        await super().cleanup()
