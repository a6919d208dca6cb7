"""Numbers in a text as people write and dictate them: digits, and words for digits, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .digit_words import DIGITS, SMALL, TENS, TIMES

TOKEN = re.compile(r"\d+|[零〇一二三四五六七八九幺两]|[^\W\d_零〇一二三四五六七八九幺两]+")
_GAP = re.compile(r"[\s\-‐‑–—.,;:、，。·/()]{0,4}")


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
    return any(is_digits(word) for word in TOKEN.findall(text.lower()))


def count_digits(text: str) -> tuple[int, int]:
    """How many digits and words for digits there are in a text, and how many digits they make at most."""
    there = most = 0
    for word in TOKEN.findall(text.lower()):
        if word.isdecimal():
            there += len(word)
            most += len(word)
        elif word in DIGITS or word in TENS:
            there += 1
            most += 2
        elif word in TIMES:
            most += 2 * TIMES[word]
    return there, most


def ends_in_digits(text: str) -> bool:
    """Whether a number may go on in what follows: the last word is a digit or a word for some."""
    words = TOKEN.findall(text.lower())
    return bool(words) and (is_digits(words[-1]) or words[-1] in TIMES or words[-1] in SMALL)


def digit_runs(text: str) -> Iterable[list[Digits]]:
    """Stretches of digits and digit words with at most separators and small words in between."""
    run: list[Digits] = []
    times, reach = 1, 0
    lower = text.lower()
    if len(lower) != len(text):  # a few letters change length; offsets must hold
        lower = text
    for match in TOKEN.finditer(lower):
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
