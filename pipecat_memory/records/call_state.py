"""The working notes of one call, as data: slots with their confidence, steps, questions, changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Confidence = Literal["confirmed", "pending", "inferred"]
By = Literal["caller", "model", "operator", "dtmf"]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class SlotValue:
    """What stands in a slot.

    Args:
        value: the value in its type's written form (ISO date, E.164, ...); a list where the
            slot is multi-valued.
        spoken: as the caller said it.
        confidence: `confirmed` stated and surely heard, keyed, read back or set by a person;
            `inferred` the best guess; `pending` waits for a yes.
        turn: caller turn it came from (0 = before the first, or from the profile).
        at: when, ISO 8601 with zone.
        asked: a rival value that stands to question, or None.
        asked_spoken: the rival as said.
    """

    value: Any
    spoken: str
    confidence: Confidence
    turn: int
    at: str
    asked: Any = None
    asked_spoken: str = ""

    def __repr__(self) -> str:
        return f"<SlotValue {self.confidence} turn={self.turn}>"

    def report(self) -> dict[str, Any]:
        body = {
            "value": self.value,
            "spoken": self.spoken,
            "confidence": self.confidence,
            "turn": self.turn,
            "at": self.at,
        }
        return body if self.asked is None else body | {"asked": self.asked}


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """One change of the notes: where, from what, to what, and the words that caused it."""

    turn: int
    path: str
    before: Any
    after: Any
    by: By
    quote: str | None = None

    def __repr__(self) -> str:
        return f"<Change turn={self.turn} by={self.by}>"

    def report(self) -> dict[str, Any]:
        cause: dict[str, Any] = {"by": self.by}
        if self.quote is not None:
            cause["quote"] = self.quote
        return {
            "turn": self.turn,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "cause": cause,
        }


@dataclass(frozen=True, slots=True, repr=False)
class CallState:
    """The notes as they stand. Immutable: every update makes a new one."""

    goal: str | None = None
    task: str | None = None
    topic: str | None = None
    step: str | None = None
    slots: dict[str, SlotValue] = field(default_factory=dict)
    pending_steps: tuple[str, ...] = ()
    completed_steps: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    updated_at: str | None = None
    mood: str | None = None
    """Of this call only; never kept."""

    def __repr__(self) -> str:
        return f"<CallState slots={len(self.slots)}>"

    def report(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "goal": self.goal,
            "task": self.task,
            "topic": self.topic,
            "step": self.step,
            "slots": {name: slot.report() for name, slot in self.slots.items()},
            "pending_steps": list(self.pending_steps),
            "completed_steps": list(self.completed_steps),
            "questions": list(self.questions),
            "updated_at": self.updated_at,
        }


@dataclass(frozen=True, slots=True, repr=False)
class NextStep:
    """What the agent would best do next, and why. `hint` says how to ask (letters one by one)."""

    action: Literal["ask_slot", "confirm", "call_tool", "answer"]
    reason: str
    slot: str | None = None
    tool: str | None = None
    args: dict[str, Any] | None = None
    hint: str | None = None

    def __repr__(self) -> str:
        return f"<NextStep {self.action}>"

    def report(self) -> dict[str, Any]:
        body: dict[str, Any] = {"action": self.action}
        if self.slot is not None:
            body["slot"] = self.slot
        if self.tool is not None:
            body["tool"] = self.tool
        if self.args is not None:
            body["args"] = self.args
        return body | {"reason": self.reason}
