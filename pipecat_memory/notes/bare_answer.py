"""A bare answer to the agent's question for a thing or a place: which words it is, and whether it is one.

"Any allergies?" is answered by "yeah, nuts". What is said of somebody else ("a friend of mine hates
fish"), a sentence of its own ("my card is ...", "I take one every day") or a question back answers
nothing: a wrong value costs more than a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipecat_memory.notes.counted import is_number
from pipecat_memory.notes.grammar import Grammar, single_words_of, words_of
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.utterance import Utterance

LONGEST_ANSWER = 12
"""Words of a free answer at most."""

ENDS = ("courtesy", "correction")
"""Groups that may close an answer and are no part of it ("nuts, please", "seeds, I mean")."""

BESIDE = frozenset({"date", "time", "datetime", "quantity", "money", "phone", "email", "digits"})
"""Types whose values may stand beside a place in one breath and are no part of it."""


def bare_answer(said: Utterance) -> tuple[int, int] | None:
    """The words of a bare answer without what leads in to it; None where it is no answer."""
    if any(hit.start <= 1 for hit in said.hits("dont_know")) or "?" in said.text or "？" in said.text:
        return None
    start, end = past_lead_in(said, 0), len(said.words)
    while tail := [
        hit.start for group in ENDS for hit in said.hits(group) if hit.end == end > hit.start > start
    ]:
        end = min(tail)
    if any(hit.start == start for hit in said.hits("request")) and _asks(said, start):
        return None
    if not 0 < end - start <= LONGEST_ANSWER:
        return None
    if any(hit.start <= start for group in ("yes", "no") for hit in said.hits(group) if hit.end >= end):
        return None
    return start, end


def past_lead_in(said: Utterance, start: int) -> int:
    """The word after the fillers and lead-ins ("yeah, I'd like the ...") that stand at `start`."""
    leads = words_of(said.language, "lead_in")
    longest = max(map(len, leads))
    keys = tuple(word.key for word in said.words)
    while lead := next((n for n in range(longest, 0, -1) if keys[start : start + n] in leads), 0):
        start += lead
    return start


def names_a_thing(said: Utterance, start: int, end: int) -> bool:
    """Whether words of a bare answer name a thing: no sentence, nobody else's, not a mere number."""
    clause = single_words_of(said.language, "clause")
    before = said.words[max(0, start - 1) : start]
    if any(word.key in clause for word in said.words[start:end]):
        return False
    if before and not before[0].stop and before[0].key in single_words_of(said.language, "self"):
        return False  # "I take one"
    return any(not word.key.isdigit() for word in said.words[start:end])


def of_another(said: Utterance, start: int, end: int) -> bool:
    """Whether words speak of somebody else ("a friend of mine hates fish")."""
    return any(start <= hit.start < end for hit in said.hits("others"))


def place(
    said: Utterance, run: tuple[int, int], told: Iterable[Mention], grammar: Grammar
) -> tuple[int, int] | None:
    """The part of an answer that can be a place; None where there is none.

    "I'm at the station, I have two bags" is "the station"; "tomorrow at seven" is no place.

    Args:
        said: the utterance.
        run: the answer.
        told: other values of the same breath.
        grammar: of the call.
    """
    start, end = run
    start = max([start, *(hit.end for hit in said.hits("located") if run[0] - 1 <= hit.start < end)])
    start = max([start, *_put_right(said, start, end)])
    if any(hit.start == start for hit in said.hits("booking_nouns")):
        return None  # "a cab from the station to the airport"
    clause = single_words_of(said.language, "clause")
    stops = [i for i in range(start, end) if said.words[i].key in clause]
    for first, last in _beside(said, told, grammar):
        if first == start:
            start = last
        elif first > start:
            stops.append(first)
    end = min([end, *stops])
    if end < run[1] and said.words[end].key in single_words_of(said.language, "is"):
        return None  # it is told of what it is ("my card is ...")
    joins = single_words_of(said.language, "and") | single_words_of(said.language, "before_value")
    while end > start and said.words[end - 1].key in joins:
        end -= 1
    return (start, end) if any(not is_number(said, i) for i in range(start, end)) else None


def _put_right(said: Utterance, start: int, end: int) -> Iterator[int]:
    """Where what was said right begins: "12 Baker Street, no, 14 Baker Street"."""
    for group in ("correction", "no"):
        for hit in said.hits(group):
            if start < hit.start and hit.end < end:
                yield past_lead_in(said, hit.end)


def _beside(said: Utterance, told: Iterable[Mention], grammar: Grammar) -> list[tuple[int, int]]:
    """The words of other values that stand beside a place, in order."""
    found: list[tuple[int, int]] = []
    for mention in told:
        slot = grammar.schema.slot(mention.slot)
        if slot is not None and slot.type in BESIDE:
            last = said.index(mention.start + len(mention.spoken) - 1)
            found.append((said.index(mention.start), last + 1))
    return sorted(found)


def overlaps(said: Utterance, start: int, end: int, told: Sequence[Mention]) -> bool:
    """Whether any other value of the same breath stands in words `start` to `end`."""
    first, last = said.words[start].start, said.words[end - 1].end
    return any(one.start < last and first < one.start + len(one.spoken) for one in told)


def _asks(said: Utterance, start: int) -> bool:
    """Whether a request is put as a question: not "please ..." and not "I want ..."."""
    return said.words[start].key in single_words_of(said.language, "asking_verbs")
