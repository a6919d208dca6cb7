"""Things a caller lists: allergies, preferences, constraints, and free answers to our questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipecat_memory.notes.bare_answer import (
    LONGEST_ANSWER,
    bare_answer,
    names_a_thing,
    of_another,
    overlaps,
    place,
)
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.house_number import renumbered
from pipecat_memory.notes.items import DENIABLE, Item, Run, framed, instead, items, kinds_of
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.personal import filed
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

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
        if bare and (words := bare_answer(said)):
            runs = [Run(*words, stance(said, *words, [words]))]
        for item in items(said, runs, slot):
            if bare and not _answers(said, item, slot, told):
                continue
            words = said.span(item.start, item.end)
            at = said.words[item.start].start
            found.append(Mention(slot.name, words.casefold(), words, at, item.meant))
    return found


def _answers(said: Utterance, item: Item, slot: Slot, told: Sequence[Mention]) -> bool:
    """Whether a thing in a bare answer answers a question for the slot."""
    if overlaps(said, item.start, item.end, told) or not names_a_thing(said, item.start, item.end):
        return False
    if DENIABLE in kinds_of(slot) and _wished(said, item.start):
        return False  # who asks for a thing has not named what they can't have
    return filed(slot) is None or not of_another(said, item.start, item.end)


def _wished(said: Utterance, start: int) -> bool:
    """Whether what begins there is asked for ("I need a taxi"); a mere "please" asks for nothing."""
    polite = {hit.start for hit in said.hits("courtesy")}
    return any(hit.end <= start and hit.start not in polite for hit in said.hits("request"))


def find_answers(
    said: Utterance,
    grammar: Grammar,
    asked: tuple[str, ...],
    told: Sequence[Mention],
    slots: Mapping[str, SlotValue],
) -> list[Mention]:
    """Free text for the slot that was asked for, or after "my <label> is"; of a place no more than that."""
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if slot.type not in FREE or slot.multi or grammar.naming(slot) not in (None, "other"):
            continue
        run = _labelled(said, slot)
        if run is None and asked[:1] == (slot.name,):
            run = bare_answer(said)
        if run is not None and slot.type == "address":
            held = slots.get(slot.name)
            mended = renumbered(said, run, str(held.value)) if held is not None else None
            if mended is not None:
                found.append(Mention(slot.name, mended, mended, said.words[run[0]].start, "correct"))
                continue
            run = place(said, run, told, grammar)
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
