"""The words of a slot's name and description that tell it from other slots of its type."""

from __future__ import annotations

from functools import lru_cache

from pipecat_memory.notes.tokens import keys
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.schema import MemorySchema, Slot

SHORT = 3
"""Letters of words that tell nothing ("of", "the"); a Chinese character tells at once."""

PLAIN = frozenset(
    "date day time datum tag fecha jour 日期 caller asks wants when with whether needed wanted".split()
)
"""Words that tell no slot from another."""

TYPED = frozenset("number quantity digits phone email date time datetime money postcode".split())
"""Types whose values are told by their form, so that a question in other words is enough."""


@lru_cache(maxsize=1024)
def telling(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    return frozenset(w for w in keys(text) if (len(w) > SHORT or not w.isascii()) and w not in PLAIN)


def named_in(slot: Slot, said: Utterance, start: int) -> bool:
    """Whether the words from `start` on name all that a slot's name names ("shall I block the card?")."""
    asked = [word.key for word in said.words[start:]]
    label = keys(slot.label)
    if "".join(label) in "".join(asked) and len("".join(label)) > SHORT:
        return True  # "a high chair" for `highchair`
    words = telling(slot.label)
    return bool(words) and words <= set(asked)


def described(schema: MemorySchema, said: Utterance, start: int) -> list[str]:
    """The one slot for a number, day, amount or contact whose description a question speaks of most."""
    asked = {word.key for word in said.words[start:]}
    slots = [slot for slot in schema.slots if slot.type in TYPED]
    shared = {slot.name: len(telling(slot.description) & asked) for slot in slots}
    most = max(shared.values(), default=0)
    found = [name for name, count in shared.items() if count == most]
    return found if most and len(found) == 1 else []
