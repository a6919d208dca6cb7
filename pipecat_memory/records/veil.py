"""What of one slot, fact or open item may be told to a caller who is not verified (design rule 10).

Nothing that a caller or a model worded freely: a quote, a sentence or a title may hold more than the
value that may be told. What is told is made anew from names and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from .fact import Fact
from .schema import MemorySchema, Slot
from .summary import OpenItem

UNNAMED = "something was not finished"
"""Stands for an open item of which nothing may be told but that it is there."""


def may_tell(slot: Slot | None, *, verified: bool) -> bool:
    """Whether the value of a slot may reach the model; a secret one never does."""
    return slot is None or not (slot.secret or (slot.sensitive and not verified))


def untold(schema: MemorySchema, *, verified: bool) -> frozenset[str]:
    """Names of the slots whose values may not reach the model."""
    return frozenset(slot.name for slot in schema.slots if not may_tell(slot, verified=verified))


def hidden_in(facts: Iterable[Fact]) -> set[str]:
    """Values of these facts that a weak identity may not be told."""
    texts = (fact.value.strip() for fact in facts if fact.sensitive and isinstance(fact.value, str))
    return {text for text in texts if text}


class Veil:
    """Lets through what a weak identity may be told, without what it may not.

    Args:
        hidden: values that may not be told: whatever names one of them stays out as well.
    """

    def __init__(self, hidden: Iterable[str]) -> None:
        named = "|".join(re.escape(text) for text in sorted(set(hidden)))
        self._named = re.compile(rf"(?<!\w)(?:{named})(?!\w)", re.IGNORECASE) if named else None

    def fact(self, fact: Fact) -> Fact | None:
        """Key and value of a fact, in the place of its sentence, its quote and who it names."""
        text = f"{fact.key.replace('_', ' ')}: {fact.value}"
        if self._names_hidden(text):
            return None
        return msgspec.structs.replace(fact, text=text, quote="", relations=())

    def item(self, item: OpenItem) -> OpenItem:
        """An open item by the title that the notes made of it; of its values those that stand there."""
        title = item.plain or _told(item.slots)
        if not title or self._names_hidden(title):
            title = UNNAMED
        return replace(
            item, title=title, plain=title, value=None, slot=None, slots=_standing(item.slots, title)
        )

    def _names_hidden(self, text: str) -> bool:
        return self._named is not None and self._named.search(text) is not None


def _told(slots: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in slots.items())


def _standing(slots: Mapping[str, Any], title: str) -> dict[str, Any]:
    return {n: v for n, v in slots.items() if re.search(rf"(?<!\w){re.escape(_shown(v))}(?!\w)", title)}


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
