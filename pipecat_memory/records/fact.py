"""What is kept about a caller across calls: claims (what was said once) and facts (what holds)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Op = Literal["set", "add", "retract"]
Status = Literal["current", "superseded", "retracted", "pending", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Claim:
    """One thing a caller said once, grounded in the words of one turn. Never edited.

    A profile's facts are a pure function of the set of its claims (`writing.reconcile`).

    Args:
        call, turn: where it was said; `at` is when, ISO 8601 UTC, and orders claims.
        key: what it is about (`home_city`, `allergy`, ...), lower snake case.
        value: canonical value, text: a sentence in the caller's language.
        quote: the caller's own words.
        subject: `caller`, or `other: <who>`.
        by: who said or set it: `caller`, `model` never; `operator` for corrections.
        strength: 1 weak identity, 2 verified; weak never overwrites what verified confirmed.
    """

    call: str
    turn: int
    seq: int
    at: str
    kind: str = "fact"
    key: str
    value: Any
    text: str
    quote: str
    op: Op = "set"
    subject: str = "caller"
    explicit: bool = True
    importance: float = 0.5
    speaker: str | None = None
    language: str | None = None
    strength: int = 1
    pending: bool = False
    sensitive: bool = False
    line: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    relations: tuple[tuple[str, str], ...] = ()
    """(relation, who): who a named person is to the caller."""

    def __repr__(self) -> str:
        return f"<Claim {self.call}/{self.turn}/{self.seq}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fact:
    """What holds (or held) about a caller, with its period, its words and its standing."""

    id: str
    kind: str
    key: str
    value: Any
    text: str
    status: Status
    speaker: str | None
    language: str | None
    valid_from: str
    valid_to: str | None
    call: str
    turn: int
    quote: str
    seen: int
    importance: float
    subject: str = "caller"
    sensitive: bool = False
    line: str = ""
    strength: int = 1
    corrects: str | None = None
    """Id of the fact this one replaced by a correction."""
    disputes: str | None = None
    """Id of the current fact that this pending one could not replace: the caller is to be asked."""
    relations: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"<Fact {self.id} {self.status}>"

    def report(self) -> dict[str, Any]:
        """The fact in the replay report's form; `subject` where it is about somebody else."""
        other = {} if self.subject == "caller" else {"subject": self.subject}
        return other | {
            "kind": self.kind,
            "key": self.key,
            "value": self.value,
            "text": self.text,
            "status": self.status,
            "speaker": self.speaker,
            "language": self.language,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "source": {"call": self.call, "turn": self.turn, "quote": self.quote},
            "seen": self.seen,
            "importance": self.importance,
        }
