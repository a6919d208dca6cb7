"""A session linked to a room by LiveKit's own RoomIO: SIP callers, transfers, keys, hang-ups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.agents.ipc.mock_room import create_mock_room
from livekit.agents.voice.room_io import RoomOptions

from livekit_plugin import Caller, CallMemory, attach_session
from livekit_plugin.attach import Attachment

from .conftest import MakeCall
from .kit import FakeLLM, until, within

NUMBER = "+15551230001"


class Telephone:
    """LiveKit's own stand-in for a room (the one `console` uses), with participants and events."""

    def __init__(self) -> None:
        self.room = create_mock_room.__wrapped__()
        self.events: rtc.EventEmitter[str] = rtc.EventEmitter()
        self.room.on, self.room.off = self.events.on, self.events.off
        self.room.remote_participants = {}

    def joins(self, identity: str, number: str) -> Any:
        """A SIP participant comes in."""
        made = _Participant(identity, number)
        self.room.remote_participants[identity] = made
        self.events.emit("participant_connected", made)
        return made

    def presses(self, participant: Any, digits: str) -> None:
        for digit in digits:
            self.events.emit("sip_dtmf_received", rtc.SipDTMF(code=1, digit=digit, participant=participant))

    def leaves(self, participant: Any) -> None:
        participant.disconnect_reason = rtc.DisconnectReason.CLIENT_INITIATED
        self.events.emit("participant_disconnected", participant)


class _Participant:
    kind = rtc.ParticipantKind.PARTICIPANT_KIND_SIP
    state = rtc.ParticipantState.PARTICIPANT_STATE_ACTIVE
    disconnect_reason: Any = None

    def __init__(self, identity: str, number: str) -> None:
        self.identity, self.sid, self.name, self.metadata = identity, f"PA_{identity}", "", ""
        self.attributes = {"sip.phoneNumber": number}
        self.track_publications: dict[str, Any] = {}


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
        options = RoomOptions(audio_input=False, audio_output=False, text_output=False, text_input=False)
        await within(session.start(Agent(instructions="BASE"), room=line.room, room_options=options))
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
