"""What the agent would best do next, decided from the notes alone, apart from how it is worded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pipecat_memory.notes.book import Notes
from pipecat_memory.notes.changes import pointer
from pipecat_memory.records.call_state import Change, NextStep, SlotValue
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
    began: datetime | None = None,
) -> NextStep:
    """The best next step.

    Args:
        notes: as they stand.
        missed: voice came without words: ask again before anything else.
        tools: what was called so far, so that nothing is called twice.
        guards: the app's guarded tools and the slots each requires.
        began: when the call began, aware; with it, a tool that ran before a person mended one of its
            slots in the same turn is known to be due again.
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
    for required in notes.schema.slots:
        if not required.required or required.name in slots:
            continue
        slot = _ground(required, notes)
        if slot.name in notes.known.values:
            return _confirm(slot, "known_before", "ask whether what is known from before still holds")
        return NextStep("ask_slot", "required", slot=slot.name, hint=slot.description or None)
    return _call(notes, tools, guards or {}, began) or NextStep("answer", "nothing_open")


def _confirm(slot: Slot, reason: str, hint: str | None) -> NextStep:
    return NextStep("confirm", reason, slot=slot.name, hint=hint)


def _ground(slot: Slot, notes: Notes) -> Slot:
    """The slot, or the first missing one of those it depends on: that is asked for first."""
    for name in slot.depends_on:
        if name not in notes.state.slots and (ground := notes.schema.slot(name)) is not None:
            return _ground(ground, notes)
    return slot


def _call(
    notes: Notes,
    tools: Sequence[ToolRecord],
    guards: Mapping[str, Sequence[str]],
    began: datetime | None,
) -> NextStep | None:
    slots = notes.state.slots
    for tool, needed in guards.items():
        if (
            needed
            and all(_sure(slots.get(name)) for name in needed)
            and not _done([record for record in tools if record.name == tool], notes, needed, began)
        ):
            return NextStep("call_tool", "slots_confirmed", tool=tool, args=_args(notes, needed))
    required = [slot.name for slot in notes.schema.slots if slot.required]
    if guards or not required or not all(_sure(slots.get(name)) for name in required):
        return None
    if _done(tools, notes, required, began):
        return None
    confirmed = [slot.name for slot in notes.schema.slots if _sure(slots.get(slot.name))]
    return NextStep("call_tool", "slots_confirmed", args=_args(notes, confirmed))


def _done(tools: Sequence[ToolRecord], notes: Notes, needed: Sequence[str], began: datetime | None) -> bool:
    """Whether a tool was called with what stands in these slots."""
    latest = max(notes.state.slots[name].turn for name in needed)
    mended = _mended(notes, needed) if began is not None else None
    return any(
        record.status in (None, "ok")
        and record.turn >= latest
        and (began is None or mended is None or began + timedelta(seconds=record.called) >= mended)
        for record in tools
    )


def _mended(notes: Notes, names: Sequence[str]) -> datetime | None:
    """When a person last mended what stands in one of these slots."""
    moments = [
        datetime.fromisoformat(notes.state.slots[name].at)
        for name in names
        if (change := _last_change(notes, name)) is not None and change.by == "operator"
    ]
    return max(moments, default=None)


def _last_change(notes: Notes, name: str) -> Change | None:
    """The change that put a slot where it stands."""
    path = f"/slots/{pointer(name)}/"
    return next((change for change in reversed(notes.changes) if change.path.startswith(path)), None)


def _sure(held: SlotValue | None) -> bool:
    return held is not None and held.confidence == "confirmed" and held.asked is None


def _args(notes: Notes, names: Sequence[str]) -> dict[str, Any]:
    secret = {slot.name for slot in notes.schema.slots if slot.secret}
    return {name: notes.state.slots[name].value for name in names if name not in secret}
