"""Strings of digits as they are dictated: "double four oh two", "forty two seventeen", "#", keyed."""

from __future__ import annotations

from functools import lru_cache

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.numbers import number_at
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import Word, split

_BETWEEN = frozenset(".-/,")


def digits_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int] | None:
    """One dictated piece at word `i`: a digit, a repeated digit, or a number read as digits."""
    word = words[i].text
    if word in language.repeats and i + 1 < len(words):
        step = i + 2 if words[i + 1].text == "-" and i + 2 < len(words) else i + 1
        counted = step < len(words) and words[step].text not in language.repeats
        again = digits_at(words, step, language) if counted else None
        if again and len(again[0]) == 1:
            return again[0] * language.repeats[word], again[1]
        return None
    if word[0].isdigit() and word.isascii():
        return "".join(mark for mark in word if mark.isdigit()), i + 1
    if word in language.digit_words and not _starts_number(words, i, language):
        return str(language.digit_words[word]), i + 1
    found = number_at(words, i, language)
    if found is None:
        return None
    return str(found[0]), found[1]


def _starts_number(words: tuple[Word, ...], i: int, language: Language) -> bool:
    """Whether the digit begins a longer number ("two hundred") rather than a string of digits."""
    found = number_at(words, i, language)
    return found is not None and found[0] >= 100


# Looked for under most kinds of value, each time in the same utterance.
@lru_cache(maxsize=64)
def find_digits(text: str, language: Language, *, fillers: bool = True) -> tuple[Span, ...]:
    """Every dictated string of digits, in order.

    Args:
        text: the utterance.
        language: its table.
        fillers: whether a filler or "and" inside the string is passed over.
    """
    words = split(text)
    spans: list[Span] = []
    i = 0
    while i < len(words):
        run = _run(words, i, language, fillers)
        if run is None:
            i += 1
            continue
        value, end, pieces = run
        start, stop = words[i].start, words[end - 1].end
        spans.append(
            Span(start, stop, text[start:stop], value, "digits", _sure(value, pieces, words[i].text))
        )
        i = end
    return tuple(spans)


def _run(words: tuple[Word, ...], i: int, language: Language, fillers: bool) -> tuple[str, int, int] | None:
    value, end, pieces = "", i, 0
    while i < len(words):
        piece = digits_at(words, i, language)
        if piece:
            value, i, pieces = value + piece[0], piece[1], pieces + 1
            end = i
            continue
        word = words[i].text
        if pieces and (word in _BETWEEN or (fillers and word in language.fillers)):
            i += 1
            continue
        break
    return (value, end, pieces) if pieces else None


def _sure(value: str, pieces: int, first: str) -> float:
    """A lone digit or number word is rarely an identifier; four digits or more mostly are."""
    if len(value) == 1:
        return 0.2 if first in ("o", "oh", "one") else 0.4
    if len(value) < 4:
        return 0.6
    return 0.9 if pieces > 1 or first[0].isdigit() else 0.6
