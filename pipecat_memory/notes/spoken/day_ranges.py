"""Days from one to another: "from the 12th to the 15th of December", "del doce al quince de diciembre".

The month that is told once is that of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import pairwise

from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import Word

SPOKEN = 3
"""Words of a spoken day of the month at most ("treinta y uno")."""

NEAR = 40
"""Characters between a day told with its month and one told without, at most."""

DayNumber = Callable[[tuple[Word, ...], int, Language], tuple[int, int, bool] | None]
"""Reads a day of the month at a word: value, the word after it, whether it is an ordinal."""


def ranged(
    text: str, words: tuple[Word, ...], spans: list[Span], language: Language, day_number: DayNumber
) -> list[Span]:
    """The dates of an utterance, in order, with those of ranges read together.

    Args:
        text: the utterance.
        words: its words.
        spans: its dates as they are told one by one.
        language: its table.
        day_number: reads a day of the month.
    """
    found = list(spans)
    for i in range(1, len(words)):
        until = language["until"].at(words, i)
        if until is None or until[1] >= len(words):
            continue
        begins = {words[until[1]].start, words[language["the"].skip(words, until[1]) - 1].end}
        first = next((span for span in found if span.end == words[i - 1].end), None)
        last = next((span for span in found if span.start in begins), None)
        if first is None and last is not None and not last.part:
            first = _before(text, words, i, language, day_number)
        if last is None and first is not None and not first.part:
            last = _after(text, words, until[1], language, day_number)
        if first is None or last is None:
            continue
        both = together(first, last)
        found = [span for span in found if span not in (first, last)] + [*both]
    found.sort(key=lambda span: span.start)
    for i, (first, last) in enumerate(pairwise(found)):
        if not first.part and last.part == "day" and 0 < last.start - first.end <= NEAR:
            found[i : i + 2] = together(first, last)  # "on the 3rd of January, back on the 10th"
    return found


def _before(
    text: str, words: tuple[Word, ...], end: int, language: Language, day_number: DayNumber
) -> Span | None:
    """A bare day of the month that ends at word `end` and begins a range ("del doce")."""
    for start in range(max(1, end - SPOKEN), end):
        day = day_number(words, start, language)
        if day and day[1] == end and language["since"].before(words, start):
            return _day(text, words, start, day)
    return None


def _after(
    text: str, words: tuple[Word, ...], start: int, language: Language, day_number: DayNumber
) -> Span | None:
    """A bare ordinal that ends a range ("December 12th to 15th")."""
    day = day_number(words, start, language)
    return _day(text, words, start, day) if day and day[2] else None


def _day(text: str, words: tuple[Word, ...], start: int, day: tuple[int, int, bool]) -> Span:
    begin, stop = words[start].start, words[day[1] - 1].end
    return Span(begin, stop, text[begin:stop], f"0000-00-{day[0]:02d}", "date", 0.85, part="day")


def together(first: Span, last: Span) -> tuple[Span, Span]:
    """Both days, the one that was told without its month in that of the other."""
    if first.part == "day" and not last.part:
        end = date.fromisoformat(last.value)
        meant = calendar_days.make(end.year, end.month, int(first.value[8:]))
        if meant is not None and meant > end:
            meant = calendar_days.step(meant, -1, "month")
        first = replace(first, value=meant.isoformat(), part="", certainty=0.85) if meant else first
    elif last.part == "day" and first.value[:4] != "0000":
        start = date.fromisoformat(first.value)
        meant = calendar_days.monthless(start, int(last.value[8:]))
        last = replace(last, value=meant.isoformat(), part=first.part) if meant else last
    elif last.part == "weekday":
        start, day = date.fromisoformat(first.value), date.fromisoformat(last.value)
        if day < start:
            last = replace(last, value=calendar_days.coming_weekday(start, day.weekday()).isoformat())
    return first, last
