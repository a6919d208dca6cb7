"""A fake voice and the audio around it, at LiveKit's wall clock."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from livekit import rtc
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS as _CONN
from livekit.agents import tts
from livekit.agents.voice import io

RATE = 16000
WORD = 0.05
"""Seconds of audio a word gets in the fake voice."""
QUIET = b"\x01\x00" * round(WORD * RATE)
SLOW = 4 * QUIET
"""A word of a reply that is cut: however busy the machine, its end is far."""


class FakeTTS(tts.TTS):
    """A voice.

    Args:
        word: the samples of any word, 16 bits, at `RATE`.
    """

    def __init__(self, word: bytes = QUIET) -> None:
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE, num_channels=1)
        self.word = word

    def synthesize(self, text: str, *, conn_options: Any = None) -> Any:
        return _Voice(tts=self, input_text=text, conn_options=conn_options or _CONN)


class _Voice(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(request_id="voice", sample_rate=RATE, num_channels=1, mime_type="audio/pcm")
        voice = self._tts
        assert isinstance(voice, FakeTTS)
        for _ in self._input_text.split():
            output_emitter.push(voice.word)


class Microphone(io.AudioInput):
    """Silence that never ends: what is heard comes from `FakeSTT`."""

    def __init__(self) -> None:
        super().__init__(label="microphone")

    async def __anext__(self) -> rtc.AudioFrame:
        await asyncio.Event().wait()
        raise StopAsyncIteration


class Speaker(io.AudioOutput):
    """Plays at the pace of the clock and says how far it came."""

    def __init__(self) -> None:
        super().__init__(
            label="speaker", capabilities=io.AudioOutputCapabilities(pause=False), sample_rate=RATE
        )
        self._pushed = 0.0
        self._since: float | None = None
        self._end: asyncio.TimerHandle | None = None

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        if self._since is None:
            loop = asyncio.get_running_loop()
            self._since = loop.time()
            self.on_playback_started(created_at=time.time())
        self._pushed += frame.duration

    def flush(self) -> None:
        super().flush()
        if self._since is not None and self._end is None:
            loop = asyncio.get_running_loop()
            rest = max(0.0, self._since + self._pushed - loop.time())
            self._end = loop.call_later(rest, self._over, False)

    def clear_buffer(self) -> None:
        if self._since is not None:
            self._over(True)

    def _over(self, interrupted: bool) -> None:
        if self._since is None:
            return
        if self._end is not None:
            self._end.cancel()
        played = min(self._pushed, asyncio.get_running_loop().time() - self._since)
        self._since, self._end, self._pushed = None, None, 0.0
        self.on_playback_finished(playback_position=played, interrupted=interrupted)


class Screen(io.TextOutput):
    """Shows words as the synchroniser releases them."""

    def __init__(self) -> None:
        super().__init__(label="screen", next_in_chain=None)
        self.text = ""

    async def capture_text(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass
