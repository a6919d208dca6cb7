"""Times of day as said: "half past nine", "three pm", "a las tres y media de la tarde", "halb zehn"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.lengths import length_at
from pipecat_memory.notes.spoken.numbers import number_at
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import Word, split


@dataclass(frozen=True, slots=True)
class Clock:
    """A time found at a place: minutes after midnight, its words, how surely, if either half is meant."""

    minutes: int
    start: int
    end: int
    sure: float
    either_half: bool = False


def nearest(clock: str, standing: str) -> str:
    """A time said without its half of the day, in the half that it amends (both `HH:MM`).

    That is the half whose time lies nearer: eight after seven in the evening is eight in the
    evening, eleven after one at noon is in the morning. At the same distance the half stays.
    """
    said, other = _minutes_of(clock), _minutes_of(standing)
    options = [said % HALF, said % HALF + HALF]
    best = min(options, key=lambda option: (abs(option - other), option // HALF != other // HALF))
    return f"{best // 60:02d}:{best % 60:02d}"


HALF = 12 * 60
"""Minutes in half a day."""


def _minutes_of(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


def find_times(text: str, language: Language) -> list[Span]:
    """Every time of day in the utterance, in order, as `HH:MM`."""
    words = split(text)
    spans: list[Span] = []
    i = taken = 0
    while i < len(words):
        found = clock_at(words, i, language)
        if found is None or found.start < taken:  # the "pm" of the time before is not this one's
            i += 1
            continue
        taken = found.end
        start, stop = words[found.start].start, words[found.end - 1].end
        value = f"{found.minutes // 60:02d}:{found.minutes % 60:02d}"
        spans.append(
            Span(start, stop, text[start:stop], value, "time", found.sure, either_half=found.either_half)
        )
        i = found.end
    return spans


def find_waits(text: str, language: Language) -> list[tuple[int, int, timedelta]]:
    """Every stretch from now ("in half an hour", "dentro de dos horas"): start, end, how long."""
    words = split(text)
    waits: list[tuple[int, int, timedelta]] = []
    for i in range(len(words)):
        after = language["after"].at(words, i)
        if after is None:
            continue
        length = length_at(words, after[1], language)
        if length and length[1] in ("hour", "minute"):
            minutes = length[0] * (60 if length[1] == "hour" else 1)
            waits.append((words[i].start, words[length[2] - 1].end, timedelta(minutes=minutes)))
    return waits


def clock_at(words: tuple[Word, ...], i: int, language: Language) -> Clock | None:
    """The time of day that starts at word `i`, with the part of the day around it."""
    named = language["named_times"].at(words, i)
    if named:
        hours, minutes = named[0].split(":")
        return Clock(int(hours) * 60 + int(minutes), i, named[1], 0.9)
    firm, loose = language["at"].at(words, i), language["around"].at(words, i)
    start = (firm or loose or (True, i))[1]
    found = _reading(words, start, language)
    if found is None:
        return None
    hour, minute, end, sure = found
    if firm:
        sure = max(sure, 0.75)
    elif loose:
        sure = max(sure, 0.45)  # "for four" is mostly a party
    hyphen = end + 1 if end < len(words) and words[end].text == "-" else end
    oclock = language["hour_words"].at(words, hyphen)
    if oclock:
        end, sure = oclock[1], max(sure, 0.85)
        if minute == 0:
            hour, minute, end = _after_oclock(words, hour, end, language)
    elif end < len(words) and (
        language["units"].at(words, end)
        or words[end].text in language.ordinal_endings
        or words[end].text in _SHORT
    ):
        return None  # "five minutes" is a length, "5th" a day
    part, first, last = _part_of_day(words, i, start, end, language)
    either_half = part is None and 1 <= hour <= 12 and not _written_24(words[start].text)
    if part:
        # Of "for four on Friday evening" the evening is the day's, and the four may be a party.
        party = loose and not firm and (first, last) == (start, end)
        hour, sure = _halved(hour, part), sure if party else max(sure, 0.9)
    elif 1 <= hour <= 6 and not _written_24(words[start].text):
        hour, sure = hour + 12, min(sure, 0.7)  # nobody books at three in the morning
    elif hour <= 12:
        sure = min(sure, 0.8)
    return Clock(hour % 24 * 60 + minute, first, last, sure, either_half) if 0 <= hour <= 24 else None


_SHORT = frozenset(
    "moment moments second seconds sec secs momento momentito segundo segundos momentchen sekunde sekunden "
    "instant seconde secondes".split()
)
"""Lengths too short for the calendar's units: "one moment" is no hour."""


def _written_24(word: str) -> bool:
    """Whether an hour is written the 24-hour way ("03:00")."""
    return len(word) == 5 and word[0] == "0"


def _reading(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int, int, float] | None:
    """Hour, minute, the word after and how surely, before any part of the day is known."""
    if i >= len(words):
        return None
    word = words[i].text
    if word[0].isdigit() and (":" in word or "." in word):
        return _written(word, i)
    spoken = _past_or_to(words, i, language)
    if spoken:
        return spoken
    hour = number_at(words, i, language)
    if hour is None:
        return None
    value, end = hour
    marked = language["hour_marks"].at(words, end)
    if 100 <= value < 2400 and value % 100 < 60 and (marked or (value % 100 == 0 and not word.isdigit())):
        # "Nineteen hundred hours"; without the last word a guess.
        return value // 100, value % 100, marked[1] if marked else end, 0.9 if marked else 0.4
    if word.isdigit() and len(word) in (3, 4):
        return (value // 100, value % 100, end, 0.5) if value // 100 < 24 and value % 100 < 60 else None
    if not 0 <= value <= 24:
        return None
    offset = language["after_hour"].at(words, end)
    if offset:
        total = value * 60 + offset[0]
        return total // 60, total % 60, offset[1], 0.9
    minute = _minute(words, language["minutes_join"].skip(words, end), language)
    if minute:
        marked = language["hour_marks"].at(words, minute[1])  # "fourteen thirty hours"
        return value, minute[0], marked[1] if marked else minute[1], 0.9 if marked else 0.5
    return value, 0, end, 0.3


def _minute(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int] | None:
    """Minutes right after an hour: "nine thirty", "nine oh five", "3 45"."""
    if i + 1 < len(words) and language.digit_words.get(words[i].text) == 0:
        unit = number_at(words, i + 1, language)
        return unit if unit and 0 < unit[0] < 10 else None
    found = number_at(words, i, language)
    if found is None or not 10 <= found[0] <= 59:
        return None
    return found


def _written(word: str, i: int) -> tuple[int, int, int, float] | None:
    parts = word.replace(".", ":").split(":")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()) or len(parts[1]) != 2:
        return None
    hour, minute = int(parts[0]), int(parts[1])
    return (hour, minute, i + 1, 0.9 if ":" in word else 0.5) if hour <= 24 and minute < 60 else None


def _past_or_to(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int, int, float] | None:
    """Half past nine, quarter to ten, ten past five, halb zehn."""
    before = language["half_before"].at(words, i)
    if before:
        hour = number_at(words, before[1], language)
        return (hour[0] - 1, before[0], hour[1], 0.9) if hour and 1 <= hour[0] <= 24 else None
    half, quarter = language["half"].at(words, i), language["quarter"].at(words, i)
    minutes: tuple[int, int] | None
    if half:
        minutes = 30, half[1]
    elif quarter:
        minutes = 15, quarter[1]
    else:
        minutes = number_at(words, i, language)
    if minutes is None or not 1 <= minutes[0] <= 30:
        return None
    past, to = language["past"].at(words, minutes[1]), language["to"].at(words, minutes[1])
    joined = past or to
    if joined is None and half and language.code == "en":
        joined = past = (True, minutes[1])  # "half nine" is half past nine
    hour = number_at(words, joined[1], language) if joined else None
    if hour is None or not 0 <= hour[0] <= 24:
        return None
    if past:
        return hour[0], minutes[0], hour[1], 0.9
    return ((hour[0] - 1) % 24 or 12 if hour[0] <= 12 else hour[0] - 1), 60 - minutes[0], hour[1], 0.85


def _after_oclock(words: tuple[Word, ...], hour: int, end: int, language: Language) -> tuple[int, int, int]:
    """Minutes after the hour word: "quinze heures trente", "cinq heures moins le quart"."""
    offset = language["after_hour"].at(words, end)
    if offset:
        total = hour * 60 + offset[0]
        return total // 60, total % 60, offset[1]
    if language.code != "en":
        minute = number_at(words, end, language)
        if minute and 1 <= minute[0] <= 59:
            return hour, minute[0], minute[1]
    return hour, 0, end


def _part_of_day(
    words: tuple[Word, ...], i: int, start: int, end: int, language: Language
) -> tuple[str | None, int, int]:
    """The part of the day after the time or just before it, and where the time then begins and ends.

    A part that names a day ("tomorrow morning") is left to the date.
    """
    after_comma = end + 1 if end < len(words) and words[end].text == "," else end
    for part in ("am", "pm"):
        found = language[part].at(words, after_comma)
        if found:
            return part, start, end if _day_at(words, after_comma, language) else found[1]
    for part in ("am", "pm"):
        found = language[part].before(words, i)
        if found:
            return part, start if _day_at(words, found[1], language) else found[1], end
    day = language["on"].skip(words, end)
    after_day = _day_at(words, day, language)
    for part in ("am", "pm"):
        if after_day and (language[part].at(words, after_day) or language[part].at(words, day)):
            return part, start, end  # "at eight tomorrow evening", "um acht am Freitagabend"
    return None, start, end


def _day_at(words: tuple[Word, ...], i: int, language: Language) -> int | None:
    """The word after a day named at word `i`."""
    found = language["days"].at(words, i) or language["weekdays"].at(words, i)
    return found[1] if found else None


def _halved(hour: int, part: str) -> int:
    if part == "pm":
        return hour + 12 if hour < 12 else hour
    return 0 if hour == 12 else hour
