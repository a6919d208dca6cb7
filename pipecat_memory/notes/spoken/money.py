"""Amounts of money: "forty dollars and fifty cents", "£12.50", "treinta euros"."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from pipecat_memory.notes.spoken.figures import SIGNS, find_figures
from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.numbers import find_numbers
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import split

_SIGNED = re.compile(r"[$£€¥]\s*$")


# Looked for under most kinds of value, each time in the same utterance.
@lru_cache(maxsize=64)
def find_money(text: str, language: Language) -> tuple[Span, ...]:
    """Every amount with its currency, in order; `unit` is the ISO code."""
    words = split(text)
    by_start = {word.start: i for i, word in enumerate(words)}
    figures = find_figures(text, language["currencies"].entries)
    numbers = [
        span
        for span in find_numbers(text, language)
        if not any(figure.start < span.end and span.start < figure.end for figure in figures)
    ]
    spans: list[Span] = []
    for span in numbers:
        taken = max((one.end for one in (*spans, *figures) if one.start <= span.start), default=0)
        if span.start < taken:
            continue
        after = bisect_left(words, span.end, key=lambda word: word.start)
        sign = _SIGNED.search(text[: span.start], taken)
        unit, end = (SIGNS[sign.group()[0]], span.end) if sign else ("", span.end)
        found = language["currencies"].at(words, after)
        if after < len(words) and words[after].text in SIGNS:
            found = SIGNS[words[after].text], after + 1
        if found and not any(one.start < words[found[1] - 1].end and span.start < one.end for one in figures):
            unit, end, after = found[0], words[found[1] - 1].end, found[1]
        if not unit:
            continue
        start = sign.start() if sign else span.start
        value, end = _with_cents(span.value, end, after, numbers, by_start, text, language)
        spans.append(Span(start, end, text[start:end], value, "money", 0.95, unit))
    return tuple(sorted([*spans, *figures], key=lambda span: span.start))


def _with_cents(
    value: float,
    end: int,
    after: int,
    numbers: list[Span],
    by_start: dict[int, int],
    text: str,
    language: Language,
) -> tuple[float, int]:
    """The small change that follows: "and fifty cents", "forty pounds fifty"."""
    words = split(text)
    if after < len(words) and words[after].text in language.number_joins:
        after += 1
    for change in numbers:
        if (
            by_start.get(change.start) != after
            or not isinstance(change.value, int)
            or not 0 < change.value < 100
        ):
            continue
        stop = next((i for i, word in enumerate(words) if word.start >= change.end), len(words))
        cents = language["cents"].at(words, stop)
        if cents:
            return round(value + change.value / 100, 2), words[cents[1] - 1].end
        if change.value >= 10 and not language["currencies"].at(words, stop):
            return round(value + change.value / 100, 2), change.end
    return value, end
