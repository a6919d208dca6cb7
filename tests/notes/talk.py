"""A conversation in a few words, for tests of the notes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pipecat_memory.notes.book import Notes, hear, open_notes
from pipecat_memory.notes.heard import Heard
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import DEFAULT_SCHEMA, MemorySchema, Slot

Line = str | tuple[str, str]
"""The caller's words, or the agent's and the caller's."""

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
"""A Monday."""

BOOKING = MemorySchema(
    (
        Slot("name", "name", required=True),
        Slot("day", "date", required=True),
        Slot("time", "time", depends_on=["day"]),
        Slot("guests", "quantity"),
        Slot("area", values=["north", "south", "centre", "any"]),
        Slot("extras", values=["flowers", "cake", "music"], multi=True),
        Slot("parking", "boolean"),
        Slot("account", "digits", pattern=r"\d{6}"),
        Slot("pin", "digits", pattern=r"\d{4}", secret=True),
        Slot("note", "text"),
    )
)


def opened(schema: MemorySchema = DEFAULT_SCHEMA, timezone: str = "UTC", **more: Any) -> Notes:
    return open_notes(schema, timezone=timezone, at=AT, **more)


def say(notes: Notes, text: str, agent: str = "", **more: Any) -> Notes:
    """The notes after the caller's next turn."""
    turn = more.pop("turn", None) or max((c.turn for c in notes.changes), default=0) + 1
    at = AT + timedelta(seconds=10 * turn)
    return hear(notes, Heard(turn=turn, text=text, at=at, agent_said=agent, **more))


def talk(*lines: Line, schema: MemorySchema = DEFAULT_SCHEMA, **more: Any) -> Notes:
    """The notes after several turns, each the caller's words or (agent, caller)."""
    notes = opened(schema, **more)
    for turn, line in enumerate(lines, 1):
        agent, text = line if isinstance(line, tuple) else ("", line)
        notes = say(notes, text, agent, turn=turn)
    return notes


def values(notes: Notes) -> dict[str, Any]:
    return {name: held.value for name, held in notes.state.slots.items()}


def held(notes: Notes, slot: str) -> SlotValue:
    return notes.state.slots[slot]
