"""Who is on the line: by number, by job, by attribute, late, and after a transfer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from livekit import rtc
from livekit.protocol.agent import Job

from livekit_plugin import Caller, identity_from
from livekit_plugin.line import Line

from .conftest import MakeCall
from .kit import bot

SIP = rtc.ParticipantKind.PARTICIPANT_KIND_SIP
STANDARD = rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD
NUMBER = "+15551230001"


@dataclass
class Participant:
    """What the room tells of somebody who joined."""

    identity: str
    kind: Any
    attributes: dict[str, str]


@dataclass
class Context:
    """A job, as far as an identity needs it."""

    job: Job


def participant(identity: str = "sip_+15559990000", kind: Any = SIP, **attributes: str) -> Any:
    return Participant(identity, kind, {k.replace("__", "."): v for k, v in attributes.items()})


PHONE = f'{{"phone_number": "{NUMBER}"}}'
TABLE: list[tuple[str, str, Any, tuple[str | None, str]]] = [
    ("sip number", "", participant(sip__phoneNumber="+1 555 123 0001"), (NUMBER, "number")),
    ("sip before metadata", PHONE, participant(sip__phoneNumber="+15551230002"), ("+15551230002", "number")),
    ("hidden", "", participant(sip__phoneNumber="anonymous"), (None, "number")),
    ("hidden before metadata", PHONE, participant(sip__phoneNumber=""), (None, "number")),
    ("identity is no caller id", "", participant(), (None, "number")),
    ("metadata", PHONE, None, (NUMBER, "claimed")),
    ("metadata with a participant", PHONE, participant(), (NUMBER, "claimed")),
    ("metadata is no JSON", "phone", participant(), (None, "number")),
    ("metadata is a list", "[1]", participant(), (None, "number")),
    ("metadata of another type", '{"phone_number": 5}', participant(), (None, "number")),
    ("attribute", "", participant("web", STANDARD, caller="customer-7"), ("customer-7", "number")),
    ("metadata before attribute", PHONE, participant("web", STANDARD, caller="seven"), (NUMBER, "claimed")),
    ("nobody", "", None, (None, "number")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("metadata", "who", "expected"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_identity(metadata: str, who: Any, expected: tuple[str | None, str]) -> None:
    context: Any = Context(Job(metadata=metadata))
    caller = identity_from(context, who)
    assert (caller.id, caller.how) == expected


def test_without_a_job() -> None:
    assert identity_from(None, None) == Caller.nobody()
    assert identity_from(None, participant(sip__phoneNumber=NUMBER)).id == NUMBER


class Linked:
    """What `session.room_io` tells: whom the session listens to."""

    def __init__(self) -> None:
        self.linked_participant: Any = None


async def test_a_caller_known_late_is_identified(make_call: MakeCall) -> None:
    await known(make_call)
    call, room = make_call(None), Linked()
    line = Line(_session(room), call, None)
    await line.check()
    assert not call.caller.known
    room.linked_participant = participant(sip__phoneNumber=NUMBER)
    await line.check()
    assert call.caller.id == NUMBER
    await line.check()
    await call.close("hangup")


async def test_a_transfer_changes_the_caller_and_drops_what_was_known(make_call: MakeCall) -> None:
    await known(make_call)
    call, room = make_call(), Linked()
    line = Line(_session(room), call, None)
    room.linked_participant = participant("first", sip__phoneNumber=NUMBER)
    await line.check()
    await call.preload(1.0)
    assert "walnuts" in call.briefing().stable
    room.linked_participant = participant("second", sip__phoneNumber="+15551230009")
    await line.check()
    assert call.caller.id == "+15551230009"
    assert call.briefing().stable == ""
    room.linked_participant = participant("third", sip__phoneNumber="anonymous")
    await line.check()
    assert not call.caller.known
    await call.close("hangup")


async def test_the_apps_own_caller_goes_before_the_first_link(make_call: MakeCall) -> None:
    call, room = make_call(), Linked()
    line = Line(_session(room), call, None)
    room.linked_participant = participant("browser", STANDARD)
    await line.check()
    assert call.caller.id == NUMBER
    await call.close("hangup")


async def known(make_call: MakeCall) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts.")


def _session(room: Linked) -> Any:
    class Session:
        room_io = room

    return Session()
