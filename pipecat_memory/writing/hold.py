"""A text held to what was said: numbers and names that nobody said cost a sentence its place."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..notes.spoken import Kind, find
from ..notes.spoken.language import base_of
from .canon import fold
from .follows import same_word
from .quote import tokens
from .words import word_list

Said = tuple[frozenset[str], str]
"""The words of what was said, and all its digits in a row."""

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_COUNTED: tuple[Kind, ...] = ("number", "digits", "time")
_CAPITAL = re.compile(r"(?<![.!?:“\"]\s)(?<!^)(?<!\w)[A-ZÀ-ÖØ-Þ][\w'’-]+")


def grounded(text: str, known: Said) -> str:
    """The sentences of a text whose numbers and names were all said."""
    parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text)
    return " ".join(part for part in parts if part.strip() and stands(part.strip(), known))


def stands(sentence: str, known: Said) -> bool:
    """Whether every number and every name of a sentence was said."""
    words, digits = known
    numbers = set(re.findall(r"\d+", sentence))
    numbers |= {
        str(s.value).removesuffix(".0") for s in find(sentence, "number", at=_ANY_DAY) if s.value != 1
    }
    for number in numbers:
        plain = number.lstrip("0") or "0"
        if plain not in words and number not in words and (len(number) < 3 or number not in digits):
            return False
    if base_of(None, sentence) == "de":
        return True  # every noun has a capital there
    allowed = word_list("summary_names")
    names = [fold(match.group()).split("'")[0] for match in _CAPITAL.finditer(sentence)]
    return all(name in allowed or any(same_word(name, word, proper=True) for word in words) for name in names)


def said_of(text: str) -> Said:
    """The words of a transcript, spoken numbers in digits too, and all its digits in a row."""
    words = {token.text for token in tokens(text)}
    words |= {number.lstrip("0") or "0" for number in re.findall(r"\d+", text)}
    for line in text.split("\n"):
        for kind in _COUNTED:
            for span in find(line, kind, at=_ANY_DAY):
                parts = re.findall(r"\d+", str(span.value).removesuffix(".0"))
                words |= {part.lstrip("0") or "0" for part in parts}
    return frozenset(words), "".join(re.findall(r"\d", text))
