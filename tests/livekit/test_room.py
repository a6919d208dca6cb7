"""A session linked to a room by LiveKit's own RoomIO: SIP callers, transfers, keys, hang-ups."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession

from livekit_plugin import Caller, CallMemory, attach_session
from livekit_plugin.attachment import Attachment

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


@pytest.mark.parametrize(
    ("why", "ended"),
    [("CLIENT_INITIATED", "hangup"), ("ROOM_DELETED", "bot_ended"), ("USER_REJECTED", "no_answer")],
)
async def test_a_caller_who_leaves_ends_the_call(
    make_call: MakeCall, started: Any, why: str, ended: str
) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller = rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="My name is Wren Abbott")
    rig.line.leaves(caller, why)
    await until(lambda: call.summary is not None)
    assert call.course.ended == ended


async def test_a_caller_who_left_hung_up_whoever_closes_the_session(
    make_call: MakeCall, started: Any
) -> None:
    """A job that ends with its room closes the session itself, as the app does, before or after RoomIO."""
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller = rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="My name is Wren Abbott")
    closing = asyncio.create_task(rig.session.aclose())
    await asyncio.sleep(0)
    rig.line.leaves(caller)
    await within(closing)
    await within(rig.memory.finished())
    assert call.course.ended == "hangup"


async def test_a_caller_lost_on_the_way_is_no_hang_up(make_call: MakeCall, started: Any) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    rig.line.leaves(rig.line.joins("sip_1", NUMBER), "CONNECTION_TIMEOUT")
    await within(rig.session.aclose())
    await within(rig.memory.finished())
    assert call.course.ended == "error"


async def test_who_left_and_came_back_or_was_not_the_caller_tells_nothing(
    make_call: MakeCall, started: Any
) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller, colleague = rig.line.joins("sip_1", NUMBER), rig.line.joins("sip_2", "+15551230002")
    rig.line.leaves(colleague)
    rig.line.leaves(caller, "CONNECTION_TIMEOUT")
    rig.line.joins("sip_1", NUMBER)
    await within(rig.session.aclose())
    await within(rig.memory.finished())
    assert call.course.ended == "bot_ended"


@pytest.mark.parametrize(("speaks", "ended"), [(False, "bot_ended"), (True, "transferred")])
async def test_who_only_listens_takes_no_call_over(
    make_call: MakeCall, started: Any, speaks: bool, ended: str
) -> None:
    """A supervisor at a screen is in the room; the agent hangs up."""
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    rig.line.joins("sip_1", NUMBER)
    await rig.session.run(user_input="A table for four")
    rig.line.watches("desk", speaks=speaks)
    await within(rig.session.aclose())
    await within(rig.memory.finished())
    assert call.course.ended == ended


async def test_who_leaves_behind_the_caller_does_not_tell_how_the_caller_left(
    make_call: MakeCall, started: Any
) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    caller, colleague = rig.line.joins("sip_1", NUMBER), rig.line.joins("sip_2", "+15551230002")
    await rig.session.run(user_input="A table for four")
    rig.line.leaves(caller, "CONNECTION_TIMEOUT")
    rig.line.leaves(colleague, "ROOM_DELETED")
    await within(rig.session.aclose())
    await within(rig.memory.finished())
    assert call.course.ended == "error"


@pytest.mark.parametrize("why", ["SERVER_SHUTDOWN", "SIGNAL_CLOSE", "JOIN_FAILURE", "STATE_MISMATCH"])
async def test_a_line_that_broke_is_no_end_by_the_agent(make_call: MakeCall, started: Any, why: str) -> None:
    call = make_call(Caller.phone(NUMBER))
    rig = await started(call)
    rig.line.leaves(rig.line.joins("sip_1", NUMBER), why)
    await within(rig.session.aclose())
    await within(rig.memory.finished())
    assert (call.course.ended, call.course.outcome) == ("error", "failed")
