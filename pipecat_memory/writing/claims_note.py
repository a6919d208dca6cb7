"""The journal's record of what the deep path found in one turn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from ..notes.patch import DeepPatch
from ..records.fact import Claim
from ..records.turn import Turn
from .asked import asked_key
from .extract import ExtractionResult


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ClaimsNote:
    """What was found, and in which words: a turn may be amended after it was asked about.

    Args:
        turn: key of the turn.
        words: hash of the turn's text; "" in records of before there was one.
        asked: the caller asked for these to be kept; they stand beside what was found by the model.
    """

    turn: str
    words: str = ""
    claims: tuple[Claim, ...] = ()
    patch: DeepPatch = field(default_factory=DeepPatch)
    asked: bool = False

    @classmethod
    def of(cls, result: ExtractionResult) -> ClaimsNote:
        """The record of a result; moods are of the call only and never kept."""
        return cls(
            turn=result.turn.key,
            words=_hash(result.turn.text),
            claims=result.claims,
            patch=replace(result.patch, mood=None),
        )

    @property
    def key(self) -> str:
        """Under what these claims stand in a call."""
        return asked_key(self.turn) if self.asked else self.turn

    @property
    def uid(self) -> str:
        """The same for the same words, so that finding it twice keeps it once."""
        return f"claims:{self.key}:{len(self.claims) if self.asked else self.words}"

    def is_of(self, turn: Turn) -> bool:
        """Whether this was found in the words that the turn has now."""
        return self.turn == turn.key and self.words in ("", _hash(turn.text))

    def __repr__(self) -> str:
        return f"<ClaimsNote {self.turn} claims={len(self.claims)}>"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
