"""How many people: "a table for four", "2 adults and 1 child", "my wife and I"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import between_kin, shift_words, single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.spoken.language import language_of as spoken_language
from pipecat_memory.notes.spoken.lengths import Length, find_lengths
from pipecat_memory.notes.tokens import keys
from pipecat_memory.notes.utterance import Utterance

MOST = 500
"""A party larger than this is something else (a year, a price)."""

FRAME_REACH = 2
"""Words between a frame and its number ("a table for about ten")."""

COMMAS = (",", "，", "、")

DETERMINERS = 3
"""Words before whom one brings ("both of my ..."), at most."""

DOUBTED = 0.4
"""Certainty of a number under which only its noun makes it a party: it is part of a date or time."""

PLURAL = 3
"""Letters from which a word that ends in "s" behind a number is a plural, in the languages that have them."""

ASKED = 0.5
"""Certainty of what is a party only in answer to our question."""

SURE_CLOCK = 0.75
"""Certainty from which a time is one, so that a bare "for two" beside it is a party."""


def find_people(said: Utterance, moment: Moment) -> list[Span]:
    """Sizes of parties, as spans of kind `people`, where a noun or a frame says that people are meant."""
    numbers = [
        span
        for span in _found(said, "quantity", moment)
        if isinstance(span.value, int) and 0 < span.value <= MOST and not _of_digits(said, span)
    ]
    cues = _Cues.of(said, numbers, moment)
    if not cues.numbers and not cues.kin:
        return _named(said)
    found: list[Span] = []
    i = 0
    while i < len(said.words):
        total, end, parts = _party(said, i, cues)
        if parts == 1 and (whole := _of_a_whole(said, i, total, cues)) is not None:
            if not found and whole.value > total:
                found.append(replace(whole, kind="people", certainty=0.9))
            i = end
        elif parts and (parts > 1 or (i in cues.numbers and _meant(said, i, end, cues.numbers[i], cues))):
            # "the two of us" begins with its number; "my wife and I" with its determiner.
            start, stop = said.words[i].start, said.words[end - 1].end
            found.append(Span(start, stop, said.text[start:stop], total, "people", 0.9))
            i = end
        else:
            i += 1
    return found or _named(said)


def _named(said: Utterance) -> list[Span]:
    """A party told without a number ("just me"): enough where it was asked for."""
    spans: list[Span] = []
    for hit in said.hits("party"):
        start, stop = said.words[hit.start].start, said.words[hit.end - 1].end
        spans.append(Span(start, stop, said.text[start:stop], int(hit.meaning), "people", ASKED))
    return spans


def _frame_ends(said: Utterance) -> list[int]:
    """The words after frames; the "us" of "four of us" is none."""
    parts = said.hits("part_of")
    return [hit.end for hit in said.hits("people_frames") if not any(hit.within(of) for of in parts)]


def _after_for(said: Utterance, i: int) -> bool:
    return i > 0 and said.words[i - 1].key in single_words_of(said.language, "for")


def _at_clock(said: Utterance, i: int) -> bool:
    """Whether the words before say that a number is a time: "we'll be there at six"."""
    phrases = [keys(phrase) for phrase in spoken_language(said.language)["at"].entries]
    before = tuple(word.key for word in said.words[:i])
    return said.language != "zh" and any(before[-len(phrase) :] == phrase for phrase in phrases)


def _measured(number: Span, cues: _Cues) -> bool:
    """Whether a number counts a unit: "we are five minutes late"."""
    return any(one.start < number.end and number.start < one.end for one in cues.lengths())


def _of_things(said: Utterance, i: int, end: int) -> bool:
    """Whether a number that somebody has is of other things: "there are two cars", "tenemos dos perros"."""
    had = any(0 <= i - hit.end <= FRAME_REACH for hit in said.hits("having"))
    if not had or end >= len(said.words) or said.words[end - 1].stop:
        return False
    follows = said.words[end].key
    return len(follows) > PLURAL and follows.endswith("s") and follows not in shift_words(said.language)


def is_part(said: Utterance, number: Span) -> bool:
    """Whether a number is one of a whole ("two of them"), or of what somebody brings ("me and two bags")."""
    first, after = said.index(number.start), said.index(number.end - 1) + 1
    joined = first > 1 and said.words[first - 1].key in between_kin(said.language, "joins")
    brought = joined and any(hit.end == first - 1 and hit.meaning == "self" for hit in said.hits("kin"))
    return brought or any(hit.start == after for hit in said.hits("part_of"))


def _of_a_whole(said: Utterance, i: int, count: int, cues: _Cues) -> Span | None:
    """The number that "two of them" at word `i` are a part of, or themselves where they tell no party.

    Who says "one of us" speaks of one; "two of us" are all unless more were counted before them.
    """
    part = cues.numbers.get(i)
    if part is None or not is_part(said, part) or i in _frame_ends(said) or _after_for(said, i):
        return None
    more = [span for at, span in cues.numbers.items() if at < i and span.value >= max(count, 2)]
    more = [span for span in more if span.certainty >= DOUBTED and not _ordinal(said, span)]
    return more[0] if more else part if count == 1 else None


def _of_digits(said: Utterance, number: Span) -> bool:
    """Whether a number counts digits, not people: "the last two digits are", 最后两位是."""
    at = said.index(number.start)
    return any(hit.start < at < hit.end for hit in said.hits("ends_in"))


@dataclass(frozen=True, slots=True, repr=False)
class _Cues:
    """What speaks of people, by the word it begins at: numbers, nouns and their ends, kin."""

    numbers: dict[int, Span]
    nouns: dict[int, int]
    persons: frozenset[tuple[int, int]]
    kin: dict[int, dict[str, int]]
    lengths: Callable[[], list[Length]]
    clocks: Callable[[], list[Span]]
    """What else the numbers may be; looked for once, where that is asked."""

    @classmethod
    def of(cls, said: Utterance, numbers: list[Span], moment: Moment) -> _Cues:
        kin: dict[int, dict[str, int]] = {}
        for hit in said.hits("kin"):
            kin.setdefault(hit.start, {})[hit.meaning] = hit.end
        nouns: dict[int, int] = {}
        for hit in said.hits("people_nouns"):
            nouns.setdefault(hit.start, hit.end)
        persons = frozenset((hit.start, hit.end) for hit in said.hits("persons"))
        return cls(
            {said.index(span.start): span for span in numbers},
            nouns,
            persons,
            kin,
            cache(lambda: [one for one in find_lengths(said.text, said.language) if one.unit]),
            cache(lambda: [one for one in _found(said, "time", moment) if one.certainty >= SURE_CLOCK]),
        )


def _found(said: Utterance, kind: spoken.Kind, moment: Moment) -> list[Span]:
    return spoken.find(said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone)


def _meant(said: Utterance, i: int, end: int, span: Span, cues: _Cues) -> bool:
    """Whether a lone number is a party: by its noun, a frame before it, or "for" beside a time."""
    if end > said.index(span.end - 1) + 1:
        return True
    if any(hit.start == end for hit in said.hits("tails")):
        return True
    if _at_clock(said, i) or _measured(span, cues) or _of_things(said, i, end):
        return False
    if span.certainty >= DOUBTED and any(0 <= i - end <= FRAME_REACH for end in _frame_ends(said)):
        return True
    if span.certainty < DOUBTED or not _after_for(said, i):
        return False
    clocks = cues.clocks()
    return bool(clocks) and not any(s.start < span.end and span.start < s.end for s in clocks)


@dataclass(frozen=True, slots=True)
class _Member:
    """One part of a party: how many, the word after it, and how they were named.

    `counted`: by a number with its noun; `anyone`: by a noun that may stand for all of the party; `kin`: as
    the caller or one of the caller's own.
    """

    count: int
    end: int
    counted: bool = False
    anyone: bool = False
    kin: str = ""


def _party(said: Utterance, i: int, cues: _Cues) -> tuple[int, int, int]:
    """People listed from word `i`: how many, the word after them, how many parts the list has."""
    joins = between_kin(said.language, "joins")
    listed: list[_Member] = []
    firsts: list[int] = []
    joined = apart = False
    while (member := _member(said, i, cues, first=not listed)) is not None:
        if apart and not (listed[-1].counted and member.counted) and not (listed[-1].kin and member.kin):
            break
        if member.kin == "self" and any(other.kin == "self" for other in listed):
            break
        listed.append(member)
        firsts.append(i)
        i = _past_of_us(said, member.end, joins)
        while i < len(said.words) and said.words[i].key in joins:
            i += 1
        joined = joined or said.words[i - 1].key in joins
        # Two counts need nothing between them, nor one's own before the last: "me my wife and 3 kids".
        apart = i == member.end and said.words[i - 1].stop not in COMMAS
    # Without an "and" ("one person, me") the caller says a thing twice; numbers still add up.
    if not joined and any(first not in cues.numbers for first in firsts):
        listed = listed[:1]
    return _total(listed, joined=joined), listed[-1].end if listed else i, len(listed)


def _past_of_us(said: Utterance, i: int, joins: frozenset[str]) -> int:
    """The word after the "of us" of "four of us and two kids", where more are told; else `i`."""
    end = next((hit.end for hit in said.hits("part_of") if hit.start == i), i)
    return end if i < end < len(said.words) and said.words[end].key in joins else i


def _total(listed: list[_Member], *, joined: bool) -> int:
    """How many they are together; one part may tell it ("four people, two adults and two kids")."""
    total = sum(member.count for member in listed)
    for member in listed:
        if member.anyone and 2 * member.count == total and (len(listed) > 2 or not joined):
            return member.count
    return total


def _member(said: Utterance, i: int, cues: _Cues, *, first: bool) -> _Member | None:
    """One part of a party at word `i`: "me", "my wife", "our two kids", "3 women"."""
    determiners = between_kin(said.language, "determiners")
    start = i
    last = min(len(said.words), start + DETERMINERS)
    while i < last and i not in cues.numbers and said.words[i].key in determiners:
        i += 1
    if i in cues.numbers:
        return _count(said, cues.numbers[i], cues, first=first)
    kin = cues.kin.get(i, {})
    if "two" in kin:
        return _Member(2, kin["two"], kin="two")
    if "one" in kin and (i > start or (said.language == "zh" and not first)):
        return _Member(1, kin["one"], kin="one")
    alone = cues.kin.get(start, {}).get("self")
    return _Member(1, alone, kin="self") if alone is not None else None


def _count(said: Utterance, span: Span, cues: _Cues, *, first: bool) -> _Member | None:
    """A number of people: with its noun, or as the first of a list."""
    if _ordinal(said, span):
        return None
    after = said.index(span.end - 1) + 1
    for start in (after, after + 1) if said.language != "zh" else (after,):  # "four hungry people"
        if start in cues.nouns:
            end = cues.nouns[start]
            return _Member(span.value, end, True, (start, end) in cues.persons)
    return _Member(span.value, after) if first else None


def _ordinal(said: Utterance, span: Span) -> bool:
    """Whether a number is a day ("14th")."""
    endings = spoken_language(said.language).ordinal_endings
    return said.text[span.end :].lower().startswith(tuple(ending for ending in endings if ending.isalpha()))
