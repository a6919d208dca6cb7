"""What an event changed: the ledger's answer to the call, which journals and derives from it."""

from __future__ import annotations

from dataclasses import dataclass

from ..records.turn import HistoryItem, ToolRecord, Turn


@dataclass(frozen=True, slots=True)
class SegmentHeard:
    """The open turn grew; notes may run on it now."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class TurnCommitted:
    """A turn ended; it is history from here on."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class TurnAmended:
    """A committed turn changed: a late final, or words in the place of a promoted partial."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class TurnsRenumbered:
    """An earlier turn slotted in or left; `turns` holds the new numbers, keys are unchanged."""


@dataclass(frozen=True, slots=True)
class TurnForgotten:
    """The committed turn of this key is no longer history; drop what came from it."""

    key: str


@dataclass(frozen=True, slots=True)
class Promoted:
    """The recogniser closed an utterance without words; `turn` holds its last partial, low trust.

    `at` is when that partial came: journalled as a partial of that moment, it is promoted again.
    """

    turn: Turn
    partial_text: str
    at: float

    def __repr__(self) -> str:
        return f"<Promoted {self.turn!r}>"


@dataclass(frozen=True, slots=True)
class ReplyOpened:
    """A reply's inference was released; `record` False marks a filler that stays out of history."""

    reply: str
    record: bool


@dataclass(frozen=True, slots=True)
class ReplyCommitted:
    """A reply is over and something of it was heard."""

    item: HistoryItem


@dataclass(frozen=True, slots=True)
class ReplyAmended:
    """Late evidence changed what was heard of a committed reply."""

    item: HistoryItem


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call reached its terminal state, or a real result replaced an assumed cancellation."""

    record: ToolRecord


@dataclass(frozen=True, slots=True)
class Rejected:
    """An event that can't be taken; `id` is the reply's, tool's or final's id, never text."""

    reason: str
    id: str


@dataclass(frozen=True, slots=True)
class CallOver:
    """The call ended; comes once."""

    reason: str
    outcome: str


Effect = (
    SegmentHeard
    | TurnCommitted
    | TurnAmended
    | TurnsRenumbered
    | TurnForgotten
    | Promoted
    | ReplyOpened
    | ReplyCommitted
    | ReplyAmended
    | ToolFinished
    | Rejected
    | CallOver
)
