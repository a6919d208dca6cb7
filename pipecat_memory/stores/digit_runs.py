"""Stretches of digits and digit words in a text, written or dictated: where a number may stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .digit_words import DIGITS, HAN, SMALL, TENS, TIMES

_BETWEEN = r"[\s\-‐‑–—.,;:、，。·/()]{0,4}"
_TOKEN = re.compile(
    rf"\d+(?:{_BETWEEN}+\d+)*+|[零〇一二三四五六七八九幺两]+|[^\W\d_零〇一二三四五六七八九幺两]+"
)
"""Written digits with what stands between their groups, Chinese digits, or a word."""
_GROUP = re.compile(r"\d+")
_GAP = re.compile(_BETWEEN)
SHORTEST, LONGEST = 13, 19
"""Digits of a payment card number (ISO/IEC 7812)."""
ENDLESS = 2_000
"""Characters of one stretch of digits past which nobody gives a number: it is not read digit by digit."""
_KNOWN = DIGITS.keys() | TENS.keys() | TIMES.keys() | SMALL
"""Words with which a stretch begins or goes on."""


class Digits(NamedTuple):
    """A token that stands for digits, and where it stands in the text."""

    value: str
    start: int
    end: int
    spoken: bool = False


def ends_in_digits(text: str) -> bool:
    """Whether a number may go on in what follows: the last word is a digit or a word for some."""
    word = None
    for match in _TOKEN.finditer(text.lower()):
        word = match.group()
    return word is not None and (_is_digits(word) or word in TIMES or word in SMALL)


def may_hold(text: str) -> bool:
    """Whether there are three digits or digit words at all, the least there is to mask."""
    found = 0
    for word in _TOKEN.findall(text.lower()):
        if _is_digits(word):
            found += len(word) if word[0].isdecimal() or word[0] in HAN else 1
            if found >= 3:
                return True
    return False


def _is_digits(word: str) -> bool:
    return word in DIGITS or word in TENS or word[0].isdecimal() or word[0] in HAN


def runs(text: str) -> Iterable[list[Digits]]:
    """Stretches of digits and digit words with at most separators and small words in between."""
    run: list[Digits] = []
    times, reach = 1, 0
    lower = text.lower()
    if len(lower) != len(text):  # a few letters change length; offsets must hold
        lower = text
    for match in _TOKEN.finditer(lower):
        word = match.group()
        start, end = match.span()
        if word not in _KNOWN and word[0] not in HAN and not word[0].isdecimal():
            if run:
                yield run
                run = []
            times, reach = 1, end
            continue
        joined = not run or _beside(text, reach, start)
        value = _value(word, text, start, run)
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
                run[-1] = Digits(run[-1].value[:-1] + str(value), run[-1].start, end, True)
            elif word[0] in HAN:
                run += _one_by_one(value, start, end, times)
            elif word[0].isdecimal():
                run += _written(word, start, times)
            else:
                run.append(Digits(value * times, start, end, True))
            times = 1
        reach = end
    if run:
        yield run


def _beside(text: str, end: int, start: int) -> bool:
    """Whether nothing but a short gap stands between two tokens."""
    return start - end <= 4 and (text[end:start] in (" ", "") or _GAP.fullmatch(text, end, start) is not None)


def _written(stretch: str, start: int, times: int) -> Iterable[Digits]:
    """The groups of a stretch of written digits; before them stood "double" or the like.

    No number begins or ends inside a group, so of a long one only that it is too long counts.
    """
    if len(stretch) > ENDLESS:
        yield Digits("", start, start + len(stretch))
        return
    for group in _GROUP.finditer(stretch):
        digits = group.group()[: LONGEST + 1]
        if not digits.isascii():
            digits = "".join(str(int(mark)) for mark in digits)
        yield Digits(digits[0] * (times - 1) + digits, start + group.start(), start + group.end())
        times = 1


def _one_by_one(digits: str, start: int, end: int, times: int) -> Iterable[Digits]:
    """Chinese numerals, each a word of its own: a number may end behind any, as far as one may reach."""
    for place in range(min(len(digits), LONGEST)):
        yield Digits(digits[place] * times, start + place, start + place + 1, True)
        times = 1
    if len(digits) > LONGEST:
        yield Digits(digits[LONGEST:], start + LONGEST, end, True)


def _value(word: str, text: str, start: int, run: list[Digits]) -> str | int | None:
    """The digits of a token; an int is the unit that completes the tens before it ("forty two")."""
    if word[0].isdecimal():
        return word
    if word in TENS:
        return TENS[word]
    if word[0] in HAN:
        return "".join(DIGITS[mark] for mark in word[: ENDLESS + 1])
    digit = DIGITS.get(word)
    if digit is None or digit == "0" or not run:
        return digit
    tens = run[-1].value
    completes = run[-1].spoken and len(tens) == 2 and tens[1] == "0" and tens != "10"
    return int(digit) if completes and text[run[-1].end : start] in (" ", "-", " y ") else digit
