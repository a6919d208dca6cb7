"""`find`: the one door to spoken values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

from pipecat_memory.notes.spoken import (
    chinese,
    chinese_moments,
    dates,
    digits,
    email,
    moments,
    money,
    numbers,
    phone,
    postcode,
    spelling,
    times,
    yesno,
)
from pipecat_memory.notes.spoken.language import Language, base_of, language_of
from pipecat_memory.notes.spoken.span import Span

Kind = Literal[
    "number",
    "quantity",
    "digits",
    "phone",
    "email",
    "domain",
    "date",
    "time",
    "datetime",
    "money",
    "postcode",
    "boolean",
    "spelled",
]

DIALLED = 7
"""Digits from which a string of them is a number to call rather than a time or a count."""
LONGEST = 2000
"""Characters that are looked at: an utterance of two minutes. What follows is left alone."""


def find(
    text: str,
    kind: Kind,
    *,
    language: str | None = None,
    at: datetime,
    timezone: str = "UTC",
    pattern: str | None = None,
) -> list[Span]:
    """Values of one kind in what the caller said, in order.

    Never raises for any text. Costs well under 2 ms for an utterance of normal length.

    Args:
        text: the utterance as the recogniser wrote it; with digits or words, any case.
        kind: what to look for. `quantity` is a number; `datetime` also gives lone dates and
            times; `domain` gives what follows the "at" of an e-mail address; `spelled` gives
            upper-case letters and digits.
        language: as the recogniser says (`en`, `es-MX`, `zh`); told from the words if None.
        at: the moment of speaking, with a zone. Relative days count from it.
        timezone: the caller's zone: whose day "today" is, and whose country reads a phone number.
        pattern: the app's pattern, for `postcode` and `digits` (whole value must fit).

    Returns:
        Spans that don't overlap. Under .5 certainty a span is only worth taking when the
        caller was just asked for this kind of value.
    """
    text = text[:LONGEST]
    base = base_of(language, text)
    now = at.astimezone(ZoneInfo(timezone))
    if base == "zh":
        return _chinese(text, kind, now, timezone, pattern)
    return _tabled(text, kind, language_of(base), now, timezone, pattern)


def _tabled(
    text: str, kind: Kind, language: Language, now: datetime, timezone: str, pattern: str | None
) -> list[Span]:
    match kind:
        case "number" | "quantity":
            taken = _elsewhere(text, language, now, timezone)
            return _doubted(numbers.find_numbers(text, language), taken, kind)
        case "digits":
            return _fitting(digits.find_digits(text, language), pattern)
        case "phone":
            return phone.find_phones(text, digits.find_digits(text, language), timezone)
        case "email":
            return email.find_emails(text, language)
        case "domain":
            return email.find_domains(text, language)
        case "date":
            return _dates(text, language, now, timezone)
        case "time":
            return _times(text, language)
        case "datetime":
            waits = [moments.wait(*wait[:2], text, wait[2], now) for wait in times.find_waits(text, language)]
            days, clocks = _dates(text, language, now, timezone), _times(text, language)
            return moments.joined(text, days, clocks, [wait for wait in waits if wait], now)
        case "money":
            return list(money.find_money(text, language))
        case "postcode":
            return postcode.find_postcodes(text, language, region=phone.region_of(timezone), pattern=pattern)
        case "boolean":
            return yesno.find_yes_no(text, language)
        case "spelled":
            return spelling.find_spelled(text, language)


def _dates(text: str, language: Language, now: datetime, timezone: str) -> list[Span]:
    month_first = language.code == "en" and timezone.startswith("America/")
    return list(_dates_once(text, language.code, now.date(), month_first))


# Dates and times are looked for under most kinds, each time in the same utterance.
@lru_cache(maxsize=64)
def _dates_once(text: str, code: str, today: date, month_first: bool) -> tuple[Span, ...]:
    return tuple(dates.find_dates(text, language_of(code), today, month_first=month_first))


@lru_cache(maxsize=64)
def _times_once(text: str, code: str) -> tuple[Span, ...]:
    """Times of day; a long string of digits is a number to call, one among letters is a code."""
    language = language_of(code)
    for span in [*digits.find_digits(text, language), *spelling.find_codes(text, language)]:
        if len(span.value) >= DIALLED or span.kind == "spelled":
            text = text[: span.start] + "," * (span.end - span.start) + text[span.end :]
    return tuple(times.find_times(text, language))


def _times(text: str, language: Language) -> list[Span]:
    return list(_times_once(text, language.code))


def _elsewhere(text: str, language: Language, now: datetime, timezone: str) -> list[Span]:
    """What numbers in this utterance already are part of."""
    taken = [span for span in _dates(text, language, now, timezone) if span.certainty >= 0.6]
    taken += [span for span in _times(text, language) if span.certainty >= 0.75]
    taken += [*money.find_money(text, language), *spelling.find_codes(text, language)]
    return taken + [span for span in digits.find_digits(text, language) if len(span.value) >= DIALLED]


def _doubted(found: Sequence[Span], taken: list[Span], kind: str) -> list[Span]:
    return [
        Span(
            span.start,
            span.end,
            span.text,
            span.value,
            kind,
            min(span.certainty, 0.2)
            if any(other.start < span.end and span.start < other.end for other in taken)
            else span.certainty,
        )
        for span in found
    ]


def _fitting(found: Sequence[Span], pattern: str | None) -> list[Span]:
    """Strings of digits that fit the app's pattern are surely meant; the others surely not."""
    if pattern is None:
        return list(found)
    return [
        Span(span.start, span.end, span.text, span.value, span.kind, 0.95)
        for span in found
        if _compiled(pattern).fullmatch(span.value)
    ]


def _chinese(text: str, kind: Kind, now: datetime, timezone: str, pattern: str | None) -> list[Span]:
    match kind:
        case "number" | "quantity":
            taken = chinese_moments.find_dates(text, now.date()) + chinese_moments.find_times(text)
            taken += chinese.find_money(text)
            taken += [span for span in chinese.find_digits(text) if len(span.value) >= DIALLED]
            return _doubted(chinese.find_numbers(text), taken, kind)
        case "digits":
            return _fitting(chinese.find_digits(text), pattern)
        case "phone":
            return phone.find_phones(text, chinese.find_digits(text), timezone)
        case "email":
            return email.find_emails(text, language_of("en")) or chinese.find_emails(text)
        case "domain":
            return email.find_domains(text, language_of("en"))
        case "date":
            return chinese_moments.find_dates(text, now.date())
        case "time":
            return chinese_moments.find_times(text)
        case "datetime":
            found = [moments.wait(*wait[:2], text, wait[2], now) for wait in chinese_moments.find_waits(text)]
            days, clocks = chinese_moments.find_dates(text, now.date()), chinese_moments.find_times(text)
            return moments.joined(text, days, clocks, [wait for wait in found if wait], now)
        case "money":
            return chinese.find_money(text)
        case "postcode":
            return postcode.find_postcodes(text, language_of("en"), region="CN", pattern=pattern)
        case "boolean":
            return chinese.find_yes_no(text)
        case "spelled":
            return spelling.find_spelled(text, language_of("en"))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
