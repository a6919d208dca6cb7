"""A value that the caller named for a slot, and how it was meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pipecat_memory.notes.spoken.span import Part
from pipecat_memory.notes.utterance import Stance


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where something is said: what relative days count from."""

    at: datetime
    timezone: str

    @property
    def today(self) -> date:
        """The caller's day."""
        return self.at.astimezone(ZoneInfo(self.timezone)).date()


@dataclass(frozen=True, slots=True, repr=False)
class Mention:
    """One value for one slot in one turn.

    Args:
        slot: its name.
        value: in the slot's written form; None where the slot itself is withdrawn.
        spoken: as said.
        start: first character in the hypothesis.
        stance: how it was meant.
        heard: 0..1, how surely the words were heard (the share of the hypotheses).
        either_half: a time said without its half of the day.
        day_part: the part of a date that was said where it was not all ("the 15th"), or "".
        rival: the other value that the same words may mean, or None.
        part: the half of a name that it is, for a slot that holds whole ones.
        relative: told as a change of what stands ("an hour later"), and no more than that.
        tied: False where nothing but the type of the value speaks for this slot.
    """

    slot: str
    value: Any
    spoken: str
    start: int
    stance: Stance
    heard: float = 1.0
    tied: bool = True
    either_half: bool = False
    day_part: Part = ""
    rival: Any = None
    part: Literal["given", "family"] | None = None
    relative: bool = False

    def meant(self, stance: Stance) -> Mention:
        return replace(self, stance=stance)

    def __repr__(self) -> str:
        return f"<Mention {self.slot} {self.stance}>"


def same(left: Any, right: Any) -> bool:
    """Whether two values are one, whatever their case and spacing."""
    if isinstance(left, str) and isinstance(right, str):
        return " ".join(left.casefold().split()) == " ".join(right.casefold().split())
    return bool(left == right)
