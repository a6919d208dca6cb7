"""What was known before a word of this call was said: it is confirmed where it is needed, not asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from pipecat_memory.notes.choice_words import match_choice
from pipecat_memory.notes.mention import Moment, same
from pipecat_memory.notes.written_value import written
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import MemorySchema, Slot
from pipecat_memory.records.summary import OpenItem


@dataclass(frozen=True, slots=True, repr=False)
class Known:
    """Values by slot, from the profile and from what an earlier call left open. They set nothing.

    Args:
        values: by slot name, in the slot's written form.
        open: slots of a matter that was left open; they hold together or not at all.
    """

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    open: frozenset[str] = frozenset()

    def after(self, slots: Mapping[str, SlotValue], denied: str) -> Known:
        """What is left once the caller denied one (or ""), or told another value than was left open."""
        gone = {denied} & set(self.values)
        gone |= {n for n in self.open if n in slots and not same(slots[n].value, self.values[n])}
        if gone & self.open:
            gone |= self.open
        if not gone:
            return self
        return Known({n: v for n, v in self.values.items() if n not in gone}, self.open - gone)

    def __repr__(self) -> str:
        return f"<Known slots={len(self.values)}>"


def known_before(
    schema: MemorySchema, profile: Mapping[str, Any], left_open: Sequence[OpenItem], moment: Moment
) -> Known:
    """What of a profile and of open items this schema has a slot for.

    Args:
        schema: of the call.
        profile: values by fact key, as far as the caller's identity allows them.
        left_open: open items, newest last, likewise; what was due before today is over.
        moment: when and where the call starts.
    """
    today = moment.at.astimezone(ZoneInfo(moment.timezone)).date().isoformat()
    due = [item for item in left_open if item.slots and (item.due is None or item.due[:10] >= today)]
    latest: dict[str, Any] = {}
    for item in due:
        if item.call == due[-1].call:  # one matter may have been left in several items
            latest |= item.slots
    values: dict[str, Any] = {}
    for slot in schema.slots:
        if slot.multi or slot.secret:
            continue
        value = _fitting(slot, latest.get(slot.name, profile.get(slot.name)), moment)
        if value is not None and not (slot.type in ("date", "datetime") and str(value) < today):
            values[slot.name] = value
    return Known(values, frozenset(latest) & frozenset(values))


def _fitting(slot: Slot, value: Any, moment: Moment) -> Any:
    if value is None:
        return None
    return match_choice(slot, str(value)) if slot.values else written(value, slot, moment)
