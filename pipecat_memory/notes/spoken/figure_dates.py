"""Dates written in figures: 2026-12-05, 5/12, 5.12.2026."""

from __future__ import annotations

import re
from datetime import date

from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.span import Span

_ISO = re.compile(r"\b(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\b")
_SLASHED = re.compile(r"\b(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d{2}))?\b(?![.:]\d)")


def figure_dates(text: str, today: date, *, month_first: bool) -> list[Span]:
    """Every date in figures, as ISO dates.

    Args:
        text: the utterance.
        today: the caller's day.
        month_first: whether 4/5 is the 5th of April.
    """
    spans: list[Span] = []
    for match in _ISO.finditer(text):
        found = calendar_days.make(*(int(part) for part in match.group(1, 3, 4)))
        if found:
            spans.append(Span(*match.span(), match.group(), found.isoformat(), "date", 0.98))
    for match in _SLASHED.finditer(text):
        first, mark, second, year = match.groups()
        if any(span.start <= match.start() < span.end for span in spans) or (mark != "/" and not year):
            continue
        day, month = (int(second), int(first)) if month_first else (int(first), int(second))
        if month > 12 >= day:
            day, month = month, day
        found = (
            calendar_days.make(_full_year(year, today), month, day)
            if year
            else calendar_days.yearless(today, month, day)
        )
        if found:
            sure = 0.9 if max(int(first), int(second)) > 12 or first == second else 0.7
            spans.append(Span(*match.span(), match.group(), found.isoformat(), "date", sure if year else 0.6))
    return spans


def _full_year(year: str, today: date) -> int:
    """A two-digit year as the one nearest in the past century or the coming ten years."""
    value = int(year)
    if len(year) == 4:
        return value
    century = today.year // 100 * 100
    return century + value if century + value <= today.year + 10 else century - 100 + value
