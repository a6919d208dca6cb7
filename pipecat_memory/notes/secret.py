"""What stands in secret slots: used in the call, never shown and never stored."""

from __future__ import annotations

from typing import Any

from pipecat_memory.records.call_state import CallState
from pipecat_memory.records.schema import MemorySchema

HIDDEN = "***"
"""Stands where a secret slot's value would."""


def shown(state: CallState, schema: MemorySchema) -> dict[str, Any]:
    """The notes in the report's form, without what stands in a secret slot."""
    report = state.report()
    for slot in schema.slots:
        if slot.secret and slot.name in report["slots"]:
            report["slots"][slot.name] |= {"value": HIDDEN, "spoken": HIDDEN}
            report["slots"][slot.name].pop("asked", None)
    return report


def said_in_secret(state: CallState, schema: MemorySchema) -> list[str]:
    """What the caller said for secret slots, longest first: to be kept out of everything stored."""
    said: set[str] = set()
    for slot in schema.slots:
        held = state.slots.get(slot.name) if slot.secret else None
        if held is not None:
            said |= {str(held.value), held.spoken, str(held.asked or ""), held.asked_spoken}
    return sorted((text for text in said if len(text) > 1), key=len, reverse=True)
