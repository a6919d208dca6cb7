"""Days worked out from a day: weekdays, days of a month, steps of weeks and months."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta


def make(year: int, month: int, day: int) -> date | None:
    """The date, or None where there is no such day."""
    if not (1 <= month <= 12 and 1 <= year <= 9999 and 1 <= day <= monthrange(year, month)[1]):
        return None
    return date(year, month, day)


def coming_weekday(today: date, weekday: int) -> date:
    """The first such weekday after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def weekday_of_week(today: date, weekday: int, weeks: int) -> date:
    """That weekday in the week (Monday first) `weeks` from this one."""
    return today + timedelta(days=weekday - today.weekday() + 7 * weeks)


def nth_weekday(month: date, weekday: int, nth: int) -> date | None:
    """The n-th such weekday of the month that `month` is in, the last one for -1; None if there is none."""
    length = monthrange(month.year, month.month)[1]
    days = [day for day in range(1, length + 1) if month.replace(day=day).weekday() == weekday]
    at = nth if nth < 0 else nth - 1
    return month.replace(day=days[at]) if at < len(days) else None


def last_of(month: date) -> date:
    """The last day of the month that `month` is in."""
    return month.replace(day=monthrange(month.year, month.month)[1])


def yearless(today: date, month: int, day: int) -> date | None:
    """The next such day from today on; 29 February finds its leap year."""
    for year in range(today.year, today.year + 9):
        found = make(year, month, day)
        if found and found >= today:
            return found
    return None


def monthless(today: date, day: int, weekday: int | None = None) -> date | None:
    """The next such day of a month from today on, on that weekday if one was named."""
    year, month = today.year, today.month
    for _ in range(14):
        found = make(year, month, day)
        if found and found >= today and (weekday is None or found.weekday() == weekday):
            return found
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return None


def step(today: date, count: int, unit: str) -> date | None:
    """Today plus `count` days, weeks, fortnights, months or years; None beyond the calendar."""
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    try:
        if days:
            return today + timedelta(days=days * count)
    except OverflowError:
        return None
    months = today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = today.year + months // 12, months % 12 + 1
    if not 1 <= year <= 9999:
        return None
    return date(year, month, min(today.day, monthrange(year, month)[1]))
