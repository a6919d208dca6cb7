"""The journal's record of what the deep path found in one turn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
        read: hash of the text that the model was asked about where the turn had been amended by the time
            of its answer; "" where it is the same.
        asked: the caller asked for these to be kept; they stand beside what was found by the model.
    """

    turn: str
    words: str = ""
    read: str = ""
    claims: tuple[Claim, ...] = ()
    patch: DeepPatch = field(default_factory=DeepPatch)
    asked: bool = False

    @classmethod
    def asked_in(cls, turn: Turn, claims: tuple[Claim, ...]) -> ClaimsNote:
        """The record of what the caller asked to be kept in a turn."""
        return cls(turn=turn.key, words=_hash(turn.text), claims=claims, asked=True)

    @classmethod
    def of(cls, result: ExtractionResult) -> ClaimsNote:
        """The record of a result; moods are of the call only and never kept."""
        return cls(
            turn=result.turn.key,
            words=_hash(result.turn.text),
            read=_hash(result.asked) if result.asked != result.turn.text else "",
            claims=result.claims,
            patch=replace(result.patch, mood=None),
        )

    def key_in(self, turn: Turn) -> str:
        """Under what these claims stand in a call where this is the turn they were found in."""
        return asked_key(turn.key) if self.asked else turn.key

    @property
    def key(self) -> str:
        """Under what these claims stand in a call."""
        return asked_key(self.turn) if self.asked else self.turn

    @property
    def uid(self) -> str:
        """The same for the same words, so that finding it twice keeps it once."""
        found = f"claims:{self.key}:{len(self.claims) if self.asked else self.words}"
        return f"{found}:{self.read}" if self.read else found

    def is_of(self, turn: Turn) -> bool:
        """Whether this was found in the words that the turn has now, or may stand whatever those became."""
        return self.turn == turn.key and (self.asked or self.fits(turn))

    def fits(self, turn: Turn) -> bool:
        """Whether it was found in these words, whatever the key of the turn."""
        return self.words in ("", _hash(turn.text))

    def of_turn(self, turns: Sequence[Turn]) -> Turn | None:
        """The turn it was found in; by its words where another process gave it another key."""
        same = next((turn for turn in turns if turn.key == self.turn), None)
        if same is not None and self.fits(same):
            return same
        return next((turn for turn in reversed(turns) if self.words and self.fits(turn)), same)

    def __repr__(self) -> str:
        return f"<ClaimsNote {self.turn} claims={len(self.claims)}>"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
