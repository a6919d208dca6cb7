"""Cardinal numbers: "twenty-one hundred", "cuarenta y dos", "3.5", "half a dozen"."""

from __future__ import annotations

from functools import lru_cache

from text_to_num import text2num

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import Word, split


def is_number_word(word: str, language: Language) -> bool:
    """Whether a word is part of a spoken number."""
    if word in language.number_words:
        return True
    return language.number_pattern is not None and language.number_pattern.fullmatch(word) is not None


def number_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int] | None:
    """The longest spoken whole number that starts at word `i`: its value and the word after.

    The library reads the words; how far they reach is decided here, since "nineteen eighty"
    is two numbers and "three hundred and five" is one.
    """
    if i >= len(words):
        return None
    if words[i].text.isdigit() and words[i].text.isascii():
        return int(words[i].text), i + 1
    if not is_number_word(words[i].text, language):
        return None
    end = i + 1
    ends = [end]
    while end < len(words) and len(ends) < 12:
        word = words[end].text
        if is_number_word(word, language):
            end += 1
            ends.append(end)
        elif word in language.number_joins or word == "-":
            end += 1
        else:
            break
    for stop in reversed(ends):
        value = _value(tuple(word.text for word in words[i:stop] if word.text != "-"), language.code)
        if value is not None:
            return value, stop
    return None


@lru_cache(maxsize=1024)
def _value(words: tuple[str, ...], code: str) -> int | None:
    text = " ".join(words)
    if code == "fr":  # the library knows the compounds with their hyphens
        text = text.replace("quatre vingt", "quatre-vingt")
    try:
        return int(text2num(text, code))
    except ValueError:
        return None


# Looked for under most kinds of value, each time in the same utterance.
@lru_cache(maxsize=64)
def find_numbers(text: str, language: Language) -> tuple[Span, ...]:
    """Every cardinal number in the utterance, in order."""
    words = split(text)
    spans: list[Span] = []
    i = 0
    while i < len(words):
        found = _amount_at(words, i, language)
        if found is None:
            i += 1
            continue
        value, end = found
        start, stop = words[i].start, words[end - 1].end
        sure = 0.4 if value == 1 and not words[i].text.isdigit() else 0.9  # "one" is mostly a pronoun
        spans.append(Span(start, stop, text[start:stop], value, "number", sure))
        i = end
    return tuple(spans)


def _amount_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[int | float, int] | None:
    phrase = language["amounts"].at(words, i)
    if phrase:
        return phrase
    written = _written(words[i].text)
    if written is not None:
        scale = _scale(words, i + 1, language)
        half = language["and_half"].at(words, i + 1)
        if half:
            return written + 0.5, half[1]
        return (written * scale[0], scale[1]) if scale else (written, i + 1)
    whole = number_at(words, i, language)
    if whole is None:
        return None
    half = language["and_half"].at(words, whole[1])
    return (whole[0] + 0.5, half[1]) if half else _with_fraction(words, whole, language)


def _written(word: str) -> int | float | None:
    """A written number: "1,200", "3.5", "3,5"; not a clock time."""
    if not word[0].isdigit() or not word.isascii() or ":" in word:
        return None
    if word.isdigit():
        return int(word)
    head, *groups = word.replace(".", ",").split(",")
    if all(len(group) == 3 for group in groups) and head != "0":
        return int(head + "".join(groups))
    if len(groups) == 1:
        return float(f"{head}.{groups[0]}")
    return None


def _scale(words: tuple[Word, ...], i: int, language: Language) -> tuple[int, int] | None:
    """A scale word after a written number: "3 thousand"."""
    if i < len(words) and is_number_word(words[i].text, language):
        value = _value((words[i].text,), language.code)
        if value in (100, 1000, 1_000_000):
            return value, i + 1
    return None


def _with_fraction(
    words: tuple[Word, ...], whole: tuple[int, int], language: Language
) -> tuple[int | float, int]:
    """The digits after a spoken point: "three point five"."""
    value, end = whole
    dot = language["dot"].at(words, end)
    if dot is None:
        return whole
    digits = ""
    i = dot[1]
    while i < len(words) and words[i].text in language.digit_words:
        digits += str(language.digit_words[words[i].text])
        i += 1
    if digits:
        return float(f"{value}.{digits}"), i
    if i < len(words) and words[i].text.isdigit() and words[i].text.isascii():
        return float(f"{value}.{words[i].text}"), i + 1
    return whole
