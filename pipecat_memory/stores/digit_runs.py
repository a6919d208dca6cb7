"""Numbers in a text as people write and dictate them: digits, and words for digits, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .digit_words import DIGITS, SMALL, TENS, TIMES

TOKEN = re.compile(r"\d+|[零〇一二三四五六七八九幺两]|[^\W\d_零〇一二三四五六七八九幺两]+")
_GAP = re.compile(r"[\s\-‐‑–—.,;:、，。·/()]{0,4}")

_DIGIT = re.compile(r"\d")
_DIGIT_WORDS = DIGITS.keys() | TENS.keys()


class Digits(NamedTuple):
    """A token that stands for digits, and where it stands: a word, or a group of digits without a gap."""

    value: str
    start: int
    end: int
    spoken: bool = False


def is_digits(word: str) -> bool:
    return word.isdecimal() or word in DIGITS or word in TENS


def has_digits(text: str) -> bool:
    """Whether there is a digit in a text, or a word for one."""
    lower = text.lower()
    return _DIGIT.search(lower) is not None or not _DIGIT_WORDS.isdisjoint(TOKEN.findall(lower))


class Stretch(NamedTuple):
    """Where words stand that may be of one number, with none of another sort in between.

    `most` is how many digits they make at most.
    """

    start: int
    end: int
    most: int


_MOST = (
    dict.fromkeys(DIGITS, 1)
    | dict.fromkeys(TENS, 2)
    | {word: 2 * times for word, times in TIMES.items()}
    | dict.fromkeys(SMALL - DIGITS.keys(), 0)
)
"""How many digits a word can add to a number."""
_SAY_SOME = frozenset(word for word, most in _MOST.items() if most)


def stretches(text: str) -> list[Stretch]:
    """All of a text, in order. Every run of `digit_runs` lies in one; most words are in none, and cheap."""
    lower = _lower(text)
    words = TOKEN.findall(lower)
    if _SAY_SOME.isdisjoint(words) and _DIGIT.search(lower) is None:
        return []  # as in almost every text
    found: list[tuple[int, int, int]] = []
    first, last, most = -1, -1, 0
    for at, word in enumerate(words):
        size = _MOST.get(word)
        if size is None and word.isdecimal():
            size = len(word)
        if size is None:
            if first >= 0:
                found.append((first, last, most))
                first = -1
        elif size:
            first, last, most = (first, at, most + size) if first >= 0 else (at, at, size)
    if first >= 0:
        found.append((first, last, most))
    if not found:
        return []
    places = [match.start() for match in TOKEN.finditer(lower)]
    return [Stretch(places[i], places[j] + len(words[j]), most) for i, j, most in found]


def ends_in_digits(text: str) -> bool:
    """Whether a number may go on in what follows: the last word is a digit or a word for some."""
    words = TOKEN.findall(text.lower())
    return bool(words) and (is_digits(words[-1]) or words[-1] in TIMES or words[-1] in SMALL)


def digit_runs(text: str, within: Iterable[Stretch] | None = None) -> Iterable[list[Digits]]:
    """Digits and digit words, one after the other, with at most separators and small words in between.

    Args:
        text: all of it.
        within: where to look; None looks everywhere.
    """
    for start, end, _ in stretches(text) if within is None else within:
        for run in _runs(text[start:end]):
            yield [Digits(one.value, start + one.start, start + one.end, one.spoken) for one in run]


def _lower(text: str) -> str:
    lower = text.lower()
    return lower if len(lower) == len(text) else text  # a few letters change length; offsets must hold


def _runs(text: str) -> Iterable[list[Digits]]:
    run: list[Digits] = []
    times, reach = 1, 0
    for match in TOKEN.finditer(_lower(text)):
        word = match.group()
        start, end = match.span()
        value = _value(word, text, start, run)
        if value is None and not run and times == 1 and word not in TIMES:
            continue  # most words: no number has begun
        joined = not run or start == reach or _GAP.fullmatch(text, reach, start) is not None
        if joined and value is None and word in TIMES:
            times, reach = TIMES[word], end
            continue
        if joined and value is None and word in SMALL and run:
            reach = end
            continue
        if not joined or value is None:
            if run:
                yield run
            run, times = [], TIMES.get(word, 1)
        if value is not None:
            if isinstance(value, int):
                run[-1] = Digits(run[-1].value[:-1] + str(value), run[-1].start, end, spoken=True)
            else:
                written = word.isdecimal()
                value = value[0] * (times - 1) + value if written else value * times
                run.append(Digits(value, start, end, not written))
            times = 1
        reach = end
    if run:
        yield run


def _value(word: str, text: str, start: int, run: list[Digits]) -> str | int | None:
    """The digits of a token; an int is the unit that completes the tens before it ("forty two")."""
    if word.isdecimal():
        return word if word.isascii() else "".join(str(int(digit)) for digit in word)
    if word in TENS:
        return TENS[word]
    digit = DIGITS.get(word)
    if digit is None or digit == "0" or not run:
        return digit
    tens = run[-1].value
    completes = run[-1].spoken and len(tens) == 2 and tens[1] == "0" and tens != "10"
    return int(digit) if completes and text[run[-1].end : start] in (" ", "-", " y ") else digit


def parts(run: list[Digits], at: int) -> bool:
    """Whether a number may begin or end before token `at`: not inside a written group."""
    return at in (0, len(run)) or run[at].start > run[at - 1].end or run[at].spoken
