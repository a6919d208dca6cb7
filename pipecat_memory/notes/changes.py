"""The change log: what differs between two states, as JSON Pointers with the words that caused it."""

from __future__ import annotations

from typing import Any

from pipecat_memory.records.call_state import By, CallState, Change, SlotValue
from pipecat_memory.records.faults import pointer
from pipecat_memory.records.schema import MemorySchema

LOGGED = 2000
"""Changes kept of one call. A call of an hour makes a few hundred."""

HIDDEN = "***"
"""Stands for the value of a secret slot in the log."""

_FIELDS = ("goal", "task", "topic", "step", "pending_steps", "completed_steps")


def differences(
    before: CallState, after: CallState, schema: MemorySchema, *, turn: int, by: By, quote: str | None
) -> tuple[Change, ...]:
    """Every change from one state to the next, in the order of the report."""
    found: list[Change] = []
    for field in _FIELDS:
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            found.append(Change(turn, f"/{field}", _plain(old), _plain(new), by, quote))
    for name in dict.fromkeys((*before.slots, *after.slots)):
        slot = schema.slot(name)
        secret = slot is not None and slot.secret
        for part, old, new in _slot_changes(before.slots.get(name), after.slots.get(name)):
            hidden = secret and part != "confidence"
            found.append(
                Change(
                    turn,
                    f"/slots/{pointer(name)}/{part}",
                    HIDDEN if hidden and old is not None else _plain(old),
                    HIDDEN if hidden and new is not None else _plain(new),
                    by,
                    None if secret else quote,
                )
            )
    return tuple(found)


def _slot_changes(old: SlotValue | None, new: SlotValue | None) -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    if (old.value if old else None) != (new.value if new else None):
        found.append(("value", old.value if old else None, new.value if new else None))
    elif old and new and old.confidence != new.confidence:
        found.append(("confidence", old.confidence, new.confidence))
    if (old.asked if old else None) != (new.asked if new else None):
        found.append(("asked", old.asked if old else None, new.asked if new else None))
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
