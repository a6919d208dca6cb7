"""Spelled strings: letters, letter names, spelling alphabets, "m as in mike", "double l"."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from pipecat_memory.notes.spoken.digits import digits_at
from pipecat_memory.notes.spoken.language import Language, language_of
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import Word, split

LETTERED = 0.9
"""Certainty of a spelled run in which all letters are surely letters."""

_BETWEEN = frozenset(".-,")


def letter_at(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int, bool] | None:
    """One spelled letter at word `i`: the letter, the word after it, and whether it is surely one.

    "why" and "are" are letters only among letters; "bravo" and "b" are letters anywhere.
    """
    if i >= len(words):
        return None
    word = words[i].text
    if word in language.repeats:
        again = letter_at(words, i + 1, language)
        return (again[0] * language.repeats[word], again[1], True) if again else _double_u(words, i, language)
    letter: str | None = None
    end, sure = i + 1, True
    if len(word) == 1 and word.isalpha():
        letter, sure = word, word not in language.letters_common_words
    else:
        for category in ("alphabet", "letters"):
            found = language[category].at(words, i)
            if found:
                letter, end = found
                sure = category == "alphabet" or word not in language.letters_common_words
                break
    if letter is None and language.code != "en":
        # Callers of every language use the international alphabet.
        found = language_of("en")["alphabet"].at(words, i)
        if found:
            letter, end = found
    if letter is None:
        return None
    accent = language["accents"].at(words, end)
    if accent:
        return unicodedata.normalize("NFC", letter + accent[0]), accent[1], sure
    explained = _explained(words, end, letter, language)
    return (letter, explained, True) if explained else (letter, end, sure)


def _double_u(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int, bool] | None:
    found = language["letters"].at(words, i)
    return (found[0], found[1], True) if found else None


def _explained(words: tuple[Word, ...], i: int, letter: str, language: Language) -> int | None:
    """The word after "... as in mike" if it begins with the letter that was said."""
    joined = language["as_in"].at(words, i)
    if joined and joined[1] < len(words):
        example = words[joined[1]].text
        if len(example) > 1 and example[0] == letter:
            return joined[1] + 1
    return None


def spelled_run(
    words: tuple[Word, ...], i: int, language: Language, *, digits: bool = True
) -> tuple[str, int, int] | None:
    """The longest spelled string from word `i`: upper-case text, the word after it, sure letters."""
    value, end, sure = "", i, 0
    while i < len(words):
        letter = letter_at(words, i, language)
        if letter:
            value, i = value + letter[0].upper(), letter[1]
            sure += letter[2]
            end = i
            continue
        piece = digits_at(words, i, language) if digits else None
        if piece:
            value, i = value + piece[0], piece[1]
            end = i
            continue
        if value and (words[i].text in _BETWEEN or words[i].text in language.fillers):
            i += 1
            continue
        break
    return (value, end, sure) if value else None


# Looked for under most kinds of value, each time in the same utterance.
@lru_cache(maxsize=64)
def find_codes(text: str, language: Language) -> tuple[Span, ...]:
    """Runs of letters and digits ("l k six seven x d b"): their digits are no time, count or day.

    "Six p m" is none.
    """
    if not any(mark.isdigit() for mark in text) and not _numbered(text, language):
        return ()
    found: list[Span] = []
    for span in find_spelled(text, language):
        letters = "".join(mark for mark in span.value if mark.isalpha())
        if len(letters) < len(span.value) and letters not in ("AM", "PM") and span.certainty >= LETTERED:
            found.append(span)
    return tuple(found)


def _numbered(text: str, language: Language) -> bool:
    return any(word.text in language.digit_words for word in split(text))


def find_spelled(text: str, language: Language, *, digits: bool = True) -> list[Span]:
    """Every spelled string of two letters or more, in order, as upper-case text."""
    words = split(text)
    spans: list[Span] = []
    i = 0
    while i < len(words):
        run = spelled_run(words, i, language, digits=digits)
        if run is None:
            i += 1
            continue
        value, end, sure = run
        letters = sum(mark.isalpha() for mark in value)
        if letters >= 2 and sure:
            start, stop = words[i].start, words[end - 1].end
            certainty = min(0.95, 0.4 + 0.55 * sure / letters)
            spans.append(Span(start, stop, text[start:stop], value, "spelled", certainty))
        i = end
    return spans
