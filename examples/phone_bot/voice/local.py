"""Pipecat services of the voices on this machine: Whisper hears, Piper speaks, tones stand in."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import numpy as np
import soxr
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams
from pipecat.frames.frames import ErrorFrame, Frame, TranscriptionFrame, TTSAudioRawFrame
from pipecat.services.settings import STTSettings, TTSSettings
from pipecat.services.stt_service import SegmentedSTTService
from pipecat.services.tts_service import TTSService
from pipecat.utils.time import time_now_iso8601

from . import tones
from .parts import find
from .piper import Piper

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

CHUNK = 0.1
"""Seconds of audio a frame: short, so that a barge-in drops what was not played yet."""
PAUSE = 0.5
"""Seconds of silence that Whisper wants behind the last word; shorter, it loses it."""


@functools.cache
def whisper() -> WhisperModel:
    """Whisper tiny.en on this machine; loaded once a process (0.4 s)."""
    from faster_whisper import WhisperModel

    model = str(find().recogniser)
    return WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)


def transcribe(pcm: bytes, rate: int) -> str:
    """What Whisper hears in 16-bit mono PCM; blocks for about a tenth of its length."""
    sound = np.frombuffer(pcm, np.int16).astype(np.float32) / 32768
    if rate != 16000:
        sound = soxr.resample(sound, rate, 16000)
    segments, _ = whisper().transcribe(
        np.concatenate([sound, np.zeros(int(16000 * PAUSE), np.float32)]),
        language="en",
        beam_size=5,
        condition_on_previous_text=False,
    )
    # Whisper makes words of noise, and says that it doubts them.
    words = [s.text.strip() for s in segments if s.no_speech_prob < 0.6 or s.avg_logprob > -0.8]
    return " ".join(words)


class LocalRecogniser(SegmentedSTTService):
    """Speech to text on this machine: Whisper tiny.en, English only, finals only."""

    def __init__(self, *, scripted: bool = False) -> None:
        super().__init__(
            trailing_silence_secs=0.0,
            ttfs_p99_latency=1.0,
            settings=STTSettings(model="tones" if scripted else "whisper-tiny.en", language="en"),
        )
        self._scripted = scripted

    @property
    def wants_wav_segments(self) -> bool:
        return False

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        hear = hear_tones if self._scripted else transcribe
        text = await asyncio.to_thread(hear, audio, self.sample_rate)
        if text:
            yield TranscriptionFrame(text, "", time_now_iso8601())


class LocalVoice(TTSService):
    """Text to speech on this machine: Piper's voice `joe`, a sentence at a time, no word timings."""

    def __init__(self, piper: Piper | None) -> None:
        """Speak with Piper, or in tones where there is none."""
        super().__init__(
            push_start_frame=True,
            push_stop_frames=True,
            settings=TTSSettings(model="piper" if piper else "tones", voice="joe", language="en"),
        )
        self._piper = piper

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        try:
            pcm = await speak(self._piper, text, self.sample_rate)
        except (OSError, TimeoutError) as error:
            yield ErrorFrame(error=f"the local voice failed: {type(error).__name__}")
            return
        for chunk in chunks(pcm, self.sample_rate):
            yield TTSAudioRawFrame(chunk, self.sample_rate, 1, context_id=context_id)


async def speak(piper: Piper | None, text: str, rate: int) -> bytes:
    """The text as 16-bit PCM: by Piper, or as tones."""
    if piper is not None:
        return await piper.speak(text, rate)
    return soxr.resample(tones.encode(text).astype(np.float32), tones.RATE, rate).astype(np.int16).tobytes()


def chunks(pcm: bytes, rate: int) -> list[bytes]:
    """Audio in pieces of `CHUNK` seconds."""
    size = int(rate * CHUNK) * 2
    return [pcm[at : at + size] for at in range(0, len(pcm), size)]


def hear_tones(pcm: bytes, rate: int) -> str:
    """The text in tones; what Whisper is to speech."""
    sound = soxr.resample(np.frombuffer(pcm, np.int16).astype(np.float32), rate, tones.RATE)
    return tones.decode(np.clip(sound, -32768, 32767).astype(np.int16))


class ToneVAD(VADAnalyzer):
    """Voice activity by loudness, for tones: they are no voice to a voice detector."""

    def __init__(self) -> None:
        super().__init__(params=VADParams(start_secs=0.06, stop_secs=0.12, min_volume=0.0))

    def num_frames_required(self) -> int:
        return self.sample_rate // 50

    def voice_confidence(self, buffer: bytes) -> float:
        level = np.abs(np.frombuffer(buffer, np.int16).astype(np.int32)).mean()
        return 1.0 if level > tones.LEVEL / 5 else 0.0
