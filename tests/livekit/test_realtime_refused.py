"""A provider that does not take a change of its model's context: what it was to be told is told next time."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, llm

from livekit_plugin import CallMemory, attach_session
from livekit_plugin.realtime import Realtime

from .conftest import MakeCall
from .kit import until, within
from .speaking_model import FakeRealtime, Live, memory_of


async def refusing(*_: Any, **__: Any) -> None:
    raise llm.RealtimeError("no acknowledgement")


async def begun(call: CallMemory) -> tuple[AgentSession[Any], Live, Realtime]:
    """A session that speaks, whose memory is refreshed by the test alone from here on."""
    model = FakeRealtime()
    session: AgentSession[Any] = AgentSession(
        llm=model, vad=None, turn_handling={"turn_detection": "realtime_llm"}
    )
    attached = attach_session(session, call)
    await within(session.start(Agent(instructions="BASE")))
    await call.memory.tasks.drain(call.memory.clock, 5.0)
    return session, model.sessions[0], attached._realtime


async def test_what_was_refused_is_told_the_next_time(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = make_call()
    session, live, memory = await begun(call)
    call.correct("/slots/party_size", 4, by="operator")
    await memory.refresh()
    assert "party_size = 4" in str(memory_of(live))
    call.correct("/slots/party_size", 5, by="operator")
    with monkeypatch.context() as away:
        away.setattr(live, "update_chat_ctx", refusing)
        with pytest.raises(llm.RealtimeError):
            await memory.refresh()
    assert "party_size = 4" in str(memory_of(live))
    await memory.refresh()
    assert "party_size = 5" in str(memory_of(live))
    await session.aclose()


async def test_a_roll_over_that_was_refused_is_tried_again(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    call = make_call()
    session, live, memory = await begun(call)
    for number in range(4):
        live.hears(f"The parcel number {number} came to my door broken.", f"user-{number}")
    await until(lambda: call.course.turn == 4)
    await call.memory.tasks.drain(call.memory.clock, 5.0)
    full = call.settings.realtime_tokens + 1
    live.reads(full)
    with monkeypatch.context() as away:
        away.setattr(live, "update_chat_ctx", refusing)
        with pytest.raises(llm.RealtimeError):
            await memory.refresh()
    live.reads(full)
    await memory.refresh()
    assert "user-0" not in {item.id for item in live.given.items}
    assert "realtime_tokens" not in caplog.text, (
        "nothing was left out yet, so that it did not help is not said"
    )
    await session.aclose()
