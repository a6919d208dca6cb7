"""Speech-to-speech models: no model node, and the caller's words come after the reply they caused."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, llm
from livekit.agents.metrics import RealtimeModelMetrics

from livekit_plugin import CallMemory, attach_session

from .conftest import MakeCall
from .kit import bot, until, within


class FakeRealtime(llm.RealtimeModel):
    """A model that speaks by itself; the test says what the provider reports."""

    def __init__(self, *, mutable: bool = True, reusable: bool = False) -> None:
        super().__init__(
            capabilities=llm.RealtimeCapabilities(
                message_truncation=True,
                turn_detection=True,
                user_transcription=True,
                auto_tool_reply_generation=False,
                audio_output=False,
                manual_function_calls=False,
                mutable_chat_context=mutable,
                mutable_instructions=reusable,
                mutable_tools=reusable,
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
        self.updates = 0

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
        self.updates += 1

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

    def hears(self, text: str, id: str) -> None:
        """The provider has the words of a turn."""
        self.given.add_message(role="user", content=text, id=id)
        self.emit(
            "input_audio_transcription_completed",
            llm.InputTranscriptionCompleted(item_id=id, transcript=text, is_final=True),
        )

    def reads(self, tokens: int) -> None:
        """The provider reports what it read for its last reply."""
        metrics = RealtimeModelMetrics(
            request_id="reply",
            timestamp=0.0,
            input_tokens=tokens,
            input_token_details=RealtimeModelMetrics.InputTokenDetails(),
            output_token_details=RealtimeModelMetrics.OutputTokenDetails(),
        )
        self.emit("metrics_collected", metrics)

    def replies(self, text: str, id: str) -> None:
        """The provider answers the caller by itself."""
        self.given.add_message(role="assistant", content=text, id=id)

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


def memory_of(live: _Live) -> list[str]:
    """The blocks in the model's own context, in order."""
    texts = [(i.role, i.text_content or "") for i in live.given.items if i.type == "message"]
    assert all(role == "user" for role, text in texts if text.startswith("<memory"))
    return [text for _, text in texts if text.startswith("<memory")]


async def known(make_call: MakeCall) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts.")


async def test_the_caller_is_in_the_models_context_and_nowhere_else(make_call: MakeCall) -> None:
    await known(make_call)
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    await until(lambda: "walnuts" in str(memory_of(model.sessions[0])))
    assert model.sessions[0].instructions == "BASE"
    assert "walnuts" not in str(session.history.to_dict())
    assert "walnuts" not in str(session.current_agent.chat_ctx.to_dict())
    await session.aclose()


async def test_what_is_noted_reaches_the_model_before_the_next_turn(make_call: MakeCall) -> None:
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    for number, words in enumerate(("A table for four", "No, for five please")):
        # The provider knows the caller's sound before anybody has its words.
        live.given.add_message(role="user", content="", id=f"sound-{number}")
        await exchange(session, live, number, words)
        wanted = "party_size = 5" if number else "party_size = 4"
        await until(lambda wanted=wanted: wanted in str(memory_of(live)))
        assert len(memory_of(live)) == 1
        assert live.given.items[-1].id == "pipecat_memory.changing"
    assert [i.id for i in live.given.items if i.id.startswith("sound")] == ["sound-0", "sound-1"]
    assert "<memory" not in f"{session.history.to_dict()}{session.current_agent.chat_ctx.to_dict()}"
    await session.aclose()


async def test_nothing_is_changed_while_the_caller_speaks(make_call: MakeCall) -> None:
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    live.emit("input_speech_started", llm.InputSpeechStartedEvent())
    await until(lambda: session.user_state == "speaking")
    before = live.updates
    call.correct("/slots/party_size", 4, by="operator")
    live.hears("Hello there", "user-0")
    await until(lambda: bool(call.course.history()))
    await call.memory.tasks.drain(call.memory.clock, 1.0)
    assert live.updates == before
    live.emit("input_speech_stopped", llm.InputSpeechStoppedEvent(user_transcription_enabled=True))
    live.replies("All right.", "reply-0")
    await until(lambda: "party_size = 4" in str(memory_of(live)))
    await session.aclose()


async def test_a_full_context_is_rolled_over_with_a_briefing(make_call: MakeCall) -> None:
    await known(make_call)
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    for number in range(8):
        await exchange(session, live, number, f"The parcel number {number} came to my door broken.")
    assert {"user-0", "user-7"} <= ids(live)
    live.reads(call.settings.realtime_tokens + 1)
    await exchange(session, live, 8, "The parcel number 8 came to my door broken.")
    await until(lambda: "user-0" not in ids(live))
    assert [i.id for i in live.given.items][:2] == ["pipecat_memory.stable", "pipecat_memory.earlier"]
    assert "user-8" in ids(live)
    stable, earlier, _ = memory_of(live)
    assert "walnuts" in stable
    assert "number 0 " in earlier
    assert len([i for i in session.history.items if i.id.startswith("user")]) == 9
    kept = ids(live)
    live.reads(1000)
    await exchange(session, live, 9, "A table for four.")
    await until(lambda: "party_size" in str(memory_of(live)))
    assert kept <= ids(live)  # rolled once


@pytest.mark.parametrize("reused", [True, False])
async def test_a_handoff_is_briefed_too(make_call: MakeCall, reused: bool) -> None:
    await known(make_call)
    call, model = make_call(), FakeRealtime(reusable=reused)
    session = await started(call, model)
    await until(lambda: "walnuts" in str(memory_of(model.sessions[-1])))
    entered = asyncio.Event()

    class Second(Agent):
        async def on_enter(self) -> None:
            entered.set()

    session.update_agent(Second(instructions="SECOND"))
    await within(entered.wait())
    await exchange(session, model.sessions[-1], 0, "Hello")
    await until(lambda: "walnuts" in str(memory_of(model.sessions[-1])))
    assert len(model.sessions) == (1 if reused else 2)
    await session.aclose()


async def test_a_model_that_takes_no_changes_is_told_at_its_start(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    await known(make_call)
    model = FakeRealtime(mutable=False)
    with caplog.at_level(logging.WARNING, "livekit.plugins.pipecat_memory"):
        session = await started(make_call(), model)
        live = model.sessions[0]
        assert "walnuts" in str(memory_of(live))
        assert "takes no context changes" not in caplog.text
        for number in range(2):
            await exchange(session, live, number, "A table for four")
        await until(lambda: "takes no context changes" in caplog.text)
        await session.aclose()
    assert caplog.text.count("takes no context changes") == 1
    assert live.updates == 1


async def exchange(session: AgentSession[Any], live: _Live, number: int, words: str) -> None:
    """One turn and its answer, as the provider tells of them."""
    live.hears(words, f"user-{number}")
    live.replies("All right.", f"reply-{number}")
    await until(lambda: f"reply-{number}" in [i.id for i in session.history.items])
    await until(lambda: session.agent_state == "listening")


def ids(live: _Live) -> set[str]:
    return {i.id for i in live.given.items}
