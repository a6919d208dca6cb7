"""Secret slots: what fills one is used in the call and stands nowhere; a mark stands in its place.

The mark tells the notes, whenever the call is folded again, that the slot was filled, and how surely.
"""

from __future__ import annotations

from typing import Any

from pipecat_memory.records.call_state import CallState, SlotValue
from pipecat_memory.records.schema import MemorySchema, Slot

SECRET = "***"  # noqa: S105 - what is shown in place of one
"""Stands where a secret slot's value would."""


def mark(slot: Slot, *, sure: bool = True) -> str:
    """What stands in a text in the place of the slot's value."""
    return f"[{slot.label}]" if sure else f"[{slot.label}?]"


def secret_slots(schema: MemorySchema) -> tuple[Slot, ...]:
    """The slots of a schema whose values are kept nowhere."""
    return tuple(slot for slot in schema.slots if slot.secret)


def filled(text: str, schema: MemorySchema, turn: int, at: str) -> dict[str, SlotValue]:
    """The secret slots that a marked text fills."""
    return {
        slot.name: SlotValue(SECRET, SECRET, "confirmed" if sure else "inferred", turn, at)
        for slot in secret_slots(schema)
        for sure in (False, True)
        if mark(slot, sure=sure) in text
    }


def unmarked(text: str, schema: MemorySchema) -> str:
    """The text without the marks in it."""
    for slot in secret_slots(schema) if "[" in text else ():
        for sure in (True, False):
            text = text.replace(mark(slot, sure=sure), " ")
    return text


def disarmed(text: str, schema: MemorySchema) -> str:
    """Somebody's own text: what looks like a mark in it is none."""
    for slot in secret_slots(schema) if "[" in text else ():
        for sure in (True, False):
            text = text.replace(there := mark(slot, sure=sure), there[1:-1])
    return text


def said_for(slot: Slot, held: SlotValue) -> tuple[str, ...]:
    """The words and values that a slot was filled with, where they still stand there."""
    values = held.value if isinstance(held.value, list) else [held.value]
    texts = [*map(str, values), held.spoken, "" if held.asked is None else str(held.asked), held.asked_spoken]
    marks = (SECRET, mark(slot), mark(slot, sure=False))
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip() and text not in marks))


def still_told(state: CallState, schema: MemorySchema) -> list[tuple[Slot, SlotValue]]:
    """The secret slots in which what the caller said still stands."""
    held = ((slot, state.slots[slot.name]) for slot in secret_slots(schema) if slot.name in state.slots)
    return [(slot, value) for slot, value in held if said_for(slot, value)]


def shown(state: CallState, schema: MemorySchema) -> dict[str, Any]:
    """The state in the report's form, without what stands in secret slots."""
    report = state.report()
    for slot in secret_slots(schema):
        if slot.name in report["slots"]:
            report["slots"][slot.name] |= {"value": SECRET, "spoken": SECRET}
            report["slots"][slot.name].pop("asked", None)
    return report
