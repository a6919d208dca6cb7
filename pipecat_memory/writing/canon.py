"""When two values are the same value: case, accents, plurals, number forms, a few words in many languages.

Used to let a fact meet itself, never to judge how alike two facts are: that would miss negation.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from .words import word_list

_ARTICLES = word_list("articles")


@cache
def _concepts() -> dict[str, str]:
    table: dict[str, list[str]] = json.loads(
        Path(__file__).with_name("concepts.json").read_text(encoding="utf-8")
    )
    found = {_spell(name): name for name in table}
    for name, words in table.items():
        for word in words:
            found.setdefault(_spell(word), name)
    return found


@lru_cache(maxsize=4096, typed=True)
def canonical(value: Any) -> str:
    """The form under which equal values are equal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e6 else str(value)
    plain = _spell(str(value))
    if plain in _concepts():
        return _concepts()[plain]
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        # A leading zero is part of a code (an account, a PIN), not of a number.
        return plain if plain.startswith("0") or len(plain) > 6 else f"{float(plain):g}"
    words = [singular(word) for word in plain.split() if word not in _ARTICLES]
    joined = " ".join(words) or plain
    return _concepts().get(joined, joined)


def concept(word: str) -> str | None:
    """The common concept a word stands for in any language of the table, or None."""
    return _concepts().get(_spell(word))


def ways_of(name: str) -> tuple[str, ...]:
    """Every word of the table for a concept, in plain form; () where it is none."""
    return tuple(word for word, owner in _concepts().items() if owner == name)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """A pattern of all ways of each concept, the longest first; scripts without spaces need no word's end."""
    ways: dict[str, list[str]] = {}
    for way, name in _concepts().items():
        if len(way) > 2 or not way.isascii():
            ways.setdefault(name, []).append(
                re.escape(way) if way[0] > "⺀" else rf"(?<!\w){re.escape(way)}(?!\w)"
            )
    return {name: re.compile("|".join(sorted(found, key=len, reverse=True))) for name, found in ways.items()}


def spans_meant(value: str, words: str) -> list[tuple[int, int]]:
    """Where a value names, in whatever language, a concept of the table that the words name too."""
    named, said = fold(value), fold(words)
    if len(named) != len(value):
        return []  # places would not be those of the value
    return [
        match.span()
        for pattern in _patterns().values()
        if (found := list(pattern.finditer(named))) and pattern.search(said)
        for match in found
    ]


_CONTRASTS = (
    {"outdoors", "indoors"},
    {"window", "aisle"},
    {"morning", "afternoon", "evening"},
    {"left-handed", "right-handed"},
    {"married", "divorced", "single", "widowed"},
    {"son", "daughter"},
)
"""Concepts of the table of which one is not the other."""


def contrasts(value: str, words: str) -> bool:
    """Whether a value names a concept where the words name only others of its kind."""
    named, said = fold(value), fold(words)
    for kind in _CONTRASTS:
        told = {name for name in kind if _patterns()[name].search(said)}
        if told and any(name not in told and _patterns()[name].search(named) for name in kind):
            return True
    return False


def singular(word: str) -> str:
    """An English-looking plural without its ending; other words as they are."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def fold(text: str) -> str:
    """Lower case, one width, no accents on Latin letters: for comparing, never for showing."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    apart = unicodedata.normalize("NFD", plain)
    bare = "".join(c for i, c in enumerate(apart) if not (unicodedata.combining(c) and _latin(apart, i)))
    return unicodedata.normalize("NFC", bare)


def folded_list(name: str) -> frozenset[str]:
    """A list of `words.json` in the form that tokens have."""
    return frozenset(map(fold, word_list(name)))


def _latin(text: str, at: int) -> bool:
    """Whether the mark at `at` sits on a Latin letter; elsewhere marks are letters of their own."""
    while at and unicodedata.combining(text[at]):
        at -= 1
    return text[at] < "ɐ"


def _spell(text: str) -> str:
    # Inner marks of dates, addresses and codes stay; the rest of the punctuation says nothing.
    kept = re.sub(r"[^\w\s@.:/+'-]", " ", fold(text))
    return " ".join(kept.split()).strip(" .:'-")
