"""Text as the keyword side sees it: terms, stems, clauses. One rule for each family of scripts.

Words of alphabetic scripts are folded, stopped and stemmed by their language; Chinese and Japanese
are cut into single characters and pairs, which beat a dictionary on short spoken sentences. Korean words
carry their particles, and Thai, Lao, Burmese and Khmer have no spaces: they are cut into pairs of letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import snowballstemmer

from ..letters import MARKS
from .vocabulary import IRREGULAR, MONTHS, NUMBERS, STOP

LANGUAGES = {
    "en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "sv": "swedish", "no": "norwegian", "da": "danish", "fi": "finnish", "ru": "russian",
    "tr": "turkish", "ro": "romanian", "hu": "hungarian", "pl": "polish", "ar": "arabic", "fa": "persian",
    "hi": "hindi", "el": "greek", "id": "indonesian", "ca": "catalan", "cs": "czech",
}  # fmt: skip
"""Language codes to the stemmer's names; others are left unstemmed."""

_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W\d_{_IDEOGRAPH}][{MARKS}]*"
_TOKEN = re.compile(rf"[{_IDEOGRAPH}]+|\d+(?:[.,:]\d+)*|(?:{_LETTER})+(?:['’](?:{_LETTER})+)*")
"""A run of ideographs, a number with its points, or a word: `4pm` and `161cm` are two tokens each."""
_IDEOGRAPHS = re.compile(rf"[{_IDEOGRAPH}]")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_SYLLABLES = re.compile(r"[\uac00-\ud7af]")
"""Of Korean words."""
_UNSPACED = re.compile(r"[\u0e01-\u0e4f\u0e81-\u0ecf\u1000-\u103f\u1050-\u109f\u1780-\u17d3]")
"""Thai, Lao, Burmese and Khmer letters."""
_MARKED = re.compile(rf".[{MARKS}]*")
"""A letter with its marks."""
_MAY = re.compile(r"(?<=[\w,] )May\b|\bMay(?= \d)")
_STOPPED_CHARACTERS = frozenset(
    "的了是吗呢啊吧呀哦嘛么在和与就都也有这那个一不我你他她它们什哪谁多少怎样来着"
)
"""Particles and question characters: as single characters they say nothing about a topic."""


def ideographic(text: str) -> bool:
    """Whether the text is written mostly without spaces (a fifth of it, since names and codes mix in)."""
    return len(_IDEOGRAPHS.findall(text)) * 5 > len(text.replace(" ", ""))


def fold(text: str) -> str:
    """Compatibility forms unified, case dropped, accents kept (they tell words apart in many languages)."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    name = LANGUAGES.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """One folded word's stem; numbers and months come out alike however they are written."""
    word = NUMBERS.get(word, word)
    if word.isdigit():
        return word.lstrip("0") or "0"
    month = MONTHS.get(word)
    if month is not None:
        return month
    if language == "en":
        word = IRREGULAR.get(word, word)
    stemmer = _stemmer(language)
    stemmed: str = stemmer.stemWord(word) if stemmer else word
    if language == "en" and stemmed in IRREGULAR:  # a plural of one: "kids", "dads"
        return str(stemmer.stemWord(IRREGULAR[stemmed]))
    return stemmed


def terms(text: str, language: str = "en") -> list[str]:
    """The terms of a text, in order, repeats kept, stop words left out."""
    stop = STOP.get(language, frozenset())
    out: list[str] = []
    if language == "en" and "May" in text:  # the month, told from the verb by its capital
        text = _MAY.sub("mayo", text)
    for token in _TOKEN.findall(fold(text)):
        if _IDEOGRAPHS.match(token):
            out.extend(grams(token))
            continue
        if _SYLLABLES.match(token) or _UNSPACED.match(token):
            out.extend(_runs(token))
            continue
        word = token.replace("’", "'").removesuffix("'s").replace("'", "").replace(",", "")
        if word not in stop and (len(word) > 1 or word.isdigit()):
            out.append(stem(word, language))
    return out


def grams(run: str) -> list[str]:
    """Single characters (particles left out) and pairs of a run of ideographs.

    Japanese writes its endings and particles in hiragana: beside other characters, these alone say nothing.
    """
    singles = [c for c in run if c not in _STOPPED_CHARACTERS]
    found = singles + [run[i : i + 2] for i in range(len(run) - 1)]
    return [gram for gram in found if not _HIRAGANA.fullmatch(gram)] or found


def _runs(word: str) -> list[str]:
    """Pairs of letters, each with its marks; the word itself where it is a single one."""
    letters = _MARKED.findall(word)
    return ["".join(letters[i : i + 2]) for i in range(max(1, len(letters) - 1))]


def _cut(term: str) -> bool:
    """Whether the term is a gram of a word, not a word."""
    return not term.isascii() and any(kind.match(term) for kind in (_IDEOGRAPHS, _SYLLABLES, _UNSPACED))


def date_terms(at: str) -> list[str]:
    """Year, month and day of an ISO time, as `terms` writes them when they are spoken."""
    year, month, day = at[:4], at[5:7], at[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit()):
        return []
    return [year, f"month{int(month)}", str(int(day))]


def guess_language(text: str, fallback: str = "en") -> str:
    """The language whose function words the text holds most of; `fallback` where none stands out."""
    if ideographic(text):
        return "zh"
    words = set(_TOKEN.findall(fold(text)))
    best, count = fallback, len(words & STOP.get(fallback, frozenset()))
    for language, stop in STOP.items():
        found = len(words & stop)
        if found > count + (best == fallback):  # one word is no proof: "mia" is also a name
            best, count = language, found
    return best


def pairs(words: Sequence[str]) -> list[str]:
    """Adjacent terms joined; ideographs come paired already."""
    return [f"{a} {b}" for a, b in pairwise(words) if not (_cut(a) or _cut(b))]


def without(text: str, names: Sequence[str]) -> str:
    """The text with whole-word names taken out; itself when nothing else would be left."""
    if not names:
        return text
    pattern = _names_pattern(tuple(sorted(names, key=len, reverse=True)))
    cut = " ".join(pattern.sub(" ", text).split())
    return cut if any(c.isalnum() for c in cut) else text


@lru_cache(maxsize=256)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<!\w)(?:{alternatives})(?:['’]s)?(?!\w)", re.IGNORECASE)
