"""LiveKit's own warm transfer: a colleague is rung up, told, and put through. The paid service is a fake."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from livekit import api, rtc
from livekit.agents import Agent, AgentSession, JobContext, RunContext, ToolError, function_tool
from livekit.agents.beta.workflows import WarmTransferTask, warm_transfer

from livekit_plugin import CallMemory

from .conftest import MakeCall
from .kit import Answer, Call, Rig, a_job, bot, until, within
from .telephone import Telephone

ASKED = "A table for four, and a person please"
CALLER, COLLEAGUE = "+15551230001", "+15551230002"


class Exchange:
    """What LiveKit's SIP and room services do, for the caller's room and the colleague's."""

    def __init__(self, caller: Telephone, colleague: Telephone) -> None:
        self.caller, self.colleague = caller, colleague
        self.deleted: list[str] = []

    async def create_sip_participant(self, request: api.CreateSIPParticipantRequest) -> None:
        self.colleague.joins(request.participant_identity, request.sip_call_to)

    async def move_participant(self, request: api.MoveParticipantRequest) -> None:
        moved = self.colleague.room.remote_participants[request.identity]
        self.colleague.leaves(moved)
        self.caller.joins(request.identity, COLLEAGUE)


@dataclass
class Transfer:
    """A caller, a colleague, and the session that brings them together."""

    rig: Rig
    line: Telephone
    tasks: list[WarmTransferTask]

    @property
    def with_colleague(self) -> AgentSession[Any]:
        session = self.tasks[0]._human_agent_sess
        assert session is not None
        return session

    async def dialled(self) -> None:
        """The colleague is on the phone."""
        await until(lambda: bool(self.tasks) and self.tasks[0]._human_agent_sess is not None)


@asynccontextmanager
async def transfer(
    call: CallMemory, monkeypatch: pytest.MonkeyPatch, *answers: Answer
) -> AsyncGenerator[Transfer]:
    """A caller has asked for a person, and the agent dials."""
    line, desk = Telephone(), Telephone()
    exchange = Exchange(line, desk)
    monkeypatch.setenv("LIVEKIT_API_KEY", "key")
    monkeypatch.setenv("LIVEKIT_API_SECRET", "s" * 32)
    monkeypatch.setattr(JobContext, "api", SimpleNamespace(sip=exchange, room=exchange))
    rooms = SimpleNamespace(Room=lambda: desk.room, DisconnectReason=rtc.DisconnectReason)
    monkeypatch.setattr(warm_transfer, "rtc", rooms)
    desk.room.connect = line.room.connect = _done
    tasks: list[WarmTransferTask] = []

    class Host(Agent):
        @function_tool()
        async def to_a_person(self, context: RunContext[Any]) -> str:
            """Put the caller through to a person."""
            task = WarmTransferTask(
                COLLEAGUE, sip_trunk_id="trunk", hold_audio=None, vad=None, turn_detection="manual"
            )
            tasks.append(task)
            try:
                await task
            except ToolError as error:
                return error.message
            return "put through"

    line.joins("sip_1", CALLER)
    with a_job(line.room):
        async with bot(
            call, answers=[Call("to_a_person"), *answers], line=line, agent=Host(instructions="HOST")
        ) as rig:
            rig.session.generate_reply(user_input=ASKED)
            made = Transfer(rig, line, tasks)
            await made.dialled()
            yield made


async def _done(*_: Any, **__: Any) -> None: ...


async def test_the_colleague_is_told_and_the_caller_stays_who_they_are(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = make_call()
    async with transfer(call, monkeypatch, Call("connect_to_caller"), "You are through.") as on:
        on.with_colleague.generate_reply(user_input="My name is Ben, put them through")
        await until(lambda: "You are through." in str(on.rig.session.history.to_dict()))
        # What goes on between agent and colleague is another conversation.
        assert "<memory" not in str(on.rig.llm.prompts[1])
        assert [len([t for _, t in p if "<memory" in t]) > 0 for p in on.rig.llm.prompts] == [
            True,
            False,
            True,
        ]
        assert on.rig.memory.hook_errors == 0
        assert call.caller.id == CALLER
        on.line.presses(on.line.room.remote_participants["human-agent-sip"], "99#")
        await within(on.rig.session.aclose())
    assert [i.text for i in call.course.history() if i.role == "user"] == [
        "A table for four, and a person please"
    ]
    assert "name" not in call.state["slots"]
    # The agent leaves, the caller and the colleague stay on the line.
    assert call.course.ended == "transferred"
    assert call.summary is not None


async def test_a_colleague_who_declines_leaves_the_caller_with_the_agent(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = make_call()
    declined = Call("decline_transfer", {"reason": "busy"})
    async with transfer(call, monkeypatch, declined, "Nobody is free.", "At six.") as on:
        on.with_colleague.generate_reply(user_input="Not now")
        await until(lambda: "Nobody is free." in str(on.rig.session.history.to_dict()))
        await on.rig.session.run(user_input="Then on Friday at six")
        assert "party_size" in str(on.rig.llm.prompts[-1])
        await within(on.rig.session.aclose())
    assert call.course.ended == "bot_ended"
    assert {"party_size", "date", "time"} <= set(call.state["slots"])


async def test_a_caller_who_hangs_up_while_on_hold(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = make_call()
    async with transfer(call, monkeypatch) as on:
        on.line.leaves(on.line.room.remote_participants["sip_1"])
        await until(lambda: bool(on.rig.closes))
        await within(on.rig.memory.finished())
    assert call.course.ended == "hangup"
    assert [i.text for i in call.course.history()] == [ASKED]
