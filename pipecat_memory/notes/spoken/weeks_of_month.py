"""A weekday of a month, or its last day: "the last Friday of March", "el último día del mes"."""

from __future__ import annotations

from datetime import date

from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.words import Word


def weekday_of_month(
    words: tuple[Word, ...], i: int, language: Language, today: date
) -> tuple[date | None, int] | None:
    """The date that such words at word `i` name (None: there is no such day), and the word after them.

    Args:
        words: of the utterance.
        i: where to look.
        language: its table.
        today: the caller's day; without a year the next such day is meant.
    """
    nth = language["nth"].at(words, language["the"].skip(words, i))
    day = language["weekdays"].at(words, nth[1]) if nth else None
    if nth is None and language.code == "fr":  # "le vendredi dernier de mars" is said too
        day = language["weekdays"].at(words, language["the"].skip(words, i))
        nth = language["nth"].at(words, day[1]) if day else None
        day = (day[0], nth[1]) if day and nth else None
    unit = language["units"].at(words, nth[1]) if nth else None
    any_day = unit if unit and nth and nth[0] == -1 and unit[0] == "day" else None
    told = day or any_day
    month = _month(words, told[1], language, today) if told else None
    if nth is None or month is None:
        return None
    first, end, dated = month
    on = _nth(first, day[0] if day else None, nth[0])
    if on is not None and on < today and not dated:
        on = _nth(first.replace(year=first.year + 1), day[0] if day else None, nth[0])
    return on, end


def _nth(month: date, weekday: int | None, nth: int) -> date | None:
    """The n-th such weekday of a month; without one its last day."""
    if weekday is not None:
        return calendar_days.nth_weekday(month, weekday, nth)
    return calendar_days.last_of(month)


def _month(words: tuple[Word, ...], i: int, language: Language, today: date) -> tuple[date, int, bool] | None:
    """The first of the month named at word `i`, the word after it, and whether its year is certain."""
    joined = language["in_month"].at(words, i)
    if joined is None:
        return None
    at = language["the"].skip(words, joined[1])
    for start in (joined[1], at):
        ahead = language["months_from_now"].at(words, start)
        if ahead:
            first = calendar_days.step(today.replace(day=1), ahead[0], "month")
            return (first, ahead[1], True) if first else None
        month = language["months"].at(words, start)
        if month:
            year = words[month[1]].text if month[1] < len(words) else ""
            dated = year.isdigit() and len(year) == 4
            first = date(int(year) if dated else today.year, month[0], 1)
            return first, month[1] + dated, dated
    return None
