"""Of two statements about one thing, the newer first: order among what was found anyway."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .entry import Entry
from .vocabulary import NUMBERS
from .words import terms

_NOW = re.compile(
    r"^\s*(?:what(?:'s| is| are| time)|how (?:many|much|long)|when (?:is|are)|which)\b|多少|几", re.IGNORECASE
)
_BACK = re.compile(
    r"\b(?:did|was|were|had|originally|initially|used to|before|at first|first time|ago|between|passed)\b"
    r"|最初|原来|之前",
    re.IGNORECASE,
)
_COUNTED = "|".join(word for word in NUMBERS if word not in ("one", "first", "second", "third"))
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_VALUE = re.compile(rf"\d+(?:[.,:]\d+)*(?: ?[a-z%]+)?|\b(?:{_COUNTED}|{_WEEKDAY})\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:now|recently|updated?|changed?|moved|rescheduled|postponed|extended|increased|raised|reduced|lowered"
    r"|shortened|cut|new|instead|actually|reached|switched|no longer|improved|added|grown)\b|现在|改|换|更新",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?。！？](?!\d)|\n")

TOP = 6
"""Places from the top in which an update is looked for."""
SHARED = 0.25
"""Share of the question's weight in words that both must hold: they are about the same thing asked."""
REACH = 60
"""Characters from the word that says so to the value that changed: "extended the deadline to the 5th"."""


def newest_first(
    question: str, ranked: Sequence[tuple[Entry, frozenset[str]]], weight: Callable[[str], float]
) -> list[int]:
    """The order of places, with a newer changed value lifted over the older one it replaces.

    Only for questions about how things stand, only between one speaker's statements that hold the
    same words of the question and different values, and only where the newer one says it changed.

    Args:
        question: the caller's words.
        ranked: what was found, best first, each with the terms it holds.
        weight: how much a term says.
    """
    order = list(range(len(ranked)))
    if not ranked or not _NOW.search(question) or _BACK.search(question):
        return order
    first, held = ranked[0]
    known = _values(first.text.casefold())
    if not known:
        return order
    asked = set(terms(question))
    enough = SHARED * sum(map(weight, asked))
    newer = [
        place
        for place, (entry, words) in enumerate(ranked[:TOP])
        if (entry.at, entry.turn) > (first.at, first.turn)
        and (entry.role, entry.speaker) == (first.role, first.speaker)
        and sum(map(weight, asked & held & words)) >= enough
        and _changed(entry.text.casefold()) - known
    ]
    if newer:
        place = max(newer, key=lambda place: (ranked[place][0].at, ranked[place][0].turn))
        order.insert(0, order.pop(place))
    return order


def _changed(text: str) -> set[str]:
    """Values that the text says are new."""
    found: set[str] = set()
    for cue in _CHANGE.finditer(text):
        said = _SENTENCE_END.split(text[cue.end() : cue.end() + REACH], maxsplit=1)[0]
        found |= _values(said)
    return found


def _values(text: str) -> set[str]:
    """Numbers with what they count, where that follows: 4 hours are not 4 of 5."""
    return {" ".join(match[0].split()) for match in _VALUE.finditer(text)}
