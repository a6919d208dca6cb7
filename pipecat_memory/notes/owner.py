"""Which slot a spoken value is for: the one that its words, the question or its kind name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pipecat_memory.notes.counted import counts_people, is_number, takes_people
from pipecat_memory.notes.grammar import single_words_of
from pipecat_memory.notes.personal import is_birthday
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

NEEDS_TIE = frozenset({"number", "quantity", "digits"})
"""Types so common in speech that a value needs a label, a question or a frame to belong to a slot."""

LABEL_REACH = 5
"""Words between a slot's label and its value ("my account number, let me see, is ...")."""

SURE = 0.55
"""Certainty of a span under which it counts only as an answer to our question."""

PRONOUN = 0.2
"""Certainty of a lone digit that is mostly a pronoun ("the one I gave you")."""

FIRM = 0.7
"""Certainty from which a volunteered value is what the caller meant; under it, a best guess."""

_CLOCK = re.compile(r"\d\d:\d\d")

YOUNGEST = 2
"""Years before this one from which a day that nobody asked for can be a birthday."""


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A value found and the slots of its type.

    `owner` is the slot that a label or the likeness to what stands says it is for; `amends` the one that
    it could correct. `again`: it comes after an "or" or "no", in the place of the value before it. `led`: a
    "for" stands before it.
    """

    span: Span
    slots: list[Slot]
    rank: int
    owner: Slot | None
    amends: Slot | None
    again: bool = False
    led: bool = False


def owner_of(
    one: Candidate,
    asked: tuple[str, ...],
    held: Mapping[str, SlotValue],
    used: list[str],
    today: str,
    *,
    agreed: bool,
    refused: bool = False,
) -> tuple[Slot | None, bool]:
    """The slot a span is for and whether more than its type says so.

    Who has just `agreed` answers with no guess: of "yes, and a chair" the "a" is no one.

    Args:
        one: the value found.
        asked: slots that the agent asked for, nearest first.
        held: what stands.
        used: slots that a surer value of the same breath is for.
        today: the caller's day in ISO form.
        agreed: whether the turn begins with a yes.
        refused: whether it begins with a no.
    """
    span = one.span
    fitting = [slot for slot in one.slots if _fits(slot, span, asked, held, today)]
    if not fitting or (one.owner is not None and one.owner not in fitting):
        return None, False  # said to be another slot's value, and wrong for that one
    if one.owner is not None:
        return one.owner, True
    if span.kind == "people":
        counting = [slot for slot in fitting if counts_people(slot)]
        fitting = counting or [slot for slot in fitting if takes_people(slot) or slot.name in asked]
    first = next((slot for slot in one.slots if slot.name in asked[:1]), None)
    if first is not None and first not in fitting:
        return None, False  # a birthday without its year, a number of another length: said amiss
    if refused and one.again and _either(one, asked, held):
        return None, False
    guessed = not (used or agreed) or (one.again and set(used) <= set(asked))
    for name in asked if span.certainty >= SURE or guessed else ():
        wanted = next((slot for slot in fitting if slot.name == name), None)
        if span.kind == "digits" and span.certainty <= PRONOUN:
            continue
        if wanted is not None:
            return wanted, True
    if one.amends is not None:
        return (one.amends, True) if one.amends in fitting else (None, False)
    fitting = [slot for slot in fitting if not is_birthday(slot) or _years_ago(span, today)]
    if span.certainty < SURE or not fitting:
        return None, False
    if span.kind in NEEDS_TIE:
        by_pattern = [slot for slot in fitting if slot.pattern is not None]
        return (by_pattern[0], True) if len(by_pattern) == 1 else (None, False)
    if span.kind == "people":
        return fitting[0], True
    empty = [slot for slot in fitting if slot.name not in held and slot.name not in used]
    if len(fitting) == 1:
        return fitting[0], span.certainty >= FIRM
    return (empty[0], len(empty) == len(fitting) == 1) if empty else (fitting[0], False)


def _fits(slot: Slot, span: Span, asked: tuple[str, ...], held: Mapping[str, SlotValue], today: str) -> bool:
    """Whether a slot can hold the value at all; nobody is born today or later."""
    if slot.pattern is not None and re.fullmatch(slot.pattern, str(span.value)) is None:
        return False
    if not is_birthday(slot):
        return True
    if str(span.value) < today:
        return True
    return slot.name in held and (span.part == "day" or (asked[:1] == (slot.name,) and span.part == ""))


def _either(one: Candidate, asked: tuple[str, ...], held: Mapping[str, SlotValue]) -> bool:
    """Whether a bare number may be the count or the time that were both read back ("no, seven")."""
    fits = one.span.kind in ("quantity", "number") or (one.span.kind == "time" and one.span.certainty < SURE)
    times = [name for name, value in held.items() if _CLOCK.fullmatch(str(value.value))]
    counts = [name for name, value in held.items() if isinstance(value.value, int)]
    counts = [name for name in counts if one.led or name in asked]
    return fits and bool(times and counts)


def _years_ago(span: Span, today: str) -> bool:
    return int(str(span.value)[:4]) <= int(today[:4]) - YOUNGEST


def labelled(said: Utterance, span: Span, slots: list[Slot], *, generic: bool) -> Slot | None:
    """The slot whose own words stand nearest, in the same sentence; before the value counts more.

    With `generic`, a bare "number" names no slot.
    """
    nouns = single_words_of(said.language, "number_nouns") if generic else frozenset[str]()
    first, last = said.index(span.start), said.index(span.end - 1)
    low, high = said.sentence(first)
    best: tuple[int, int] | None = None
    found: Slot | None = None
    for hit in said.hits("label"):
        if not (low <= hit.start and hit.end <= high):
            continue
        slot = next((s for s in slots if s.name == hit.meaning), None)
        if slot is None or (hit.end - hit.start == 1 and said.words[hit.start].key in nouns):
            continue
        if first <= hit.start and hit.end <= last + 1:
            return slot  # "two guests"
        counts = hit.start > 0 and span.kind in ("quantity", "people") and is_number(said, hit.start - 1)
        if counts and hit.end <= first:
            continue  # in "two people, three nights" the people are not three
        distance = first - hit.end if hit.end <= first else (hit.start - last - 1) * 2 + 1
        rank = (distance, -(hit.end - hit.start))
        if 0 <= distance <= LABEL_REACH and (best is None or rank < best):
            best, found = rank, slot
    return found
