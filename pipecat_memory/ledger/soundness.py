"""Events made by hand may hold anything; the ledger takes only those that a recording could hold."""

from __future__ import annotations

from dataclasses import fields

from ..errors import EventError
from ..events import TYPES, Event, check

_PLAIN: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "float": (int, float),
    "float | None": (int, float, type(None)),
    "int | None": (int, type(None)),
    "bool": (bool,),
}
_CHECKED: dict[type[Event], tuple[tuple[str, tuple[type, ...]], ...]] = {
    cls: tuple((f.name, _PLAIN[str(f.type)]) for f in fields(cls) if str(f.type) in _PLAIN)
    for cls in TYPES.values()
}


def fault(event: object) -> str | None:
    """Why the event can't be taken, in one of the kinds of `EventError`; None where it can."""
    checked = _CHECKED.get(type(event))  # pyright: ignore[reportArgumentType] - a stranger is not in the table
    if checked is None or not isinstance(event, Event):
        return "unknown_type"
    for name, kinds in checked:
        if not isinstance(getattr(event, name), kinds):
            return "wrong_value"
    try:
        check(event)
    except EventError as error:
        return error.kind
    return None
