"""Reads what a model answered. What is whole is taken item by item; what is cut, never.

Models wrap JSON in prose, fences and thoughts, rename keys, leave commas, answer with a bare list,
cut off in the middle of a word. All of that is repaired here or refused here, in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from ..clients.base import ModelReply
from ..errors import ModelAnswerBad
from .items import (
    MAX_ITEMS,
    RawFact,
    RawSlot,
    facts_in,
    item_list,
    line_in,
    lines_in,
    renamed,
    slot_in,
    slot_list,
    truth_in,
)
from .salvage import json_values


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawExtract:
    """An `extract` answer, read. `rejected` counts items that could not be used."""

    facts: tuple[RawFact, ...] = ()
    slots: tuple[RawSlot, ...] = ()
    task: str | None = None
    goal: str | None = None
    topic: str | None = None
    mood: str | None = None
    pending_steps: tuple[str, ...] = ()
    completed_steps: tuple[str, ...] = ()
    rejected: int = 0

    def renumbered(self, numbers: Mapping[int, int]) -> RawExtract:
        """The answer about the same turns under other numbers; a turn that was not asked about is none."""
        facts = tuple(replace(f, turn=numbers.get(f.turn) if f.turn else None) for f in self.facts)
        slots = tuple(replace(s, turn=numbers.get(s.turn) if s.turn else None) for s in self.slots)
        return replace(self, facts=facts, slots=slots)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawSummary:
    """A `summarise` answer, read."""

    text: str
    resolved: bool | None = None
    key_facts: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()


def read_extract(reply: ModelReply) -> RawExtract:
    """Read an `extract` answer.

    Raises:
        ModelAnswerBad: nothing of it can be used, or it was cut.
    """
    found = _object(reply, _EXTRACT_KEYS, _FACT_KEYS, "facts")
    facts: list[RawFact] = []
    slots: list[RawSlot] = []
    rejected = 0
    listed = item_list(found.get("facts"))
    for item in listed[:MAX_ITEMS]:
        read = list(facts_in(item))
        facts.extend(read)
        rejected += not read
    rejected += max(0, len(facts) - MAX_ITEMS)
    named = slot_list(found.get("slots"))
    for item in named[:MAX_ITEMS]:
        slot = slot_in(item)
        slots.extend([slot] if slot else [])
        rejected += slot is None
    rejected += max(0, len(listed) - MAX_ITEMS) + max(0, len(named) - MAX_ITEMS)
    return RawExtract(
        facts=tuple(facts[:MAX_ITEMS]),
        slots=tuple(slots),
        task=_about(found, "task"),
        goal=_about(found, "goal"),
        topic=_about(found, "topic"),
        mood=_about(found, "mood"),
        pending_steps=lines_in(found.get("pending_steps")),
        completed_steps=lines_in(found.get("completed_steps")),
        rejected=rejected,
    )


def _about(found: dict[str, Any], name: str) -> str | None:
    """A line on the call; small models fill it with the names of the keys."""
    line = line_in(found.get(name))
    return None if line is None or line.lower() in _EXTRACT_KEYS else line


def read_summary(reply: ModelReply) -> RawSummary:
    """Read a `summarise` or `compress` answer.

    Raises:
        ModelAnswerBad: it holds no summary, or it was cut.
    """
    found = _object(reply, _SUMMARY_KEYS, frozenset(), "text")
    text = line_in(found.get("text"), limit=2000)
    if not text:
        raise ModelAnswerBad("no text in the answer")
    resolved = found.get("resolved")
    return RawSummary(
        text=text,
        resolved=None if resolved is None else truth_in(resolved),
        key_facts=lines_in(found.get("key_facts")),
        open_items=lines_in(found.get("open_items")),
    )


# The outer object

_EXTRACT_KEYS = frozenset(
    {"facts", "slots", "task", "goal", "topic", "pending_steps", "completed_steps", "mood"}
)
_SUMMARY_KEYS = frozenset({"text", "resolved", "key_facts", "open_items"})
_FACT_KEYS = frozenset({"key", "value", "quote"})


def _object(
    reply: ModelReply, keys: frozenset[str], item_keys: frozenset[str], listed: str
) -> dict[str, Any]:
    if reply.finish != "stop":
        raise ModelAnswerBad(f"not a whole answer: {reply.finish}")
    best: dict[str, Any] | None = None
    for value in json_values(reply.text):
        if isinstance(value, dict):
            body = renamed(cast("dict[str, Any]", value), keys)
            if not body or keys & body.keys():
                best = body  # the last one counts: drafts come first
            elif item_keys and len(item_keys & renamed(body, item_keys).keys()) > 1:
                best = {listed: [body]}
        elif isinstance(value, list) and item_keys:
            items = cast("list[Any]", value)
            if all(isinstance(item, dict) or item is None for item in items):
                best = {listed: items}
    if best is None:
        raise ModelAnswerBad("no JSON answer of the form asked for")
    return best
