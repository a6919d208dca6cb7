"""A caller's words as a question to the index: its parts, its terms, its names, its dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from .dates import Named, named_dates
from .entry import Query
from .vocabulary import ASKING
from .words import guess_language, ideographic, pairs, stem, terms, without

MOST_PARTS = 4
"""Parts of one turn that are searched. The question comes last in speech, so the last ones count."""

_PART_END = re.compile(r"[。！？!?\n]+|(?<=[^\W\d])\.\s+|另外[，,]?")
_FRAME = re.compile(
    r"\b(?:last time|remind me|última vez|dernière fois|letztes mal|l'ultima volta|vorige keer)\b",
    re.IGNORECASE,
)
"""Asking for what was said, in words that are a topic elsewhere."""


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of a question: its terms with their weights, and its share in the whole."""

    terms: tuple[tuple[str, float], ...]
    row: int
    """Row of the query's vectors."""

    @property
    def words(self) -> list[tuple[str, float]]:
        """The terms but for the pairs of them."""
        return [(term, weight) for term, weight in self.terms if " " not in term]


PAIR = 0.4
"""Weight of two adjacent words found together, beside the words themselves."""
ASIDE = 0.3
"""Weight of a word that names no topic: one of asking, or a number below ten, which only counts things."""


def split(text: str) -> list[str]:
    """The sentences of a caller's turn, in order; one where it can't be split."""
    found = [part.strip() for part in _PART_END.split(text) if part]
    kept = [part for part in found if len(part) > 1 and any(c.isalnum() for c in part)]
    return kept[-MOST_PARTS:] or [text]


def encodings(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """What of the text to embed: its parts, people's names taken out.

    A sentence encoder takes a name for a topic, and every turn of that person for being about it.
    """
    return tuple(without(part, names) for part in split(text))


def parts(query: Query, languages: Sequence[str]) -> list[Part]:
    """The parts of a query as weighted terms, in each of the languages that the index holds."""
    found: list[Part] = []
    for row, text in enumerate(split(query.text)):
        weights: dict[str, float] = {}
        language = query.language or guess_language(text, languages[0] if languages else "en")
        for spoken in dict.fromkeys((language, *languages)):
            words = terms(_FRAME.sub(" ", text), spoken)
            weights |= {word: _weight(word, spoken) for word in words}
            weights |= dict.fromkeys(pairs(words), PAIR)
            if ideographic(text):
                break
        found.append(Part(tuple(weights.items()), row))
    return found


def _weight(word: str, language: str) -> float:
    below_ten = len(word) == 1 and word.isdigit()
    return ASIDE if below_ten or word in _asking(language) else 1.0


@cache
def _asking(language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in ASKING.get(language, ()))


def dates(query: Query) -> list[Named]:
    """The days the query names."""
    return named_dates(query.text, query.now.date() if query.now else None)
