"""The replay format: events as JSON lines, and what no call can contain."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from ..errors import EventError
from ..plausible import fault_of, is_zone
from .kinds import (
    CallEnded,
    CallerIdentified,
    CallStarted,
    Corrected,
    Documents,
    Dtmf,
    Event,
    Interrupted,
    MachineDetected,
    MemoryForgetLast,
    MemoryPaused,
    MemoryResumed,
    ModelAnswer,
    Party,
    ReplyEnded,
    ReplyHeard,
    ReplyStarted,
    ReplyText,
    RolledBack,
    SpeculationWithdrawn,
    ToolCalled,
    ToolReturned,
    TurnEnded,
    TurnSpeculated,
    UserFinal,
    UserPartial,
    UserStarted,
    UserStopped,
    UserTyped,
)

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


@cache
def fields_of(kind: type[Event]) -> tuple[str, ...]:
    """Names of a type's fields; looked at once a type, for every event is looked through field by field."""
    return tuple(field.name for field in fields(kind))


@cache
def _defaults_of(kind: type[Event]) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(kind) if field.name != "t")


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
    if unknown := sorted(k for k in body if k not in fields_of(cls)):
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
    for field in fields_of(type(event)):
        if (fault := fault_of(getattr(event, field))) is not None:
            raise EventError("wrong_value", f"{name}: {field} {fault}")
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
    for field, default in _defaults_of(type(event)):
        value = getattr(event, field)
        if value != default:
            body[field] = value.isoformat() if isinstance(value, datetime) else value
    return body


def _where(message: str) -> str:
    """What msgspec says names the type and the path, never the value: it is safe to pass on."""
    return message.replace("`", "")
