"""A phone agent for the loopback gateway: `python -m livekit.agents start tests/livekit/gateway_worker.py`.

A stock `AgentServer`; only the models are fakes, and the recogniser hears tones. What the model was told
and how the call ended is left in `STORE.log`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from livekit import rtc
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS as _CONN
from livekit.agents import Agent, AgentServer, AgentSession, JobContext, stt

from livekit_plugin import Caller, Memory, attach_session, identity_from, session_end

from .kit import FakeLLM
from .sound import RATE, FakeTTS
from .worker import STARTING

SAID = "My name is Wren Abbott."
ANSWER = " ".join(["Good day, and what may I do for you on this fine morning?"] * 4)
"""Twelve seconds of the fake voice: nobody hears it out."""
LOUD = 1000
"""Of 32,768: quieter is silence."""


def syllable() -> bytes:
    """A quarter of a second that rises and falls, as LiveKit's synchroniser expects of speech."""
    at = np.arange(RATE // 4) / RATE
    wave = 8000 * np.sin(2 * np.pi * 300 * at) * np.sin(np.pi * 4 * at)
    return wave.astype(np.int16).tobytes()


class ToneSTT(stt.STT):
    """Hears a tone as `SAID`, once the tone is over."""

    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=True, interim_results=False))

    def stream(self, **_: Any) -> Any:
        return _Ears(stt=self, conn_options=_CONN)

    async def _recognize_impl(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class _Ears(stt.RecognizeStream):
    async def _run(self) -> None:
        speaking = False
        async for frame in self._input_ch:
            if not isinstance(frame, rtc.AudioFrame):
                continue
            loud = bool((np.abs(np.frombuffer(frame.data, np.int16).astype(np.int32)) > LOUD).any())
            if loud and not speaking:
                self._send(stt.SpeechEventType.START_OF_SPEECH)
            elif speaking and not loud:
                self._send(stt.SpeechEventType.FINAL_TRANSCRIPT, SAID)
                self._send(stt.SpeechEventType.END_OF_SPEECH)
            speaking = loud

    def _send(self, kind: stt.SpeechEventType, text: str = "") -> None:
        told: Any = {"language": "en", "confidence": 0.9, "text": text}
        heard = [stt.SpeechData(**told)] if text else []
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind, alternatives=heard))


def note(line: str) -> None:
    with Path(os.environ["TEST_STORE"] + ".log").open("a", encoding="utf-8") as log:
        log.write(line + "\n")


async def entry(ctx: JobContext) -> None:
    """One call. The gateway tells who rings in the job's metadata, in the words of its carrier."""
    memory = await Memory.open(f"sqlite:///{os.environ['TEST_STORE']}", embedder=None)
    await ctx.connect()
    caller = identity_from(ctx, await ctx.wait_for_participant())
    if not caller.known:
        caller = Caller.phone(f"+{json.loads(ctx.job.metadata)['From']}")
    note(f"caller {caller.id} {caller.how}")
    call = memory.call(caller, call_id=ctx.job.id)
    call.listen(lambda name, _: note(f"{name} {call.course.ended}") if name == "summary" else None)
    model = FakeLLM([lambda context: _answer(str(context.to_dict()))])
    session: AgentSession[Any] = AgentSession(
        llm=model, stt=ToneSTT(), tts=FakeTTS(syllable()), vad=None, turn_handling={"turn_detection": "stt"}
    )
    attach_session(session, call)
    await session.start(Agent(instructions="BASE"), room=ctx.room)
    note("listening")


def _answer(prompt: str) -> str:
    note("told of Wren" if "Goes by: Wren" in prompt else "told of nobody")
    return ANSWER


async def ended(ctx: JobContext) -> None:
    await session_end(ctx)
    note("session_end")


server = AgentServer(
    host="127.0.0.1",
    port=0,
    num_idle_processes=1,
    initialize_process_timeout=STARTING,
    drain_timeout=1,
    load_fnc=lambda: 0.1,  # a machine of two cores reads as full to the default load
)
server.rtc_session(on_session_end=ended)(entry)
