"""Days and months that a question names, to meet the day on which something was said.

A recorded turn says "yesterday"; the question says "on the third of March". Only the date of the
call joins them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from .vocabulary import MONTHS

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
_YEAR = r"(?:,? (?:de |del |of )?(\d{4})\b)?"


@dataclass(frozen=True, slots=True)
class Named:
    """A time that was named: exact days from `first` to `last`, or a day or month of unsaid year."""

    first: int = 0
    last: int = 0
    month: int = 0
    day: int = 0


def _named(year: int, month: int, day: int) -> Named | None:
    if not 1 <= month <= 12 or not 0 <= day <= 31:
        return None
    if not year:
        return Named(month=month, day=day)
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return None
    if day:
        return Named(first.toordinal(), first.toordinal())
    following = date(year + month // 12, month % 12 + 1, 1)
    return Named(first.toordinal(), following.toordinal() - 1)


def _month(word: str) -> int:
    return int(MONTHS[word].removeprefix("month"))


def _number(text: str | None) -> int:
    return int(text) if text else 0


_Reader = Callable[[re.Match[str]], Named | None]
_SPOKEN: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b"), lambda m: _named(int(m[1]), int(m[2]), int(m[3]))),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b"), lambda m: _named(int(m[3]), int(m[2]), int(m[1]))),
    (
        re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?"),
        lambda m: _named(_number(m[1]), int(m[2]), _number(m[3])),
    ),
    (
        re.compile(rf"\b{_DAY}(?: of| de)? ({_MONTH})\b\.?{_YEAR}"),
        lambda m: _named(_number(m[3]), _month(m[2]), int(m[1])),
    ),
    (
        re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR}"),
        lambda m: _named(_number(m[3]), _month(m[1]), int(m[2])),
    ),
    (
        # A month alone: "may" is a verb and "mar" a sea, so short names need their year.
        re.compile(rf"\b({_MONTH})\b\.?{_YEAR}"),
        lambda m: _named(_number(m[2]), _month(m[1]), 0) if m[2] or len(m[1]) > 3 else None,
    ),
)

_RELATIVE: tuple[tuple[re.Pattern[str], int, int], ...] = (
    # (words, first day and last day counted back from today)
    (re.compile(r"\b(?:yesterday|ayer|hier|gestern|ieri|ontem|gisteren)\b|昨天"), 1, 1),
    (re.compile(r"\b(?:earlier today|this morning|esta mañana|ce matin|heute morgen)\b|今天早上"), 0, 0),
    (re.compile(r"\b(?:last week|semana pasada|semaine dernière|letzte woche)\b|上周"), 14, 1),
    (re.compile(r"\b(?:last month|mes pasado|mois dernier|letzten monat)\b|上个月"), 62, 20),
)


def named_dates(text: str, today: date | None = None) -> list[Named]:
    """The days and months that a text names; relative ones only where `today` is known."""
    folded = text.casefold()
    found: list[Named] = []
    if today is not None:
        for pattern, first, last in _RELATIVE:
            if pattern.search(folded):
                begin, end = today - timedelta(first), today - timedelta(last)
                found.append(Named(begin.toordinal(), end.toordinal()))
    for pattern, read in _SPOKEN:
        matches = [named for match in pattern.finditer(folded) if (named := read(match))]
        if matches:
            return found + matches
    return found
