"""Speech-to-speech models: no model node, and the caller's words come after the reply they caused."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, RunContext, function_tool, llm

from livekit_plugin import CallMemory, attach_session, requires_confirmed

from .conftest import ANA, MakeCall
from .kit import bot, until, within
from .speaking_model import FakeRealtime, Live, memory_of
from .telephone import SILENT, Telephone


async def started(
    call: CallMemory, model: FakeRealtime, agent: Agent | None = None, **room: Any
) -> AgentSession[Any]:
    session: AgentSession[Any] = AgentSession(
        llm=model, vad=None, turn_handling={"turn_detection": "realtime_llm"}
    )
    attach_session(session, call)
    await within(session.start(agent or Agent(instructions="BASE"), **room))
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


async def test_a_reply_that_the_app_asks_for_is_briefed_and_its_instructions_are_the_apps(
    make_call: MakeCall,
) -> None:
    await known(make_call)
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    await until(lambda: bool(memory_of(live)))
    await within(session.generate_reply(instructions="Greet the caller.").wait_for_playout())
    ((instructions, told),) = live.asked
    assert instructions == "Greet the caller."
    assert "walnuts" in str(told)
    assert [(i.role, i.text) for i in call.course.history()] == [("assistant", "Good day.")]
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


async def test_the_next_step_names_a_guarded_tool(make_call: MakeCall) -> None:
    call, model = make_call(), FakeRealtime()

    @function_tool()
    @requires_confirmed("party_size", call=call)
    async def book(context: RunContext[Any]) -> str:
        """Book a table."""
        return "booked"

    session = await started(call, model, Agent(instructions="BASE", tools=[book]))
    call.correct("/slots/party_size", 4, by="operator")
    await exchange(session, model.sessions[0], 0, "Go ahead")
    await until(lambda: "call_tool book" in str(memory_of(model.sessions[0])))
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


async def test_instructions_longer_than_the_limit_are_no_reason_to_roll_over_each_turn(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    """Compaction to no effect: tried once, said once, and then only when much more has been said."""
    call, model = make_call(), FakeRealtime()
    session = await started(call, model)
    live = model.sessions[0]
    fixed = 3 * call.settings.realtime_tokens
    for number in range(8):
        live.reads(fixed)
        await exchange(session, live, number, f"The parcel number {number} came to my door broken.")
        await call.memory.tasks.drain(call.memory.clock, 1.0)
    # The first is rolled over with two turns; all that came since is still there.
    assert {f"user-{number}" for number in range(2, 8)} <= ids(live)
    assert "user-0" not in ids(live)
    assert caplog.text.count("realtime_tokens") == 1
    live.reads(2 * fixed + 1)
    await exchange(session, live, 8, "The parcel number 8 came to my door broken.")
    await until(lambda: "user-2" not in ids(live))
    await session.aclose()


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


async def exchange(session: AgentSession[Any], live: Live, number: int, words: str) -> None:
    """One turn and its answer, as the provider tells of them."""
    live.hears(words, f"user-{number}")
    live.replies("All right.", f"reply-{number}")
    await until(lambda: f"reply-{number}" in [i.id for i in session.history.items])
    await until(lambda: session.current_speech is None)


def ids(live: Live) -> set[str]:
    return {i.id for i in live.given.items}


async def test_a_caller_known_late_and_a_transfer_are_noticed(make_call: MakeCall) -> None:
    await known(make_call)
    call, model, line = make_call(None), FakeRealtime(), Telephone()
    session = await started(call, model, room=line.room, room_options=SILENT)
    live = model.sessions[0]
    await exchange(session, live, 0, "Hello there")
    assert not call.caller.known
    line.joins("sip_1", str(ANA.id))
    await exchange(session, live, 1, "It is me")
    await until(lambda: call.caller.id == ANA.id)
    line.joins("sip_2", "+15551230002")
    session.room_io.set_participant("sip_2")
    await exchange(session, live, 2, "Somebody else")
    await until(lambda: call.caller.id == "+15551230002")
    await until(lambda: "Goes by" not in str(memory_of(live)))
    await within(session.aclose())
