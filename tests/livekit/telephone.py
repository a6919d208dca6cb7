"""A room with a telephone line: LiveKit's own stand-in for a room, and SIP callers in it."""

from __future__ import annotations

from types import SimpleNamespace
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
        return self._comes(_Participant(identity, {"sip.phoneNumber": number}))

    def watches(self, identity: str, *, speaks: bool = False) -> Any:
        """Somebody comes in at a screen, who is heard only if they speak."""
        made = _Participant(identity, {}, rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD)
        if speaks:
            made.track_publications["TR_1"] = SimpleNamespace(
                kind=rtc.TrackKind.KIND_AUDIO, source=rtc.TrackSource.SOURCE_MICROPHONE
            )
        return self._comes(made)

    def _comes(self, made: Any) -> Any:
        self.room.remote_participants[made.identity] = made
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
    state = rtc.ParticipantState.PARTICIPANT_STATE_ACTIVE
    disconnect_reason: Any = None

    def __init__(
        self,
        identity: str,
        attributes: dict[str, str],
        kind: rtc.ParticipantKind.ValueType = rtc.ParticipantKind.PARTICIPANT_KIND_SIP,
    ) -> None:
        self.kind, self.attributes = kind, attributes
        self.identity, self.sid, self.name, self.metadata = identity, f"PA_{identity}", "", ""
        self.track_publications: dict[str, Any] = {}
