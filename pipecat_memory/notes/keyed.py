"""Keyed digits fill the slot in play, as confirmed."""

from __future__ import annotations

import re

from pipecat_memory.notes.question import Question
from pipecat_memory.notes.rules import Occasion
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.caller import normalise
from pipecat_memory.records.schema import MemorySchema, Slot

KEYED_TYPES = ("digits", "phone", "number", "quantity", "postcode", "text", "choice", "money")


def keyed(
    pressed: str, schema: MemorySchema, question: Question, slots: dict[str, SlotValue], now: Occasion
) -> dict[str, SlotValue]:
    """The slot that keyed digits are for, with its value; nothing where no slot fits.

    The slot last asked for comes first; else the one empty slot whose pattern they match; else
    the one empty slot of digits.
    """
    digits = re.sub(r"[^0-9*]", "", pressed)
    if not digits:
        return {}
    fitting = [slot for slot in schema.slots if _value(slot, digits) is not None]
    asked = [slot for name in question.slots for slot in fitting if slot.name == name]
    free = [slot for slot in fitting if slot.name not in slots]
    by_pattern = [slot for slot in free if slot.pattern]
    plain = [slot for slot in free if slot.type == "digits" and not slot.pattern]
    if asked:
        chosen = asked[0]
    elif len(by_pattern) == 1 and not question.slots:
        chosen = by_pattern[0]
    elif len(by_pattern) == 1 or (len(plain) == 1 and not by_pattern and not question.slots):
        chosen = (by_pattern or plain)[0]
    else:
        return {}
    return {chosen.name: SlotValue(_value(chosen, digits), pressed, "confirmed", now.turn, now.at)}


def _value(slot: Slot, digits: str) -> object:
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
        return normalise(digits) if len(digits) >= 7 else None  # shorter ones are no phone numbers
    return digits
