"""A real `AgentSession` with fake models: LiveKit's own pipeline and transcript synchroniser, no network.

The audio output keeps LiveKit's wall clock, twenty times faster than people speak; a barge-in happens
when a chosen number of words has been shown, not at a moment of the clock.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from livekit import rtc
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS as _CONN
from livekit.agents import Agent, AgentSession, JobContext, llm, stt
from livekit.agents.testing import fake_job_context
from livekit.agents.voice.transcription import TranscriptSynchronizer

from livekit_plugin import attach_session
from livekit_plugin.attachment import Attachment
from pipecat_memory import CallMemory

from .sound import QUIET, FakeTTS, Microphone, Screen, Speaker
from .telephone import SILENT, Telephone

PATIENCE = 8.0


@dataclass
class Call:
    """A tool call that the fake model answers with."""

    name: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])


Prompt = list[tuple[str, str]]
Answer = str | Call | Callable[[llm.ChatContext], str]


class FakeLLM(llm.LLM):
    """Answers from a script and remembers what it was given."""

    def __init__(self, answers: Sequence[Answer] = ()) -> None:
        super().__init__()
        self.answers = list(answers)
        self.contexts: list[llm.ChatContext] = []
        self.gate: asyncio.Event | None = None

    @property
    def prompts(self) -> list[Prompt]:
        """Per request: (role, text) of each message."""
        return [
            [(i.role, i.text_content or "") for i in context.items if i.type == "message"]
            for context in self.contexts
        ]

    def chat(
        self, *, chat_ctx: llm.ChatContext, tools: Any = None, conn_options: Any = None, **_: Any
    ) -> Any:
        self.contexts.append(chat_ctx.copy())
        return _Stream(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class _Stream(llm.LLMStream):
    async def _run(self) -> None:
        model = self._llm
        assert isinstance(model, FakeLLM)
        if model.gate is not None:
            await model.gate.wait()
        answer = model.answers.pop(0) if model.answers else "Yes."
        if isinstance(answer, Call):
            call = llm.FunctionToolCall(
                name=answer.name, arguments=json.dumps(answer.args), call_id=f"tool-{len(model.contexts)}"
            )
            self._send(llm.ChoiceDelta(role="assistant", tool_calls=[call]))
            return
        text = answer if isinstance(answer, str) else answer(self._chat_ctx)
        for word in text.split(" "):
            self._send(llm.ChoiceDelta(role="assistant", content=word + " "))

    def _send(self, delta: llm.ChoiceDelta) -> None:
        self._event_ch.send_nowait(llm.ChatChunk(id="chunk", delta=delta))


class FakeSTT(stt.STT):
    """A recogniser whose events the test sends. `keyterms` collects what was pushed to it."""

    def __init__(self, *, keyterms: bool = True) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(streaming=True, interim_results=True, keyterms=keyterms)
        )
        self.streams: list[_Ears] = []
        self.pushes: list[list[str]] = []

    def stream(self, **_: Any) -> Any:
        self.streams.append(_Ears(self))
        return self.streams[-1]

    async def _recognize_impl(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def _update_session_keyterms(self, keyterms: list[str]) -> None:
        self.pushes.append(list(keyterms))

    def send(
        self, kind: stt.SpeechEventType, text: str = "", *, others: Sequence[str] = (), **data: Any
    ) -> None:
        """One event; `others` are what the text may have been instead."""
        told: dict[str, Any] = {"language": "en", "confidence": 0.95} | data
        heard = [stt.SpeechData(text=option, **told) for option in (text, *others) if option]
        self.streams[-1].events.put_nowait(stt.SpeechEvent(type=kind, alternatives=heard))


class _Ears(stt.RecognizeStream):
    def __init__(self, recogniser: FakeSTT) -> None:
        self.events: asyncio.Queue[stt.SpeechEvent] = asyncio.Queue()
        super().__init__(stt=recogniser, conn_options=_CONN)

    async def _run(self) -> None:
        async def ears() -> None:
            while True:
                self._event_ch.send_nowait(await self.events.get())

        listening = asyncio.create_task(ears())
        try:
            async for _ in self._input_ch:
                pass
        finally:
            listening.cancel()


@dataclass
class Rig:
    """One running session with memory."""

    session: AgentSession[Any]
    memory: Attachment
    llm: FakeLLM
    ears: FakeSTT
    screen: Screen
    closes: list[Any]

    async def hears(self, *texts: str, **data: Any) -> None:
        """One whole spoken turn, without waiting for its answer."""
        self.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        for text in texts:
            self.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, text, **data)
        self.ears.send(stt.SpeechEventType.END_OF_SPEECH)

    async def says(self, *texts: str, **data: Any) -> None:
        """One whole spoken turn and its whole answer."""
        replies = len(self.items("assistant"))
        await self.hears(*texts, **data)
        await until(lambda: len(self.items("assistant")) > replies)

    def items(self, role: str) -> list[llm.ChatMessage]:
        return [i for i in self.session.history.items if i.type == "message" and i.role == role]

    async def interrupted_after(self, words: int) -> None:
        """Cut in once that many words of the reply under way were shown."""
        before = sum(len((item.text_content or "").split()) for item in self.items("assistant"))
        await until(lambda: len(self.screen.text.split()) >= before + words)
        await self.session.interrupt(force=True)


@asynccontextmanager
async def bot(
    call: CallMemory,
    *,
    answers: Sequence[Answer] = (),
    agent: Agent | None = None,
    voice: bool = False,
    word: bytes = QUIET,
    synced: bool = True,
    ears: FakeSTT | None = None,
    tools: list[Any] | None = None,
    nbest: bool = False,
    line: Telephone | None = None,
    **options: Any,
) -> AsyncGenerator[Rig]:
    """Run a session with memory.

    Args:
        voice: spoken, else text.
        word: how each word sounds.
        synced: with LiveKit's synchroniser.
        line: in a room with this line, linked by LiveKit's RoomIO.
    """
    model = options.pop("llm", None) or FakeLLM(answers)
    hearing = ears or FakeSTT()
    if voice:
        options |= {"stt": hearing, "tts": FakeTTS(word)}
    session: AgentSession[Any] = AgentSession(
        llm=model,
        vad=None,
        tools=tools or [],
        user_away_timeout=None,
        aec_warmup_duration=None,
        session_close_transcript_timeout=options.pop("close_wait", 0.05),
        turn_handling={
            "turn_detection": "stt" if voice else None,
            "endpointing": {"min_delay": 0.02, "max_delay": 0.02},
            "interruption": {"mode": "vad", "min_duration": 0.0},
        },
        **options,
    )
    screen = Screen()
    if voice:
        session.input.audio = Microphone()
        if synced:
            chain = TranscriptSynchronizer(next_in_chain_audio=Speaker(), next_in_chain_text=screen)
            session.output.audio, session.output.transcription = chain.audio_output, chain.text_output
        else:
            session.output.audio, session.output.transcription = Speaker(), screen
    attachment = attach_session(session, call, nbest=nbest)
    closes: list[Any] = []
    session.on("close", closes.append)
    room: dict[str, Any] = {"room": line.room, "room_options": SILENT} if line else {}
    await within(session.start(agent or Agent(instructions="BASE"), **room))
    rig = Rig(session, attachment, model, hearing, screen, closes)
    try:
        yield rig
    finally:
        await within(session.aclose())
        await within(attachment.finished())


@contextmanager
def a_job(room: rtc.Room | None = None) -> Generator[JobContext]:
    """LiveKit's own stand-in for a job; what is attached inside belongs to it."""
    with fake_job_context(room=room) as job:
        yield job
    job._tempdir.cleanup()


async def within(work: Any, seconds: float = PATIENCE) -> Any:
    """Await, but never for ever."""
    return await asyncio.wait_for(work, seconds)


async def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Let the loop run until something holds."""

    async def poll() -> None:
        while not condition():  # noqa: ASYNC110 - what somebody else's pipeline did sets no event of ours
            await asyncio.sleep(0.002)

    await within(poll(), seconds)
