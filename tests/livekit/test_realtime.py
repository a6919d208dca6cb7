"""Speech-to-speech models: no model node, and the caller's words come after the reply they caused."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, llm

from livekit_plugin import CallMemory, attach_session

from .conftest import MakeCall
from .kit import bot, until, within


class FakeRealtime(llm.RealtimeModel):
    """A model that speaks by itself; the test says what the provider reports."""

    def __init__(self, *, mutable: bool = True) -> None:
        super().__init__(
            capabilities=llm.RealtimeCapabilities(
                message_truncation=True,
                turn_detection=True,
                user_transcription=True,
                auto_tool_reply_generation=False,
                audio_output=False,
                manual_function_calls=False,
                mutable_chat_context=mutable,
            )
        )
        self.sessions: list[_Live] = []

    def session(self, *, turn_detection_disabled: bool = False) -> llm.RealtimeSession:
        self.sessions.append(_Live(self))
        return self.sessions[-1]

    async def aclose(self) -> None:
        pass


class _Live(llm.RealtimeSession):
    def __init__(self, model: FakeRealtime) -> None:
        super().__init__(model)
        self.given = llm.ChatContext.empty()
        self.instructions = ""

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self.given

    @property
    def tools(self) -> llm.ToolContext:
        return llm.ToolContext.empty()

    async def update_instructions(self, instructions: str) -> None:
        self.instructions = instructions

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        self.given = chat_ctx.copy()

    async def update_tools(self, tools: list[Any]) -> None: ...

    def update_options(self, **_: Any) -> None: ...

    def push_audio(self, frame: Any) -> None: ...

    def push_video(self, frame: Any) -> None: ...

    def generate_reply(self, **_: Any) -> asyncio.Future[llm.GenerationCreatedEvent]:
        return asyncio.get_running_loop().create_future()

    def commit_audio(self) -> None: ...

    def clear_audio(self) -> None: ...

    def interrupt(self) -> None: ...

    def truncate(self, **_: Any) -> None: ...

    async def aclose(self) -> None: ...

    def replies(self, text: str, id: str) -> None:
        """The provider answers the caller by itself."""

        async def stream(*items: Any) -> AsyncGenerator[Any]:
            for item in items:
                yield item

        kinds: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        kinds.set_result(["text"])
        message = llm.MessageGeneration(
            message_id=id, text_stream=stream(text), audio_stream=stream(), modalities=kinds
        )
        self.emit(
            "generation_created",
            llm.GenerationCreatedEvent(
                message_stream=stream(message), function_stream=stream(), user_initiated=False, response_id=id
            ),
        )


async def started(call: CallMemory, model: FakeRealtime) -> AgentSession[Any]:
    session: AgentSession[Any] = AgentSession(
        llm=model, vad=None, turn_handling={"turn_detection": "realtime_llm"}
    )
    attach_session(session, call)
    await within(session.start(Agent(instructions="BASE")))
    return session


@pytest.mark.parametrize("dated", [True, False])
async def test_words_that_come_after_their_answer_stand_before_it(make_call: MakeCall, dated: bool) -> None:
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    begun = time.time()
    live.emit("input_speech_started", llm.InputSpeechStartedEvent())
    live.emit("input_speech_stopped", llm.InputSpeechStoppedEvent(user_transcription_enabled=True))
    live.replies("At nine.", "reply-1")
    await until(lambda: any(i.type == "message" and i.role == "assistant" for i in session.history.items))
    live.emit(
        "input_audio_transcription_completed",
        llm.InputTranscriptionCompleted(
            item_id="user-1",
            transcript="When do you open?",
            is_final=True,
            turn_started_at=begun if dated else None,
        ),
    )
    await session.aclose()
    await until(lambda: call.summary is not None)
    assert [(i.role, i.text) for i in call.course.history()] == [
        ("user", "When do you open?"),
        ("assistant", "At nine."),
    ]


async def test_the_caller_is_in_the_models_context_and_not_in_history(make_call: MakeCall) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts.")
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    await until(lambda: "walnuts" in str(model.sessions[0].given.to_dict()))
    (told,) = [
        i for i in model.sessions[0].given.items if i.type == "message" and "walnuts" in str(i.content)
    ]
    assert told.role == "user"
    assert "walnuts" not in model.sessions[0].instructions
    assert "walnuts" not in str(session.history.to_dict())
    await session.aclose()


async def test_a_model_that_takes_no_changes_is_named(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts.")
    with caplog.at_level(logging.WARNING, "livekit.plugins.pipecat_memory"):
        session = await started(make_call(), FakeRealtime(mutable=False))
        await until(lambda: "takes no context changes" in caplog.text)
    await session.aclose()
