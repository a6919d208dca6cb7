"""Lengths and counts: "half an hour", "two days", "una hora y media", 一个半小时, "two"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipecat_memory.notes.spoken.chinese import NUMBER, either, find_numbers, table, value
from pipecat_memory.notes.spoken.language import Language, language_of
from pipecat_memory.notes.spoken.numbers import number_at
from pipecat_memory.notes.spoken.words import Word, split

_CLOCKS = {"小时": "hour", "钟头": "hour", "分钟": "minute", "刻钟": "quarter"}
_CHINESE = re.compile(
    rf"(半|{NUMBER})\s*(?:个(半)?)?({either([*_CLOCKS, *table()['units']])})(?![一二三四五六日])"
)

LONGEST = 10_000
"""Counts of which nothing of a call is more."""


@dataclass(frozen=True, slots=True)
class Length:
    """How much: characters `start` to `end`, the count, and its unit ("" for a count of anything)."""

    start: int
    end: int
    count: float
    unit: str


def find_lengths(text: str, code: str) -> list[Length]:
    """Every length and every bare count, in order.

    Args:
        text: the utterance.
        code: its language.
    """
    if code == "zh":
        return _chinese(text)
    words, language = split(text), language_of(code)
    found: list[Length] = []
    i = 0
    while i < len(words):
        here = length_at(words, i, language)
        if here is None:
            i += 1
            continue
        count, unit, end = here
        found.append(Length(words[i].start, words[end - 1].end, count, unit))
        i = end
    return found


def length_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[float, str, int] | None:
    """The length or count that starts at word `i`: how many, of which unit, the word after."""
    part = language["hour_parts"].at(words, i)
    if part:
        return part[0], "minute", part[1]
    count = language["amounts"].at(words, i) or number_at(words, i, language)
    if count is None:
        one = language["one"].at(words, i)
        count = (1, one[1]) if one else None
    if count is None or count[0] >= LONGEST:
        return None
    unit = language["units"].at(words, count[1])
    if unit is None:
        return count[0], "", count[1]
    half = language["and_half"].at(words, unit[1])
    return (count[0] + 0.5, unit[0], half[1]) if half else (count[0], unit[0], unit[1])


def _chinese(text: str) -> list[Length]:
    found: list[Length] = []
    for match in _CHINESE.finditer(text):
        unit = _CLOCKS.get(match[3]) or table()["units"][match[3]]
        count = 0.5 if match[1] == "半" else float(value(match[1]) or 0)
        count += 0.5 if match[2] else 0
        if unit == "quarter":
            count, unit = count * 15, "minute"
        found.append(Length(*match.span(), count, unit))
    for number in find_numbers(text):
        if not any(one.start < number.end and number.start < one.end for one in found):
            found.append(Length(number.start, number.end, float(number.value), ""))
    return sorted((one for one in found if one.count < LONGEST), key=lambda one: one.start)
