"""What a finder gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Part = Literal["", "weekday", "day"]


@dataclass(frozen=True, slots=True, repr=False)
class Span:
    """A value and where it was said.

    Args:
        start: first character in the utterance.
        end: one past the last character.
        text: the caller's own words for it.
        value: written form: ISO date, `HH:MM`, ISO moment with zone, E.164, digits as text,
            a number, True or False.
        kind: what it is. A search for `datetime` also gives a lone `date` or `time`.
        certainty: 0..1, how surely these words mean that value. Under .5 it is only worth
            taking when the caller was asked for this kind of value.
        unit: ISO currency of money, else "".
        either_half: a time said without its half of the day ("eight"); `value` is the likelier one.
        part: what a date was told by where that is not all of it: `weekday` ("Friday") or `day`
            ("the 15th"); `value` is the next such day.
    """

    start: int
    end: int
    text: str
    value: Any
    kind: str
    certainty: float
    unit: str = ""
    either_half: bool = False
    part: Part = ""

    def __repr__(self) -> str:
        return f"<Span {self.kind} {self.start}:{self.end}>"
