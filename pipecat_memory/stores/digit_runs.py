"""Numbers in a text as people write and dictate them: digits, and words for digits, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .digit_words import DIGITS, SMALL, TENS, TIMES

TOKEN = re.compile(r"\d|[零〇一二三四五六七八九幺两]|[^\W\d_零〇一二三四五六七八九幺两]+")
_GAP = re.compile(r"[\s\-‐‑–—.,;:、，。·/()]{0,4}")


@dataclass(frozen=True, slots=True)
class Digits:
    """A token that stands for digits, and where it stands in the text."""

    value: str
    start: int
    end: int
    spoken: bool = False


def is_digits(word: str) -> bool:
    return word.isdecimal() or word in DIGITS or word in TENS


def has_digits(text: str) -> bool:
    """Whether there is a digit in a text, or a word for one."""
    return any(is_digits(match.group()) for match in TOKEN.finditer(text.lower()))


def ends_in_digits(text: str) -> bool:
    """Whether a number may go on in what follows: the last word is a digit or a word for some."""
    word = None
    for match in TOKEN.finditer(text.lower()):
        word = match.group()
    return word is not None and (is_digits(word) or word in TIMES or word in SMALL)


def digit_runs(text: str) -> Iterable[list[Digits]]:
    """Stretches of digits and digit words with at most separators and small words in between."""
    run: list[Digits] = []
    times, reach = 1, 0
    lower = text.lower()
    if len(lower) != len(text):  # a few letters change length; offsets must hold
        lower = text
    for match in TOKEN.finditer(lower):
        word = match.group()
        joined = not run or _GAP.fullmatch(text, reach, match.start()) is not None
        value = _value(word, text, match.start(), run)
        if joined and value is None and word in TIMES:
            times, reach = TIMES[word], match.end()
            continue
        if joined and value is None and word in SMALL and run:
            reach = match.end()
            continue
        if not joined or value is None:
            if run:
                yield run
            run, times = [], TIMES.get(word, 1)
        if value is not None:
            if isinstance(value, int):
                run[-1] = Digits(run[-1].value[:-1] + str(value), run[-1].start, match.end(), spoken=True)
            else:
                run.append(Digits(value * times, match.start(), match.end(), not word.isdecimal()))
            times = 1
        reach = match.end()
    if run:
        yield run


def _value(word: str, text: str, start: int, run: list[Digits]) -> str | int | None:
    """The digits of a token; an int is the unit that completes the tens before it ("forty two")."""
    if word.isdecimal():
        return str(int(word))
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
