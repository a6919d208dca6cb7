"""A full date over several attempts: read loosely, then voted field by field.

Recognisers run spoken figures together ("2108 2002" for 21 08 2002), split them ("1950 5" for
1955) or swallow them, so one attempt's best text is often no date although its fields are there.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from pipecat_memory.notes.fusion.evidence import Attempt, mixture, rank_weights
from pipecat_memory.notes.spoken import dates
from pipecat_memory.notes.spoken.language import Language

FLOOR = 9.0
MISSING = 0.8
"""Cost of a field that was not heard."""
WRONG, WRONG_YEAR, NEAR, TENS_LOST = 3.5, 4.0, 2.0, 0.9
"""Costs of a field heard otherwise: any other value; one digit away; a year cut to its decade."""
TEEN = 1.5
"""Cost of a ten heard for a teen, which differ in stress alone."""
SWAPPED = 3.0
MONTH_GUESSED = 1.2
"""Cost of reading a loose digit string: surer readings of other hypotheses come first."""
FIELDS = 5
"""Values of each field that are tried."""
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_SPELT = {
    "to": "2",
    "too": "2",
    "for": "4",
    "v": "5",
    "o": "0",
    "oh": "0",
    "ate": "8",
    "won": "1",
    "l": "",
    "or": "4",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a hypothesis; a field that was not heard is None.

    `assumed` is the year that a date said without one would have ("next Friday").
    """

    day: int | None
    month: int | None
    year: int | None
    price: float
    assumed: int | None = None


def heard_days(
    attempts: Sequence[Attempt], language: Language, today: date, *, month_first: bool
) -> list[list[list[Reading]]]:
    """Each attempt as the readings of each of its hypotheses."""
    return [
        [readings(text, language, today, month_first) for text in attempt.texts if text.strip()]
        for attempt in attempts
    ]


@lru_cache(maxsize=256)
def readings(text: str, language: Language, today: date, month_first: bool) -> list[Reading]:
    """The ways to read one hypothesis as a date with a year, or else as any date."""
    found = _loose(text, language, today, month_first)
    if any(reading.year and reading.day for reading in found):
        return found
    for span in dates.find_dates(text, language, today, month_first=month_first):
        on = date.fromisoformat(span.value)
        found.append(Reading(on.day, on.month, None, 0.3, on.year))
    return found


def _loose(text: str, language: Language, today: date, month_first: bool) -> list[Reading]:
    figures: list[tuple[str, bool]] = []
    months: list[tuple[int, int]] = []
    for word in _TOKEN.findall(text.lower()):
        month = language["months"].entries.get(word)
        if month and not (word == "may" and months):
            months.append((month, len(figures)))
            continue
        ordinal = language["ordinals"].entries.get(word)
        if word.isdigit() and word.isascii():
            figures.append((word, False))
        elif word in language.ordinal_endings and figures:
            figures[-1] = figures[-1][0], True
        elif ordinal:
            figures.append((str(ordinal), True))
        elif word in _SPELT or word in language.digit_words:
            figures.append((_SPELT.get(word) or str(language.digit_words.get(word, "")), False))
    figures = [figure for figure in figures if figure[0]]
    year, head = _year(figures, today)
    found: list[Reading] = []
    for month, at in months[:1]:
        before, after = [text for text, _ in head[:at]], [text for text, _ in head[at:]]
        day = _day(before[-1:]) or _day(["".join(before[-2:])]) or _day(after[:1])
        found.append(Reading(day, month, year, 0.0))
    parts = [int(text) for text, _ in head if len(text) <= 2]
    if len(head) == 2 == len(parts):
        day, month = reversed(parts) if month_first else parts
        price = 0.2 if not months else MONTH_GUESSED + 1.5
        if 1 <= month <= 12 and 1 <= day <= 31:
            found.append(Reading(day, month, year, price))
        elif 1 <= day <= 12 and 1 <= month <= 31:
            found.append(Reading(month, day, year, price + 0.3))
    cut_short = year is None and parts[-1:] in ([19], [20])  # it may begin a year
    if not months and len(head) == 1 == len(parts) and 10 <= parts[0] <= 31 and not cut_short:
        found.append(Reading(parts[0], None, year, 0.3))  # the month was not heard as one
    if not months:
        found += _run_together("".join(text for text, _ in head), year, month_first)
    if not found and year:
        found.append(Reading(None, None, year, 0.5))
    return found


def _year(figures: list[tuple[str, bool]], today: date) -> tuple[int | None, list[tuple[str, bool]]]:
    """The year at the end of the figures, and the figures before it."""
    for k in range(len(figures) - 1, -1, -1):
        digits = "".join(text for text, _ in figures[k:])
        if len(digits) < 4:
            continue
        if len(figures[k][0]) > 4:  # run together with what is before it
            head, digits = figures[k][0][:-4], figures[k][0][-4:]
            year = _plausible(digits, today)
            return (year, [*figures[:k], (head, False)]) if year else (None, figures)
        year = _plausible(digits, today)
        if year:
            return year, figures[:k]
    if len(figures) >= 2 and len(figures[-1][0]) == 2 and not figures[-1][1] and int(figures[-1][0]) > 31:
        return 1900 + int(figures[-1][0]), figures[:-1]
    return None, figures


def _plausible(digits: str, today: date) -> int | None:
    """The year in four or five figures: 1955, "1950 5" for 1955, "2000 3" for 2003."""
    if not digits.startswith(("19", "20", "18")):
        return None
    year = int(digits[:4])
    if len(digits) == 5 and digits[3] == "0" and digits[4] != "0":
        year += int(digits[4])
    elif len(digits) > 5:
        return None
    return year if 1850 <= year <= today.year + 20 else None


def _day(figures: list[str]) -> int | None:
    if not figures or not figures[0]:
        return None
    value = int(figures[0])
    if len(figures[0]) == 3 and figures[0][1] == "0":  # "20 7" for 27
        value = int(figures[0][0] + figures[0][2])
    return value if 1 <= value <= 31 else None


def _run_together(digits: str, year: int | None, month_first: bool) -> list[Reading]:
    if not 2 <= len(digits) <= 6:
        return []
    found = [Reading(day, month, year, price) for day, month, price in _strings(month_first).get(digits, ())]
    if not found and len(digits) > 3:
        for k in range(len(digits)):
            shorter = digits[:k] + digits[k + 1 :]
            found += [
                Reading(day, month, year, price + 2.0)
                for day, month, price in _strings(month_first).get(shorter, ())
            ]
    return found


@lru_cache(maxsize=2)
def _strings(month_first: bool) -> dict[str, list[tuple[int, int, float]]]:
    """Every digit string a day and month may be run together into, with what it may mean."""
    found: dict[str, list[tuple[int, int, float]]] = {}
    for month in range(1, 13):
        for day in range(1, monthrange(2000, month)[1] + 1):
            forms = {f"{day:02}": 0.0, str(day): 0.4}
            if day > 20 and day % 10:
                forms[f"{day // 10}0{day % 10}"] = 0.8
            ends = {f"{month:02}": 0.0, str(month): 0.4, f"00{month}": 0.8}
            for head, first in forms.items():
                for tail, second in ends.items():
                    text = tail + head if month_first else head + tail
                    found.setdefault(text, []).append((day, month, first + second + 0.3))
    return found


def day_scores(heard: list[list[list[Reading]]]) -> dict[str, float]:
    """Log likelihood of every date that the fields heard can make, by its ISO form."""
    votes: tuple[dict[int, float], dict[int, float], dict[int, float]] = ({}, {}, {})
    for attempt in heard:
        for weight, hypothesis in zip(rank_weights(len(attempt)), attempt, strict=True):
            for reading in hypothesis:
                for vote, field in zip(votes, (reading.day, reading.month, reading.year), strict=True):
                    if field:
                        vote[field] = vote.get(field, 0.0) + weight / (1.0 + reading.price)
    if not votes[2]:
        votes[2].update(_assumed(heard))
    days, months, years = (sorted(vote, key=lambda field: (-vote[field], field))[:FIELDS] for vote in votes)
    found = [
        date(year, month, day)
        for year in years
        for month in months
        for day in days
        if day <= monthrange(year, month)[1]
    ]
    return known_day_scores(heard, found)


def _assumed(heard: list[list[list[Reading]]]) -> dict[int, float]:
    readings_ = (reading for attempt in heard for hypothesis in attempt for reading in hypothesis)
    return {reading.assumed: 1.0 for reading in readings_ if reading.assumed}


def known_day_scores(heard: list[list[list[Reading]]], days: Sequence[date]) -> dict[str, float]:
    """Log likelihood of given dates, by ISO form."""
    weights = [rank_weights(len(attempt)) for attempt in heard]
    return {
        on.isoformat(): sum(
            mixture(
                (
                    min((_price(on, reading) for reading in hypothesis), default=FLOOR)
                    for hypothesis in attempt
                ),
                shares,
                FLOOR,
            )
            for attempt, shares in zip(heard, weights, strict=True)
        )
        for on in days
    }


def _price(on: date, reading: Reading) -> float:
    straight = _field(on.day, reading.day) + _field(on.month, reading.month)
    if (
        reading.day
        and reading.month
        and straight > SWAPPED
        and on.day == reading.month
        and on.month == reading.day
    ):
        straight = SWAPPED
    return reading.price + straight + _year_price(on.year, reading.year)


def _field(said: int, heard: int | None) -> float:
    if heard is None:
        return MISSING
    if said == heard:
        return 0.0
    if _teen(said, heard):
        return TEEN
    same_tens = said // 10 == heard // 10 > 0  # "two" and "eight" have no tens to share
    return NEAR if said % 10 == heard % 10 or same_tens else WRONG


def _teen(said: int, heard: int) -> bool:
    """Whether a ten was heard for a teen or a teen for a ten (13, 30)."""
    low, high = sorted((said, heard))
    return 13 <= low <= 19 and (low - 10) * 10 == high


def _year_price(said: int, heard: int | None) -> float:
    if heard is None:
        return MISSING
    if said == heard:
        return 0.0
    if heard % 10 == 0 and said // 10 == heard // 10:
        return TENS_LOST
    if said // 100 == heard // 100 and _teen(said % 100, heard % 100):
        return TEEN
    same = sum(a == b for a, b in zip(str(said), str(heard), strict=True))
    return NEAR + 0.5 if same == 3 else WRONG_YEAR
