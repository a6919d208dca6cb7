"""Things a caller lists: allergies, preferences, constraints, and free answers to our questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.items import Run, framed, instead, items
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

LONGEST_ANSWER = 12
"""Words of a free answer at most."""

FREE = frozenset({"text", "address"})


def find_lists(
    said: Utterance,
    grammar: Grammar,
    asked: tuple[str, ...],
    told: Sequence[Mention],
    slots: Mapping[str, SlotValue],
) -> list[Mention]:
    """Items for list slots, by the frames of the language ("allergic to ...") and the slot's own label.

    A bare answer to a question about one counts too, but not words that told something else (`told`):
    who is asked for allergies and says "call me Jo" or "we are four" has named none. What stands (`slots`)
    may be put right.
    """
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if not slot.multi or slot.values or slot.type not in ("list", "text"):
            continue
        held = slots.get(slot.name)
        runs = framed(said, slot) or (instead(said, held.value) if held is not None else [])
        bare = not runs and asked[:1] == (slot.name,)
        if bare and (answer := _answer(said)):
            runs = [Run(*answer, stance(said, *answer, [answer]))]
        for item in items(said, runs, slot):
            if bare and any(_overlaps(said, item.start, item.end, mention) for mention in told):
                continue
            words = said.span(item.start, item.end)
            at = said.words[item.start].start
            found.append(Mention(slot.name, words.casefold(), words, at, item.meant))
    return found


def find_answers(said: Utterance, grammar: Grammar, asked: tuple[str, ...]) -> list[Mention]:
    """Free text for the slot that was asked for, or after "my <label> is"."""
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if slot.type not in FREE or slot.multi or grammar.naming(slot) not in (None, "other"):
            continue
        run = _labelled(said, slot)
        if run is None and asked[:1] == (slot.name,):
            run = _answer(said)
        if run is not None:
            words = said.span(*run)
            found.append(
                Mention(slot.name, words, words, said.words[run[0]].start, stance(said, *run, [run]))
            )
    return found


def find_booleans(
    said: Utterance, grammar: Grammar, asked: tuple[str, ...], answer: bool | None
) -> list[Mention]:
    """Yes/no slots: the answer to a question about one, or its label with or without a "no"."""
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if slot.type != "boolean":
            continue
        if answer is not None and asked[:1] == (slot.name,):
            found.append(Mention(slot.name, answer, said.text.strip(), 0, "assert"))
            continue
        hit = next((h for h in said.hits("label") if h.meaning == slot.name), None)
        if hit is not None:
            meant = stance(said, hit.start, hit.end, [(hit.start, hit.end)])
            value = meant not in ("deny", "refuse")
            words = said.span(hit.start, hit.end)
            certain = "assert" if meant in ("deny", "refuse", "suggest") else meant
            found.append(Mention(slot.name, value, words, said.words[hit.start].start, certain))
    return found


def _labelled(said: Utterance, slot: Slot) -> tuple[int, int] | None:
    """The words after "<label> is", where the sentence says so and doesn't ask."""
    copulas = {hit.start: hit.end for hit in said.hits("is")}
    asks = {hit.start for group in ("wh", "question") for hit in said.hits(group)}
    for hit in said.hits("label"):
        first = said.sentence(hit.start)[0]
        if hit.meaning == slot.name and hit.end in copulas and asks.isdisjoint((first, hit.start)):
            start = copulas[hit.end]
            end = min(said.sentence(hit.start)[1], start + LONGEST_ANSWER)
            if start < end:
                return start, end
    return None


def _overlaps(said: Utterance, start: int, end: int, mention: Mention) -> bool:
    first, last = said.words[start].start, said.words[end - 1]
    return mention.start < last.end and first < mention.start + len(mention.spoken)


def _answer(said: Utterance) -> tuple[int, int] | None:
    """A bare answer without what leads in to it; None where it is no answer."""
    if any(hit.start <= 1 for hit in said.hits("dont_know")) or "?" in said.text or "？" in said.text:
        return None
    start, fillers = 0, single_words_of(said.language, "lead_in")
    while start < len(said.words) and said.words[start].key in fillers:
        start += 1
    end = len(said.words)
    if any(hit.start == start for hit in said.hits("request")) and _asks(said, start):
        return None
    if not 0 < end - start <= LONGEST_ANSWER:
        return None
    if any(hit.start <= start for group in ("yes", "no") for hit in said.hits(group) if hit.end == end):
        return None
    return start, end


def _asks(said: Utterance, start: int) -> bool:
    """Whether a request is put as a question: not "please ..." and not "I want ..."."""
    return said.words[start].key in single_words_of(said.language, "asking_verbs")
