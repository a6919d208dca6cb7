"""The guard before a tool that changes something: a final sentence is not a permission."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pipecat_memory.errors import UsedWrongly
from pipecat_memory.notes.book import Notes

T = TypeVar("T")
_NEEDS = "needs_confirmed"


def guarded(function: T, slots: Iterable[str]) -> T:
    """`function`, marked with the slots that its guard asks for, so that a front door can tell the call.

    Frameworks copy a function's attributes onto the tool they make of it.
    """
    setattr(function, _NEEDS, tuple(dict.fromkeys((*needed(function), *slots))))
    return function


def needed(function: object) -> tuple[str, ...]:
    """The slots that a tool's guard asks for; empty for a tool without one."""
    return getattr(function, _NEEDS, ())


def unconfirmed(notes: Notes, slots: Iterable[str]) -> tuple[str, ...]:
    """Those of the slots that are empty, not confirmed, or in question, in the order given.

    Raises:
        UsedWrongly: for a slot that the schema doesn't have: the guard would never open.
    """
    missing: list[str] = []
    for name in slots:
        if notes.schema.slot(name) is None:
            raise UsedWrongly(f"the schema has no slot {name!r}; a guard on it would never open")
        held = notes.state.slots.get(name)
        if held is None or held.confidence != "confirmed" or held.asked is not None:
            missing.append(name)
    return tuple(missing)


def refusal(notes: Notes, missing: Iterable[str]) -> str:
    """What the model is told instead of the tool's result. Names slots, never values."""
    parts: list[str] = []
    for name in missing:
        slot = notes.schema.slot(name)
        label = slot.label if slot else name
        held = notes.state.slots.get(name)
        if held is None:
            parts.append(f"ask the caller for the {label}")
        elif held.asked is not None:
            parts.append(f"ask which {label} is right, the earlier or the later one")
        else:
            parts.append(f"read the {label} back to the caller and wait for a yes")
    return "Not done. First " + "; ".join(parts) + ". Then call this tool again."
