"""Keyed digits fill the slot in play, as confirmed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pipecat_memory.notes.question import Question
from pipecat_memory.notes.rules import Occasion
from pipecat_memory.notes.spoken.phone import VALID, dialled, region_of
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import MemorySchema, Slot

KEYED_TYPES = ("digits", "phone", "number", "quantity", "postcode", "text", "choice", "money")

SHORTEST_PHONE = 7
"""Digits of the shortest phone number."""
LONGEST_PHONE = 18
"""Digits of the longest one, with 00 before its country code (ITU E.164)."""
FULL_PHONE = 10
"""Digits from which a phone number of an unknown country is complete."""


@dataclass(frozen=True, slots=True, repr=False)
class Pressed:
    """The keys of the turn before and the slot that was asked for: an entry may come in parts."""

    digits: str
    slot: str | None

    def __repr__(self) -> str:
        return "<Pressed>"


def keyed(
    pressed: str,
    schema: MemorySchema,
    question: Question,
    slots: Mapping[str, SlotValue],
    now: Occasion,
    *,
    timezone: str,
    before: Pressed | None = None,
) -> tuple[dict[str, SlotValue], Pressed | None]:
    """The slot that keyed digits are for, with its value, and the keys where more of them may follow.

    The slot last asked for comes first; else the one empty slot whose pattern they match; else
    the one empty slot of digits. Keys that fit nothing by themselves go on from those before them.

    Args:
        pressed: the keys of this turn.
        schema: of the call.
        question: what the agent asked.
        slots: what stands.
        now: the turn.
        timezone: the caller's, whose country reads a phone number.
        before: the keys of the turn before, where it was one of keys.
    """
    digits = re.sub(r"[^0-9*]", "", pressed)
    if not digits:
        return {}, None
    region = region_of(timezone)
    earlier = before.digits if before is not None and before.slot == question.slot else ""
    slot = _slot_for(digits, schema, question, slots, region)
    if earlier and (slot is None or not _complete(slot, digits, region)):
        whole = _slot_for(earlier + digits, schema, question, slots, region)
        if whole is not None and (slot is None or _complete(whole, earlier + digits, region)):
            slot, digits, pressed = whole, earlier + digits, f"{earlier} {pressed}"
    if slot is None:
        return {}, Pressed(earlier + digits, question.slot)
    held = SlotValue(_value(slot, digits, region), pressed, "confirmed", now.turn, now.at)
    part = None if _complete(slot, digits, region) else Pressed(digits, question.slot)
    return {slot.name: held}, part


def _slot_for(
    digits: str,
    schema: MemorySchema,
    question: Question,
    slots: Mapping[str, SlotValue],
    region: str | None,
) -> Slot | None:
    fitting = [slot for slot in schema.slots if _value(slot, digits, region) is not None]
    asked = [slot for name in question.slots for slot in fitting if slot.name == name]
    if asked:
        return asked[0]
    free = [slot for slot in fitting if slot.name not in slots]
    by_pattern = [slot for slot in free if slot.pattern]
    plain = [slot for slot in free if slot.type == "digits" and not slot.pattern]
    if len(by_pattern) == 1:
        return by_pattern[0]
    return plain[0] if len(plain) == 1 and not by_pattern and not question.slots else None


def _complete(slot: Slot, digits: str, region: str | None) -> bool:
    """Whether an entry that fits its slot needs nothing more; of a phone number parts would fit too."""
    if slot.type != "phone" or slot.pattern is not None:
        return True
    return dialled(digits, region)[1] >= VALID if region else len(digits) >= FULL_PHONE


def _value(slot: Slot, digits: str, region: str | None) -> object:
    if slot.type not in KEYED_TYPES or slot.multi:
        return None
    if slot.pattern is not None and not re.fullmatch(slot.pattern, digits):
        return None
    if slot.type == "choice":
        return digits if digits in slot.values else None
    if "*" in digits:
        return None
    if slot.type in ("number", "quantity"):
        return int(digits)
    if slot.type == "phone":
        return dialled(digits, region)[0] if SHORTEST_PHONE <= len(digits) <= LONGEST_PHONE else None
    return digits
