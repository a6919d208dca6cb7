"""What was said and heard: segments, turns, replies, tools, and the items of a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Precision = Literal["exact", "estimated", "none"]
Trust = Literal["high", "low"]


@dataclass(frozen=True, slots=True, repr=False)
class Segment:
    """One final of the recogniser (or one typed or keyed entry).

    `started` is seconds of the call; `nbest` holds alternatives, best first.
    """

    text: str
    started: float
    id: str | None = None
    speaker: str | None = None
    language: str | None = None
    confidence: float | None = None
    nbest: tuple[str, ...] = ()
    source: Literal["speech", "typed", "dtmf"] = "speech"

    def __repr__(self) -> str:
        return f"<Segment started={self.started:.3f} source={self.source}>"


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """One turn of the caller.

    Args:
        number: 1-based among the committed turns of the call, by when speech started.
        key: stable id of this turn inside the call; survives renumbering and amendment.
        text: the finals joined, as said.
        started: seconds of the call.
        trust: `low` for promoted turns and for speech without voice activity.
        promoted: the recogniser closed the utterance without words; this is its last partial.
        incomplete: the call ended (or the process died) before the turn did.
    """

    number: int
    key: str
    text: str
    started: float
    segments: tuple[Segment, ...] = ()
    trust: Trust = "high"
    promoted: bool = False
    incomplete: bool = False

    @property
    def speaker(self) -> str | None:
        """The recogniser's label, where all segments agree on one."""
        labels = {s.speaker for s in self.segments}
        return labels.pop() if len(labels) == 1 else None

    @property
    def language(self) -> str | None:
        return next((s.language for s in self.segments if s.language), None)

    def __repr__(self) -> str:
        return f"<Turn {self.number} started={self.started:.3f} trust={self.trust}>"


@dataclass(frozen=True, slots=True, repr=False)
class HistoryItem:
    """One item of what really happened; `turn` is the caller turn it is or answers (0 before).

    `voices` holds the segments of a turn in which more than one voice spoke.
    """

    role: Literal["user", "assistant"]
    text: str
    started: float
    turn: int
    interrupted: bool = False
    precision: Precision = "exact"
    reply: str | None = None
    speaker: str | None = None
    promoted: bool = False
    incomplete: bool = False
    trust: Trust = "high"
    voices: tuple[Segment, ...] = ()

    def __repr__(self) -> str:
        return f"<HistoryItem {self.role} turn={self.turn}>"

    def report(self) -> dict[str, Any]:
        """The item in the replay report's form."""
        body: dict[str, Any] = {
            "role": self.role,
            "text": self.text,
            "started": self.started,
            "turn": self.turn,
        }
        if self.role == "assistant":
            body |= {"interrupted": self.interrupted, "precision": self.precision}
        if self.speaker is not None:
            body["speaker"] = self.speaker
        if self.promoted:
            body["promoted"] = True
        if self.incomplete:
            body["incomplete"] = True
        if self.trust == "low":
            body["trust"] = "low"
        return body


@dataclass(frozen=True, slots=True, repr=False)
class ToolRecord:
    """One tool call of the agent and its terminal state; `status` None while it runs."""

    id: str
    name: str
    args: dict[str, Any]
    called: float
    turn: int
    status: Literal["ok", "error", "cancelled"] | None = None
    result: Any = None
    returned: float | None = None
    told: bool = False
    """A heard reply has followed the result."""

    def __repr__(self) -> str:
        return f"<ToolRecord {self.id} status={self.status}>"

    def report(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "args": self.args,
            "status": self.status,
            "result": self.result,
        }
