"""A correction by a person, at a JSON Pointer into the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pipecat_memory.errors import UsedWrongly
from pipecat_memory.notes.choice_words import match_choice
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.rules import Occasion
from pipecat_memory.notes.secret import SECRET, mark
from pipecat_memory.notes.steps import short
from pipecat_memory.notes.written_value import written
from pipecat_memory.records.call_state import CallState, SlotValue
from pipecat_memory.records.schema import Slot

_TEXTS = ("goal", "task", "topic", "step")
_LISTS = ("pending_steps", "completed_steps")


def mended(
    state: CallState, path: str, value: Any, grammar: Grammar, moment: Moment, now: Occasion
) -> CallState:
    """The state with one place set by a person; None empties the place.

    Raises:
        UsedWrongly: where the path leads nowhere, or the value doesn't fit there.
    """
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]
    if len(parts) < 2 or parts[0]:
        raise UsedWrongly("a path starts with a slash, such as /slots/date")
    match parts[1:]:
        case ["slots", name] | ["slots", name, "value"]:
            return replace(state, slots=_slots(state, name, value, grammar, moment, now))
        case [field] if field in _TEXTS:
            if value is not None and not isinstance(value, str):
                raise UsedWrongly(f"/{field} takes text")
            return replace(state, **{field: short(value)})
        case [field, *place] if field in _LISTS and len(place) <= 1:
            return replace(state, **{field: _steps(getattr(state, field), place, value, field)})
        case _:
            raise UsedWrongly("this path leads nowhere in the state; see the replay report's state")


def _slots(
    state: CallState, name: str, value: Any, grammar: Grammar, moment: Moment, now: Occasion
) -> dict[str, SlotValue]:
    slot = grammar.schema.slot(name)
    if slot is None:
        raise UsedWrongly("the schema has no slot of that name")
    slots = dict(state.slots)
    given: Any = cast("Mapping[str, Any]", value).get("value") if isinstance(value, Mapping) else value
    if given is None:
        slots.pop(name, None)
        return slots
    if slot.multi:
        listed: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
        kept: Any = [_fit(slot, item, moment) for item in listed]
    else:
        kept = _fit(slot, given, moment)
    slots[name] = SlotValue(kept, given if isinstance(given, str) else "", "confirmed", now.turn, now.at)
    return slots


def _fit(slot: Slot, value: Any, moment: Moment) -> Any:
    if slot.secret and value == mark(slot):
        return SECRET
    kept = match_choice(slot, str(value)) if slot.values else written(value, slot, moment)
    if kept is None:
        raise UsedWrongly(f"slot {slot.name} takes no such value; it is a {slot.type}")
    return kept


def _steps(held: tuple[str, ...], place: list[str], value: Any, field: str) -> tuple[str, ...]:
    if not place:
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)) or not all(isinstance(step, str) for step in value):
            raise UsedWrongly(f"/{field} takes a list of texts")
        return tuple(step for item in cast("list[str]", value) if (step := short(item)))
    step = short(value) if isinstance(value, str) else None
    if place[0] == "-" and step:
        return (*held, step)
    if not place[0].isdecimal() or int(place[0]) >= len(held) or (value is not None and step is None):
        raise UsedWrongly(f"/{field} has no such place")
    at = int(place[0])
    return (*held[:at], *((step,) if step else ()), *held[at + 1 :])
