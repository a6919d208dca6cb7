"""A session linked to a room by LiveKit's own RoomIO: SIP callers, transfers, keys, hang-ups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession

from livekit_plugin import Caller, CallMemory, attach_session
from livekit_plugin.attach import Attachment

from .conftest import MakeCall
from .kit import FakeLLM, until, within
from .telephone import SILENT, Telephone

NUMBER = "+15551230001"


@dataclass
class Started:
    """A session in a room."""

    session: AgentSession[Any]
    memory: Attachment
    line: Telephone
    model: FakeLLM


@pytest.fixture
async def started() -> AsyncIterator[Any]:
    sessions: list[Started] = []

    async def start(call: CallMemory) -> Started:
        model, line = FakeLLM(), Telephone()
        session: AgentSession[Any] = AgentSession(
            llm=model, vad=None, turn_handling={"turn_detection": None}, user_away_timeout=None
        )
        memory = attach_session(session, call)
        await within(session.start(Agent(instructions="BASE"), room=line.room, room_options=SILENT))
        sessions.append(Started(session, memory, line, model))
        return sessions[-1]

    yield start
    for one in sessions:
        await within(one.session.aclose())
        await within(one.memory.finished())


async def test_a_caller_who_comes_after_the_start_is_known(make_call: MakeCall, started: Any) -> None:
    first = await started(make_call(Caller.phone(NUMBER, how="verified")))
    await first.session.run(user_input="My name is Wren Abbott")
    await first.session.aclose()
    await first.memory.finished()
    call = make_call(None)
    rig = await started(call)
    rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="Hello")
    assert (call.caller.id, call.caller.how) == (NUMBER, "number")
    assert any("Wren" in text for _, text in rig.model.prompts[0])


async def test_a_warm_transfer_changes_the_caller(make_call: MakeCall, started: Any) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="My name is Wren Abbott")
    rig.line.joins("sip_2", "+15551230002")
    rig.session.room_io.set_participant("sip_2")
    await rig.session.run(user_input="Hello")
    assert call.caller.id == "+15551230002"


async def test_keys_of_the_caller_count_and_a_colleagues_do_not(make_call: MakeCall, started: Any) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller, colleague = rig.line.joins("sip_1", NUMBER), rig.line.joins("sip_2", "+15551230002")
    rig.line.presses(colleague, "99#")
    rig.line.presses(caller, "4711#")
    assert [i.text for i in call.course.history()] == ["4711"]


async def test_a_caller_who_leaves_hangs_up(make_call: MakeCall, started: Any) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller = rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="My name is Wren Abbott")
    rig.line.leaves(caller)
    await until(lambda: call.summary is not None)
    assert call.course.ended == "hangup"
