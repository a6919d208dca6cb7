"""A day or a time said in part: the part that was not said stands as it was."""

from __future__ import annotations

import re
from dataclasses import replace

from pipecat_memory.notes.mention import Mention
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"\d\d:\d\d")


def completed(said: Mention, slot: Slot, held: SlotValue | None) -> Mention:
    """The mention with what was not said taken from what stands: the day or the time."""
    if slot.type != "datetime" or held is None or not isinstance(said.value, str):
        return said
    standing = str(held.value)
    day, clock = _DAY.match(standing), _CLOCK.search(standing)
    if _CLOCK.fullmatch(said.value) and day:
        return replace(said, value=f"{day.group()}T{said.value}{standing[16:] if 'T' in standing else ''}")
    if _DAY.fullmatch(said.value) and clock:
        return replace(said, value=f"{said.value}T{standing[clock.start() :]}")
    return said
