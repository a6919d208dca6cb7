"""What is open between the caller and us, in words."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from pipecat_memory.records.call_state import CallState
from pipecat_memory.records.schema import MemorySchema


def questions(state: CallState, schema: MemorySchema, hidden: Container[str] = ()) -> tuple[str, ...]:
    """What is open between the caller and us: rivals by name, values that wait for a yes; not of `hidden`."""
    found: list[str] = []
    for name, held in state.slots.items():
        slot = schema.slot(name)
        label = slot.label if slot else name
        if name in hidden or (slot is not None and slot.secret):
            continue
        if held.asked is not None:
            found.append(
                f"{label}: {_named(held.value, held.spoken)} or {_named(held.asked, held.asked_spoken)}?"
            )
        elif held.confidence == "pending":
            found.append(f"{label}: {_named(held.value, held.spoken)}?")
    return tuple(found)


def _named(value: Any, spoken: str) -> str:
    text = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return text if not spoken or spoken.casefold() == text.casefold() else f"{text} ({spoken})"
