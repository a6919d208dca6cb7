"""How a value of a choice may be said: its inflections, its spellings, the part that tells it."""

from __future__ import annotations

from pipecat_memory.notes.tokens import key, keys, tokens
from pipecat_memory.records.schema import MemorySchema, Slot

SPELLINGS = (("re", "er"), ("er", "re"), ("que", "cue"), ("cue", "que"), ("our", "or"), ("or", "our"))
"""Endings that are written either way in English, by country or by recogniser."""

PART = 4
"""Letters from which a part of a value can stand for it, or be written as a word of its own."""


def parted(phrase: tuple[str, ...]) -> list[tuple[str, str]]:
    """A long word written as two, as recognisers do with compounds."""
    if len(phrase) != 1 or not phrase[0].isascii():
        return []
    word = phrase[0]
    return [(word[:cut], word[cut:]) for cut in range(PART - 1, len(word) - PART + 2)]


def telling_parts(slot: Slot, schema: MemorySchema) -> dict[str, str]:
    """Words that stand in one value of the slot only, and are no value themselves: they name it."""
    whole = {key(way) for other in schema.slots for value in other.values for way in other.ways(value)}
    found: dict[str, str | None] = {}
    for value in slot.values:
        phrase = keys(value)
        for part in phrase if len(phrase) > 1 else ():
            if len(part) >= PART and part not in whole:
                found[part] = value if part not in found else None
    return {part: value for part, value in found.items() if value is not None}


def forms(phrase: tuple[str, ...]) -> set[tuple[str, ...]]:
    """A value and its plain inflections and spellings: plural, -ly, -ern, either spelling."""
    if not phrase or not phrase[-1].isascii():
        return {phrase} - {()}
    head, last = phrase[:-1], phrase[-1]
    ends = {last}
    if len(last) > 3:
        ends |= {last + "s", last + "es", last + "ly", last + "ern"}
        for one, other in SPELLINGS:
            if last.endswith(one):
                ends.add(last.removesuffix(one) + other)
        if last.endswith("e"):
            ends.add(last[:-1] + "ly")
            ends.add(last + "d")
        if last.endswith("y"):
            ends.add(last[:-1] + "ies")
        if last.endswith("s") and len(last) > 4:
            ends.add(last[:-1])
    return {(*head, end) for end in ends}


def match_choice(slot: Slot, said: str) -> str | None:
    """The value of a choice that a text names, or None."""
    wanted = tuple(t.key for t in tokens(said))
    for value in slot.values:
        for way in slot.ways(value):
            if wanted in forms(keys(way)):
                return value
    return None
