"""Dates as said: "next Friday", "the 27th of the 9th 1979", "pasado mañana", "in two weeks"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.day_ranges import ranged
from pipecat_memory.notes.spoken.figure_dates import figure_dates
from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.numbers import number_at
from pipecat_memory.notes.spoken.span import Part, Span
from pipecat_memory.notes.spoken.weeks_of_month import weekday_of_month
from pipecat_memory.notes.spoken.words import Word, split

_CENTURIES = (18, 19, 20)


@dataclass(frozen=True, slots=True)
class Day:
    """A date found at a place: what it is, the word after it, how surely, and by which part of it.

    None where there is no such day ("the fifth Friday of February"): its words name no other one.
    """

    on: date | None
    end: int
    sure: float
    part: Part = ""


def find_dates(text: str, language: Language, today: date, *, month_first: bool = False) -> list[Span]:
    """Every date in the utterance, in order, as ISO dates.

    Args:
        text: the utterance.
        language: its table.
        today: the caller's day.
        month_first: whether 4/5 is the 5th of April.
    """
    spans = figure_dates(text, today, month_first=month_first)
    words = split(text)
    i = 0
    while i < len(words):
        if any(span.start <= words[i].start < span.end for span in spans):
            i += 1
            continue
        found = date_at(words, i, language, today)
        if found is None:
            i += 1
            continue
        if found.on is None:
            i = found.end
            continue
        start, stop = words[i].start, words[found.end - 1].end
        iso = found.on.isoformat()
        spans.append(Span(start, stop, text[start:stop], iso, "date", found.sure, part=found.part))
        i = found.end
    whole = [_with_weekday(span, text, words, language) for span in spans]
    apart = [a for a in whole if not any(b is not a and b.start <= a.start and a.end <= b.end for b in whole)]
    return ranged(text, words, sorted(apart, key=lambda span: span.start), language, day_number)


def _with_weekday(span: Span, text: str, words: tuple[Word, ...], language: Language) -> Span:
    """A written-out date together with the weekday before it ("Sun, 19 Aug 2018")."""
    before = next((i for i, word in enumerate(words) if word.start >= span.start), len(words)) - 1
    if before < 0 or not any(mark.isdigit() for mark in span.text):
        return span
    day = language["weekdays"].at(words, before) or language["weekdays_short"].at(words, before)
    if day is None or text[words[before].end : span.start].strip(" ,"):
        return span
    start = words[before].start
    return replace(span, start=start, text=text[start : span.end])


def date_at(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    """The longest date that starts at word `i`."""
    options = (
        _of_month(words, i, language, today),
        _absolute(words, i, language, today),
        _week_on(_weekday(words, i, language, today), words, language),
        _week_on(_named(words, i, language, today), words, language),
        _counted(words, i, language, today),
        _week_from(words, i, language, today),
    )
    return max((found for found in options if found), key=lambda found: found.end, default=None)


def _of_month(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    found = weekday_of_month(words, i, language, today)
    return Day(*found, 0.9) if found else None


def _named(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    """Today, tomorrow, the day after tomorrow, Christmas Eve."""
    feast = language["feasts"].at(words, i)
    if feast:
        on = calendar_days.yearless(today, *feast[0])
        return Day(on, feast[1], 0.9) if on else None
    found = language["days"].at(words, i)
    if found is None:
        return None
    part = language["am"].before(words, found[1])
    if part and part[1] < i:  # "de la mañana" is a part of the day, not tomorrow
        return None
    return Day(today + timedelta(days=found[0]), found[1], 0.95)


def _week_on(found: Day | None, words: tuple[Word, ...], language: Language) -> Day | None:
    """The day a week after one, where the words behind it say so: "Saturday week", Samstag in einer Woche."""
    after = language["in_a_week"].at(words, found.end) if found else None
    if found is None or found.on is None or after is None:
        return found
    return Day(calendar_days.step(found.on, 1, "week"), after[1], 0.9)


def _week_from(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    """A week from Saturday, a week on Friday."""
    before = language["a_week_from"].at(words, i)
    if before is None:
        return None
    day = _weekday(words, before[1], language, today) or _named(words, before[1], language, today)
    return Day(calendar_days.step(day.on, 1, "week"), day.end, 0.9) if day and day.on else None


def _weekday(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    """Friday, next Friday, Friday next week, Friday the 5th of May."""
    before = language["week_after"].at(words, i)
    if before:  # "next week Friday"
        day = language["weekdays"].at(words, language["on"].skip(words, before[1]))
        return Day(calendar_days.weekday_of_week(today, day[0], 1), day[1], 0.9) if day else None
    which = None
    start = i
    for name in ("this", "next", "last"):
        found = language[name].at(words, i)
        if found:
            which, start = name, found[1]
            break
    day = language["weekdays"].at(words, start)
    if day is None:
        return None
    weekday, end = day
    if which is None:
        for name in ("next_after", "last_after"):
            found = language[name].at(words, end)
            if found:
                which, end = name.removesuffix("_after"), found[1]
                break
    if which is None:
        week = language["week_after"].at(words, end)
        if week:
            return Day(calendar_days.weekday_of_week(today, weekday, 1), week[1], 0.9)
        full = _absolute(words, language["the"].skip(words, end), language, today, weekday)
        if full:
            return full
    return _relative_weekday(which, weekday, end, language, today)


def _relative_weekday(which: str | None, weekday: int, end: int, language: Language, today: date) -> Day:
    coming = calendar_days.coming_weekday(today, weekday)
    if which == "last":
        return Day(coming - timedelta(days=7 if coming.weekday() != today.weekday() else 14), end, 0.8)
    if which == "next" and language.next_weekday == "week":
        following = calendar_days.weekday_of_week(today, weekday, 1)
        # Early in the week people differ in what "next Friday" means: worth a question.
        return Day(following, end, 0.9 if following == coming else 0.65)
    return Day(coming, end, 0.9 if coming.weekday() != today.weekday() else 0.6, "" if which else "weekday")


def _counted(words: tuple[Word, ...], i: int, language: Language, today: date) -> Day | None:
    """In two weeks, three days ago, hace dos días."""
    after, before = language["after"].at(words, i), language["ago_before"].at(words, i)
    start = (after or before or (True, i))[1]
    count = _count(words, start, language)
    unit = language["units"].at(words, count[1]) if count else None
    weekday = language["weekdays"].at(words, count[1]) if count else None
    later = language["from_now"].at(words, weekday[1]) if weekday else None
    if count and weekday and later and count[0] > 0:  # "three Tuesdays from now"
        coming = calendar_days.step(calendar_days.coming_weekday(today, weekday[0]), count[0] - 1, "week")
        return Day(coming, later[1], 0.9) if coming else None
    if count is None or unit is None or unit[0] in ("hour", "minute"):
        return None
    end = unit[1]
    ago = language["ago"].at(words, end)
    later = language["from_now"].at(words, end)
    if not (after or before or ago or later):
        return None
    sign = -1 if before or ago else 1
    on = calendar_days.step(today, sign * count[0], unit[0])
    return Day(on, (ago or later or (True, end))[1], 0.9) if on else None


def _count(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int] | None:
    found = number_at(words, i, language)
    if found:
        return found if found[0] < 10_000 else None
    one = language["one"].at(words, i)
    return (1, one[1]) if one else None


def _absolute(
    words: tuple[Word, ...], i: int, language: Language, today: date, weekday: int | None = None
) -> Day | None:
    """The 5th of May, May the 5th 2027, 27th of the 9th 1979, the 5th."""
    month = language["months"].at(words, i)
    if month:
        day = day_number(words, language["the"].skip(words, month[1]), language)
        return _dated(words, month[0], day[0], day[1], language, today) if day else None
    start = language["the"].skip(words, i)
    day = day_number(words, start, language)
    if day is None:
        return None
    value, end, ordinal = day
    joined = language["of"].at(words, end)
    at = joined[1] if joined else end
    month = language["months"].at(words, at)
    if month and value == 1 and not (joined or ordinal or words[start].text.isdigit()):
        return None  # "which one, May or June"
    if month is None and ordinal:
        numbered = day_number(words, language["the"].skip(words, at), language)
        if numbered and numbered[2] and numbered[0] <= 12:  # "27th of the 9th"
            month = numbered[0], numbered[1]
    if month:
        return _dated(words, month[0], value, month[1], language, today)
    if ordinal and weekday is None and language["ordinal_nouns"].at(words, end):
        return None  # "the third floor"
    if (ordinal and (start > i or weekday is not None)) or _by_article(words, i, end, language):
        on = calendar_days.monthless(today, value, weekday) or calendar_days.monthless(today, value)
        if on is None:
            return None
        return Day(on, end, 0.85) if weekday is not None else Day(on, end, 0.6, "day")
    return None


def _by_article(words: tuple[Word, ...], i: int, end: int, language: Language) -> bool:
    """Whether a plain number is a day of the month by the word before it: "le 15", "am 15.", "el 15"."""
    article = language["day_of_month"].at(words, i)
    if article is None or article[1] >= end:
        return False
    counted = any(language[name].at(words, end) for name in ("units", "hour_words", "currencies"))
    return not counted and number_at(words, end, language) is None


def _dated(
    words: tuple[Word, ...], month: int, day: int, end: int, language: Language, today: date
) -> Day | None:
    comma = end + 1 if end < len(words) and words[end].text == "," else end
    year = year_at(words, language["of"].skip(words, comma), language)
    if year:
        on = calendar_days.make(year[0], month, day)
        return Day(on, year[1], 0.95) if on else None
    short = number_at(words, language["of"].skip(words, comma), language)
    if short and 31 < short[0] < 100 and short[1] == len(words):  # "eighth of March eighty three"
        on = calendar_days.make(1900 + short[0], month, day)
        return Day(on, short[1], 0.8) if on else None
    on = calendar_days.yearless(today, month, day)
    return Day(on, end, 0.85) if on else None


def day_number(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int, bool] | None:
    """A day of the month at word `i`: value, the word after it, whether it is an ordinal."""
    found = language["ordinals"].at(words, i)
    if found:
        return found[0], found[1], True
    number = number_at(words, i, language)
    if number is None or not 1 <= number[0] <= 31:
        return None
    value, end = number
    if end < len(words) and words[end].text in language.ordinal_endings:
        return value, end + 1, True
    return value, end, False


def year_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int] | None:
    """A year at word `i`: 1979, "nineteen seventy nine", "two thousand and five", "19 79"."""
    first = number_at(words, i, language)
    if first is None:
        return None
    value, end = first
    if 1800 <= value <= 2199:
        return value, end
    if value not in _CENTURIES:
        return None
    if end + 1 < len(words) and language.digit_words.get(words[end].text) == 0:  # "nineteen oh five"
        unit = number_at(words, end + 1, language)
        if unit and unit[0] < 10:
            return value * 100 + unit[0], unit[1]
    rest = number_at(words, end, language)
    if rest and 10 <= rest[0] <= 99:
        return value * 100 + rest[0], rest[1]
    return None
