"""How many people: "a table for four", "2 adults and 1 child", "my wife and I"."""

from __future__ import annotations

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import kin_of, single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.spoken.language import language_of as spoken_language
from pipecat_memory.notes.utterance import Utterance

MOST = 500
"""A party larger than this is something else (a year, a price)."""

FRAME_REACH = 2
"""Words between a frame and its number ("a table for about ten")."""

DOUBTED = 0.4
"""Certainty of a number under which only its noun makes it a party: it is part of a date or time."""

SURE_CLOCK = 0.75
"""Certainty from which a time is one, so that a bare "for two" beside it is a party."""


def find_people(said: Utterance, moment: Moment) -> list[Span]:
    """Sizes of parties, as spans of kind `people`, where a noun or a frame says that people are meant."""
    numbers = [
        span
        for span in _found(said, "quantity", moment)
        if isinstance(span.value, int) and 0 < span.value <= MOST
    ]
    at = {said.index(span.start): span for span in numbers}
    found: list[Span] = []
    i = 0
    while i < len(said.words):
        total, end, parts = _party(said, i, at)
        if parts and (parts > 1 or (i in at and _meant(said, i, end, at[i], moment))):
            # "the two of us" begins with its number; "my wife and I" with its determiner.
            start, stop = said.words[i].start, said.words[end - 1].end
            found.append(Span(start, stop, said.text[start:stop], total, "people", 0.9))
            i = end
        else:
            i += 1
    return found


def _found(said: Utterance, kind: spoken.Kind, moment: Moment) -> list[Span]:
    return spoken.find(said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone)


def _meant(said: Utterance, i: int, end: int, span: Span, moment: Moment) -> bool:
    """Whether a lone number is a party: by its noun, a frame before it, or "for" beside a time."""
    if end > said.index(span.end - 1) + 1:
        return True
    if any(hit.start == end for hit in said.hits("tails")):
        return True
    if span.certainty >= DOUBTED and any(
        0 <= i - hit.end <= FRAME_REACH for hit in said.hits("people_frames")
    ):
        return True
    if (
        span.certainty < DOUBTED
        or i == 0
        or said.words[i - 1].key not in single_words_of(said.language, "for")
    ):
        return False
    clocks = [s for s in _found(said, "time", moment) if s.certainty >= SURE_CLOCK]
    return bool(clocks) and not any(s.start < span.end and span.start < s.end for s in clocks)


def _party(said: Utterance, i: int, numbers: dict[int, Span]) -> tuple[int, int, int]:
    """People listed from word `i`: how many, the word after them, how many parts the list has."""
    joins = kin_of(said.language)["joins"]
    listed: list[tuple[int, int]] = []
    firsts: list[int] = []
    joined = False
    while (member := _member(said, i, numbers, first=not listed)) is not None:
        listed.append(member)
        firsts.append(i)
        i = end = member[1]
        while i < len(said.words) and said.words[i].key in joins:
            i += 1
        joined = joined or i > end
        if i == end and (end >= len(said.words) or said.words[end - 1].stop != ","):
            break
    # Without an "and" ("one person, me") the caller says a thing twice; numbers still add up.
    if not joined and any(first not in numbers for first in firsts):
        listed = listed[:1]
    return sum(count for count, _ in listed), listed[-1][1] if listed else i, len(listed)


def _member(said: Utterance, i: int, numbers: dict[int, Span], *, first: bool) -> tuple[int, int] | None:
    """One part of a party at word `i`: "me", "my wife", "our two kids", "3 women"."""
    kin = kin_of(said.language)
    start = i
    while i < len(said.words) and i not in numbers and said.words[i].key in kin["determiners"]:
        i += 1
    if i >= len(said.words):
        return None
    if i in numbers:
        span = numbers[i]
        if _ordinal(said, span):
            return None
        after = said.index(span.end - 1) + 1
        noun = next((hit.end for hit in said.hits("people_nouns") if hit.start == after), None)
        if noun is None and after + 1 < len(said.words):  # "four hungry people"
            noun = next((hit.end for hit in said.hits("people_nouns") if hit.start == after + 1), None)
        if noun is None and not first:
            return None
        return span.value, noun or after
    word = said.words[i].key
    if word in kin["self"]:
        return (1, i + 1) if i == start else None
    if word in kin["two"]:
        return 2, i + 1
    return (1, i + 1) if word in kin["one"] and i > start else None


def _ordinal(said: Utterance, span: Span) -> bool:
    """Whether a number is a day ("14th")."""
    endings = spoken_language(said.language).ordinal_endings
    return said.text[span.end :].lower().startswith(tuple(ending for ending in endings if ending.isalpha()))
