"""A room with a telephone line: LiveKit's own stand-in for a room, and SIP callers in it."""

from __future__ import annotations

from typing import Any

from livekit import rtc
from livekit.agents.ipc.mock_room import create_mock_room
from livekit.agents.voice.room_io import RoomOptions

SILENT = RoomOptions(audio_input=False, audio_output=False, text_output=False, text_input=False)
"""The room links participants; sound goes another way, or none."""


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

    def leaves(self, participant: Any, why: str = "CLIENT_INITIATED") -> None:
        """Somebody goes, for one of `rtc.DisconnectReason`."""
        self.room.remote_participants.pop(participant.identity, None)
        participant.disconnect_reason = rtc.DisconnectReason.Value(why)
        self.events.emit("participant_disconnected", participant)


class _Participant:
    kind = rtc.ParticipantKind.PARTICIPANT_KIND_SIP
    state = rtc.ParticipantState.PARTICIPANT_STATE_ACTIVE
    disconnect_reason: Any = None

    def __init__(self, identity: str, number: str) -> None:
        self.identity, self.sid, self.name, self.metadata = identity, f"PA_{identity}", "", ""
        self.attributes = {"sip.phoneNumber": number}
        self.track_publications: dict[str, Any] = {}
