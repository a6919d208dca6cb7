"""Which recogniser, model and voice this bot uses: the services whose keys are set, else local ones."""

from __future__ import annotations

import functools
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from pipecat_memory import prewarm
from pipecat_memory.call import CallMemory
from pipecat_memory.clients.sdk import rehearse

from .replier import LocalReplier, ModelReplier
from .voice.local import LocalRecogniser, LocalVoice, speak, whisper
from .voice.parts import VoiceAbsent, find
from .voice.piper import Piper

INSTRUCTIONS = (
    "You answer the telephone of a restaurant. Speak in two short sentences at most, without lists or "
    "symbols. Follow the suggested next step of the notes; never ask for what the notes hold; read back "
    "a change. If you do not know the caller's name, ask for it before you book."
)
CARTESIA_MODEL = "sonic-3"
CARTESIA_VOICE = "71a7ad14-091c-4e8e-a314-022ece01c121"
"""Cartesia's stock voice of its own documentation; CARTESIA_VOICE_ID takes another."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Both ends of the sound.

    Args:
        kind: `cartesia`, `piper` or `scripted`.
        render: makes audio of words, 16-bit PCM at the rate given.
    """

    kind: str
    tts: FrameProcessor
    render: Callable[[str, int], Awaitable[bytes]]


@functools.cache
def local_kind() -> str:
    """`local` where speech models are here, else `scripted`; says which, once."""
    if os.environ.get("PHONE_BOT_VOICE") == "scripted":
        return "scripted"
    try:
        find()
    except VoiceAbsent as absent:
        logger.warning(f"voice: scripted ({absent})")
        return "scripted"
    return "local"


@functools.cache
def piper() -> Piper | None:
    """The bot's local voice; one process for all calls."""
    return Piper() if local_kind() == "local" else None


def warm() -> None:
    """Load what the first caller would wait for: the embedder, a model's client, Whisper, Piper's process."""
    prewarm()
    if "PHONE_BOT_MEMORY_URL" in os.environ:
        rehearse()
    if local_kind() == "local":
        whisper()
        piper()


def recogniser() -> FrameProcessor:
    """Deepgram with a key, else Whisper here, else tones."""
    key = os.environ.get("DEEPGRAM_API_KEY")
    if key:
        from pipecat.services.deepgram.stt import DeepgramSTTService

        return DeepgramSTTService(api_key=key)
    return LocalRecogniser(scripted=local_kind() == "scripted")


def voice() -> Voice:
    """Cartesia with a key, else Piper here, else tones."""
    key = os.environ.get("CARTESIA_API_KEY")
    if key:
        from pipecat.services.cartesia.tts import CartesiaTTSService

        name = os.environ.get("CARTESIA_VOICE_ID", CARTESIA_VOICE)
        tts = CartesiaTTSService(api_key=key, settings=CartesiaTTSService.Settings(voice=name))
        return Voice("cartesia", tts, functools.partial(_cartesia, key, name))
    return Voice(local_kind(), LocalVoice(piper()), functools.partial(speak, piper()))


def replier(call: CallMemory) -> LLMService[Any]:
    """A model where a key or a server is named, else the rules."""
    key, url = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
    if not (key or url):
        return LocalReplier(call)
    model = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
    # A local server takes any key; the client insists on one.
    return ModelReplier(call, api_key=key or "none", base_url=url, model=model, instructions=INSTRUCTIONS)


def voice_activity() -> VADAnalyzer:
    """Silero, or loudness where the voice is tones."""
    if scripted():
        from .voice.local import ToneVAD

        return ToneVAD()
    # Whisper hears whole segments: a pause at a comma must not cut one in two.
    local = not os.environ.get("DEEPGRAM_API_KEY")
    return SileroVADAnalyzer(params=VADParams(stop_secs=0.5 if local else 0.2))


def turns() -> UserTurnStrategies | None:
    """When a caller's turn is over: Pipecat's own model, or a pause where the voice is tones."""
    if scripted():
        return UserTurnStrategies(stop=[SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.2)])
    return None


def scripted() -> bool:
    """Whether callers are heard as tones."""
    return not os.environ.get("DEEPGRAM_API_KEY") and local_kind() == "scripted"


async def _cartesia(key: str, voice_id: str, text: str, rate: int) -> bytes:
    """One sentence by Cartesia's own SDK.

    Raises:
        OSError: it could not be had.
    """
    import cartesia

    try:
        async with cartesia.AsyncCartesia(api_key=key, timeout=2.0, max_retries=0) as client:
            response = await client.tts.generate(
                model_id=CARTESIA_MODEL,
                transcript=text,
                voice={"mode": "id", "id": voice_id},
                output_format={"container": "raw", "encoding": "pcm_s16le", "sample_rate": rate},  # pyright: ignore[reportArgumentType] - any of its rates
            )
            return await response.read()
    except (cartesia.CartesiaError, httpx.HTTPError) as error:
        raise OSError(f"Cartesia: {type(error).__name__}") from None
