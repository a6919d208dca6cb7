"""Who is on the line by now: a caller known late, or another one after a transfer."""

from __future__ import annotations

from typing import Any

from livekit import rtc
from livekit.agents import AgentSession, JobContext
from livekit.agents.job import DEFAULT_PARTICIPANT_KINDS

from pipecat_memory import CallMemory
from pipecat_memory.tasks import within

from .identity import identity_from

_LEFT = rtc.DisconnectReason
ENDINGS = {
    _LEFT.CLIENT_INITIATED: "hangup",
    _LEFT.ROOM_DELETED: "bot_ended",  # how an agent hangs up on a telephone
    _LEFT.ROOM_CLOSED: "bot_ended",
    _LEFT.PARTICIPANT_REMOVED: "bot_ended",
    _LEFT.USER_REJECTED: "no_answer",
    _LEFT.USER_UNAVAILABLE: "no_answer",
    _LEFT.SIP_TRUNK_FAILURE: "error",
    _LEFT.CONNECTION_TIMEOUT: "error",
    _LEFT.SIGNAL_CLOSE: "error",
    _LEFT.SERVER_SHUTDOWN: "error",
    _LEFT.STATE_MISMATCH: "error",
    _LEFT.JOIN_FAILURE: "error",
    _LEFT.MEDIA_FAILURE: "error",
}
"""Why a caller left, as call endings; of other reasons the session's own tells more."""
PEOPLE = DEFAULT_PARTICIPANT_KINDS
"""Who may be a person; agents, avatars and recorders are of other kinds."""


class Line:
    """Watches the participant that the session's room link listens to.

    `identity_from` names the first caller; this notices when LiveKit links somebody else.
    """

    def __init__(self, session: AgentSession[Any], call: CallMemory, context: JobContext | None) -> None:
        self._session = session
        self._call = call
        self._context = context
        self._linked: str | None = None
        self._ending: str | None = None
        self._last: str | None = None
        """Who was linked last, as far as it was asked: LiveKit may have let go of who leaves."""

    async def check(self) -> None:
        """Identify the call anew where the linked participant changed; bounded like the preload.

        What was known of the one before is out of reach at once, however long the new load takes.
        """
        participant = self._participant()
        if participant is None:
            return
        self._last = participant.identity
        if participant.identity == self._linked:
            return
        first, self._linked = self._linked is None, participant.identity
        caller = identity_from(self._context, participant)
        same = (caller.id, caller.person) == (self._call.caller.id, self._call.caller.person)
        # What the app said of its first caller goes before what the room knows of them.
        if same or (first and self._call.caller.known):
            return
        await within(self._call.memory.clock, self._call.settings.preload_wait, self._call.identify(caller))

    @property
    def room(self) -> rtc.Room | None:
        """The call's room, None before the session has one."""
        if self._context is not None:
            return self._context.room
        try:
            return self._session.room_io.room
        except RuntimeError:
            return None

    @property
    def ending(self) -> str | None:
        """How a call that ends now ends for its caller, None where the line doesn't tell.

        A session may close before it has seen its caller go (a job that ends with its room closes it too),
        and an agent that leaves a caller with somebody else has transferred the call.
        """
        linked = self._participant()
        if linked is None or self.room is None:
            return self._ending
        others = [p for p in self.room.remote_participants.values() if p.identity != linked.identity]
        return "transferred" if any(map(_speaks, others)) else None

    def left(self, participant: rtc.RemoteParticipant) -> None:
        """Somebody left the room."""
        if self.is_caller(participant):
            self._ending = ENDINGS.get(participant.disconnect_reason or _LEFT.UNKNOWN_REASON)

    def is_caller(self, participant: rtc.Participant | None) -> bool:
        """Whether keys pressed there are the caller's: a colleague on the line has keys too."""
        if (linked := self._participant()) is not None:
            self._last = linked.identity
        return participant is None or self._last in (None, participant.identity)

    def _participant(self) -> rtc.RemoteParticipant | None:
        try:
            return self._session.room_io.linked_participant
        except RuntimeError:
            return None  # started without a room


def _speaks(participant: rtc.RemoteParticipant) -> bool:
    """Whether somebody could take a call over, as opposed to one who only listens, such as a supervisor.

    A telephone always speaks; who sits at a screen does once they have published sound.
    """
    if participant.kind == rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD:
        return any(
            track.kind == rtc.TrackKind.KIND_AUDIO for track in participant.track_publications.values()
        )
    return participant.kind in PEOPLE
