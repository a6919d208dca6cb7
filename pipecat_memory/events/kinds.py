"""One plain dataclass a type of event. Field names are those of the replay format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

How = Literal["number", "claimed", "verified"]


EndReason = Literal[
    "hangup", "bot_ended", "transferred", "idle_timeout", "cancelled", "no_answer", "error", "crash"
]
"""Why a call ended."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Event:
    """The base of all events. Its repr names the type only: events carry what callers say."""

    t: float = 0.0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} t={self.t:.3f}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CallStarted(Event):
    call: str
    at: datetime
    caller: str | None
    timezone: str = "UTC"
    direction: Literal["inbound", "outbound"] = "inbound"
    how: How = "number"
    person: str | None = None
    tenant: str | None = None
    remember: bool = True
    schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CallerIdentified(Event):
    caller: str | None
    how: How
    person: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserStarted(Event):
    """Voice activity began."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserStopped(Event):
    """Voice activity ended."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserPartial(Event):
    """An interim transcript: provisional, may only prefetch."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserFinal(Event):
    """A final transcript segment. `started` is when its speech began, seconds of the call."""

    text: str
    id: str | None = None
    started: float | None = None
    speaker: str | None = None
    language: str | None = None
    confidence: float | None = None
    nbest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserTyped(Event):
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Dtmf(Event):
    digits: str
    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TurnEnded(Event):
    """The caller's turn is over; several finals may precede it, late ones may follow."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TurnSpeculated(Event):
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SpeculationWithdrawn(Event):
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyStarted(Event):
    reply: str
    record: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyText(Event):
    """Generated text of a reply, appended. A draft, not history."""

    reply: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyHeard(Event):
    """Evidence of playback, appended; `chars` = pieces are joined without spaces."""

    reply: str
    text: str
    seq: int | None = None
    chars: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyEnded(Event):
    """A reply is over. `played` is the share heard, 0..1, or None where nobody knows."""

    reply: str
    interrupted: bool
    played: float | None = None
    timed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Interrupted(Event):
    """The caller cut in (barge-in)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolCalled(Event):
    id: str
    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolReturned(Event):
    id: str
    status: Literal["ok", "error", "cancelled"]
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Documents(Event):
    """What the app's own retrieval found for this turn: `{"id","text","fields"?}` each."""

    docs: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Party(Event):
    event: Literal["joined", "left"]
    role: Literal["caller", "other", "human_agent"]
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MemoryPaused(Event):
    """Off the record from here."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MemoryResumed(Event):
    """On the record again."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MemoryForgetLast(Event):
    """Drop the last committed turn and all that came from it."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Corrected(Event):
    """A person mended the state. `path` is a JSON Pointer into it."""

    path: str
    value: Any
    by: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RolledBack(Event):
    """The notes were put back to what they were after that turn; 0 = before the first."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MachineDetected(Event):
    kind: Literal["voicemail", "ivr", "unavailable"] = "voicemail"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelAnswer(Event):
    """A recorded model answer, for replay. `delay` is seconds from request to answer."""

    purpose: Literal["extract", "summarise", "compress", "consolidate"]
    text: str = ""
    finish: Literal["stop", "length", "error", "timeout"] = "stop"
    delay: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CallEnded(Event):
    reason: EndReason
