"""What can happen on a call: one plain dataclass a type, and the codec of the replay format.

Front doors build these from frames and session events; `pipecat-memory replay` reads them from
JSON lines. `t` is seconds from the call's start. Field names are those of the replay format.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

import msgspec

from .errors import EventError
from .plausible import fault_of, is_zone

How = Literal["number", "claimed", "verified"]


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
    reason: Literal[
        "hangup", "bot_ended", "transferred", "idle_timeout", "cancelled", "no_answer", "error", "crash"
    ]


TYPES: dict[str, type[Event]] = {
    "call_started": CallStarted,
    "caller_identified": CallerIdentified,
    "user_started": UserStarted,
    "user_stopped": UserStopped,
    "user_partial": UserPartial,
    "user_final": UserFinal,
    "user_typed": UserTyped,
    "dtmf": Dtmf,
    "turn_ended": TurnEnded,
    "turn_speculated": TurnSpeculated,
    "speculation_withdrawn": SpeculationWithdrawn,
    "reply_started": ReplyStarted,
    "reply_text": ReplyText,
    "reply_heard": ReplyHeard,
    "reply_ended": ReplyEnded,
    "interrupted": Interrupted,
    "tool_called": ToolCalled,
    "tool_returned": ToolReturned,
    "documents": Documents,
    "party": Party,
    "memory_paused": MemoryPaused,
    "memory_resumed": MemoryResumed,
    "memory_forget_last": MemoryForgetLast,
    "corrected": Corrected,
    "rolled_back": RolledBack,
    "machine_detected": MachineDetected,
    "model_answer": ModelAnswer,
    "call_ended": CallEnded,
}
NAMES: dict[type[Event], str] = {cls: name for name, cls in TYPES.items()}
_FIELDS = {cls: frozenset(f.name for f in fields(cls)) for cls in NAMES}


def decode(line: str | bytes) -> Event | None:
    """Read one line of the replay format.

    Args:
        line: one JSON object.

    Returns:
        The event, or None for the `format` header and blank lines.

    Raises:
        EventError: the line can't be taken; the message names the field, never its value.
    """
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
    except UnicodeDecodeError:
        raise EventError("malformed", "not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        return None
    try:
        obj = json.loads(text)
    except (ValueError, RecursionError):
        raise EventError("malformed", "not one JSON object a line") from None
    if not isinstance(obj, dict):
        raise EventError("malformed", "not a JSON object")
    return from_mapping(obj)


def from_mapping(obj: dict[str, Any]) -> Event | None:
    """Build an event from a decoded JSON object; see `decode`."""
    name = obj.get("type")
    if name == "format":
        if obj.get("version") != 1:
            raise EventError("wrong_value", "format: this release reads version 1")
        return None
    cls = TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise EventError("unknown_type", "type: not one of the replay format's event types")
    body = {k: v for k, v in obj.items() if k != "type" and not k.startswith("x_")}
    if unknown := sorted(k for k in body if k not in _FIELDS[cls]):
        raise EventError("unknown_key", f"{name}: {len(unknown)} unknown key(s); prefix your own with x_")
    if cls is not CallStarted and "t" not in body:
        raise EventError("wrong_value", f"{name}: t is missing (seconds from the call's start)")
    try:
        event = msgspec.convert(body, cls)
    except msgspec.ValidationError as error:
        raise EventError("wrong_value", f"{name}: {_where(str(error))}") from None
    check(event)
    return event


def check(event: Event) -> None:
    """Refuse absurd values: what no call can contain.

    Raises:
        EventError: kind `wrong_value`, naming the field.
    """
    name = NAMES[type(event)]
    if not math.isfinite(event.t) or event.t < 0 or event.t > 1e7:
        raise EventError("wrong_value", f"{name}: t must be seconds from the call's start, not negative")
    for field in fields(event):
        if (fault := fault_of(getattr(event, field.name))) is not None:
            raise EventError("wrong_value", f"{name}: {field.name} {fault}")
    if isinstance(event, CallStarted) and event.at.tzinfo is None:
        raise EventError("wrong_value", "call_started: at needs a zone, such as 2026-03-02T10:00:00+00:00")
    if isinstance(event, CallStarted) and not is_zone(event.timezone):
        raise EventError("wrong_value", "call_started: timezone must be an IANA name such as Europe/Lisbon")
    if isinstance(event, ReplyEnded) and event.played is not None and not 0 <= event.played <= 1:
        raise EventError("wrong_value", "reply_ended: played must be 0 to 1, or null where unknown")
    if isinstance(event, UserFinal) and event.started is not None and not 0 <= event.started <= 1e7:
        raise EventError("wrong_value", "user_final: started must be seconds from the call's start")


def encode(event: Event) -> dict[str, Any]:
    """The event as a JSON-ready object of the replay format; `decode` reads it back."""
    body: dict[str, Any] = {"type": NAMES[type(event)], "t": event.t}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name != "t" and value != field.default:
            body[field.name] = value.isoformat() if isinstance(value, datetime) else value
    return body


def _where(message: str) -> str:
    """What msgspec says names the type and the path, never the value: it is safe to pass on."""
    return message.replace("`", "")
