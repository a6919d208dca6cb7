"""What the agent would best do next, decided from the notes alone, apart from how it is worded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipecat_memory.notes.book import Notes
from pipecat_memory.records.call_state import NextStep, SlotValue
from pipecat_memory.records.schema import Slot
from pipecat_memory.records.turn import ToolRecord

HOW = {
    "name": "ask to spell it, letter by letter",
    "email": "read it back letter by letter, then the part after the at sign",
    "postcode": "read it back letter by letter",
    "digits": "read the digits back in pairs",
    "phone": "read the digits back in pairs",
    "date": "say the day of the week with the date",
    "datetime": "say the day of the week with the date, then the time",
    "time": "say whether morning or afternoon",
    "money": "say the amount with its currency",
    "address": "read it back in parts",
    "number": "repeat the number",
    "quantity": "repeat the number",
}
"""How to ask a value back so that a mishearing shows."""

IDENTITY = frozenset({"name", "phone", "email", "digits", "postcode", "address", "money"})
"""Types that are read back when heard unsurely, even where the schema doesn't require them."""


def next_step(
    notes: Notes,
    *,
    missed: bool = False,
    tools: Sequence[ToolRecord] = (),
    guards: Mapping[str, Sequence[str]] | None = None,
) -> NextStep:
    """The best next step.

    Args:
        notes: as they stand.
        missed: voice came without words: ask again before anything else.
        tools: what was called so far, so that nothing is called twice.
        guards: the app's guarded tools and the slots each requires.
    """
    if missed:
        return NextStep("confirm", "not_heard", hint="say that you did not catch that")
    slots = notes.state.slots
    order = [slot for slot in notes.schema.slots if slot.name in slots]
    for slot in order:
        held = slots[slot.name]
        if held.asked is not None:
            return _confirm(slot, "two_values", "name both values and ask which is right")
    for slot in order:
        if slots[slot.name].confidence == "pending":
            return _confirm(slot, "waits_for_yes", HOW.get(slot.type))
    for slot in order:
        if slots[slot.name].confidence == "inferred" and (slot.required or slot.type in IDENTITY):
            return _confirm(slot, "heard_unsurely", HOW.get(slot.type))
    for slot in notes.schema.slots:
        if slot.required and slot.name not in slots and _grounded(slot, slots):
            if slot.name in notes.known.values:
                return _confirm(slot, "known_before", "ask whether what is known from before still holds")
            return NextStep("ask_slot", "required", slot=slot.name, hint=slot.description or None)
    return _call(notes, tools, guards or {}) or NextStep("answer", "nothing_open")


def _confirm(slot: Slot, reason: str, hint: str | None) -> NextStep:
    return NextStep("confirm", reason, slot=slot.name, hint=hint)


def _grounded(slot: Slot, slots: dict[str, SlotValue]) -> bool:
    """Whether what a slot depends on is there; else that is asked for first, by its own turn."""
    return all(name in slots for name in slot.depends_on)


def _call(notes: Notes, tools: Sequence[ToolRecord], guards: Mapping[str, Sequence[str]]) -> NextStep | None:
    slots = notes.state.slots
    for tool, needed in guards.items():
        if (
            needed
            and all(_sure(slots.get(name)) for name in needed)
            and not _called(tool, tools, notes, needed)
        ):
            return NextStep("call_tool", "slots_confirmed", tool=tool, args=_args(notes, needed))
    required = [slot.name for slot in notes.schema.slots if slot.required]
    if guards or not required or not all(_sure(slots.get(name)) for name in required):
        return None
    latest = max(slots[name].turn for name in required)
    if any(record.status in (None, "ok") and record.turn >= latest for record in tools):
        return None
    confirmed = [slot.name for slot in notes.schema.slots if _sure(slots.get(slot.name))]
    return NextStep("call_tool", "slots_confirmed", args=_args(notes, confirmed))


def _called(tool: str, tools: Sequence[ToolRecord], notes: Notes, needed: Sequence[str]) -> bool:
    latest = max(notes.state.slots[name].turn for name in needed)
    return any(r.name == tool and r.status in (None, "ok") and r.turn >= latest for r in tools)


def _sure(held: SlotValue | None) -> bool:
    return held is not None and held.confidence == "confirmed" and held.asked is None


def _args(notes: Notes, names: Sequence[str]) -> dict[str, Any]:
    secret = {slot.name for slot in notes.schema.slots if slot.secret}
    return {name: notes.state.slots[name].value for name in names if name not in secret}
