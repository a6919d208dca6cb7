"""Of two statements about one thing, the newer first: order among what was found anyway."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .entry import Entry
from .words import terms

_NOW = re.compile(
    r"^\s*(?:what(?:'s| is| are| time)|how (?:many|much|long)|when (?:is|are)|which)\b|多少|几", re.IGNORECASE
)
_BACK = re.compile(
    r"\b(?:first|originally|initially|used to|when did|before|at first)\b|最初|原来", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:now|recently|updated?|changed?|moved|rescheduled|extended|increased|reduced|shortened|new|instead|"
    r"actually|reached|switched|no longer|improved|added|grown)\b|现在|改|换|更新",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d")

TOP = 5
"""Places from the top in which an update is looked for."""
SHARED = 0.6
"""Share of the question's words that both must hold: they are about the same thing asked."""


def newest_first(question: str, ranked: Sequence[Entry]) -> list[int]:
    """The order of places, with a newer changed value lifted over the older one it replaces.

    Only for questions about how things stand, only between one speaker's statements that hold the
    same words of the question and different values, and only where the newer one says it changed.
    """
    order = list(range(len(ranked)))
    if not ranked or not _NOW.search(question) or _BACK.search(question):
        return order
    asked = set(terms(question))
    held = [asked & set(terms(entry.text)) for entry in ranked[:TOP]]
    first = ranked[0]
    for place in range(1, min(TOP, len(ranked))):
        entry = ranked[place]
        newer = (entry.at, entry.turn) > (first.at, first.turn)
        alike = entry.role == first.role and entry.speaker == first.speaker
        same = len(held[place] & held[0]) >= SHARED * max(len(asked), 1)
        if newer and alike and same and _VALUE.search(entry.text) and _CHANGE.search(entry.text):
            order.insert(0, order.pop(place))
            break
    return order
