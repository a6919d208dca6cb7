"""Confirmed values in their written form: of the notes, all that may stand in instruction text.

Instruction text has authority, so nothing stands there that a caller worded: no names, addresses or free
text, and of the other types only what has the form that the type is kept in, whoever set it.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from ..records.call_state import CallState
from ..records.schema import MemorySchema, Slot

HEAD = "Confirmed in this call:"
CAP = 400
"""Longest text, in characters; values that find no room are left out whole."""

_NUMBER = r"[+-]?\d{1,15}(?:\.\d{1,6})?"
_CLOCK = r"\d\d:\d\d(?::\d\d)?"
_FORMS = {
    "number": _NUMBER,
    "quantity": _NUMBER,
    "money": rf"{_NUMBER}(?: [A-Z]{{3}})?",
    "digits": r"\d{1,32}",
    "phone": r"\+?\d{3,20}",
    "date": r"\d{4}-\d\d-\d\d",
    "time": _CLOCK,
    "datetime": rf"\d{{4}}-\d\d-\d\dT{_CLOCK}(?:Z|[+-]\d\d:\d\d)?",
    "boolean": r"True|False",
}
"""The written form of each type (see `SlotType`); a type without one holds the caller's own words."""


def confirmed_values(state: CallState, schema: MemorySchema, hidden: Container[str] = ()) -> str:
    """One line with the confirmed values, or "" where there are none.

    Args:
        state: the notes.
        schema: names and types of the slots.
        hidden: names of slots whose values may not be told.
    """
    text = ""
    for name, held in state.slots.items():
        slot = schema.slot(name)
        if slot is None or slot.secret or name in hidden:
            continue
        if held.confidence != "confirmed" or held.asked is not None:
            continue
        values = held.value if isinstance(held.value, list) else [held.value]
        if not values or not all(_is_written(value, slot) for value in values):
            continue
        longer = f"{text or HEAD}{';' if text else ''} {name} = {', '.join(map(str, values))}"
        text = longer if len(longer) <= CAP else text
    return text


def _is_written(value: Any, slot: Slot) -> bool:
    if slot.type == "choice":
        return value in slot.values
    form = _FORMS.get(slot.type)
    return form is not None and re.fullmatch(form, str(value), re.ASCII) is not None
