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


def ill_typed(event: Event) -> bool:
    """Whether a field holds what it never can, such as None for seconds: nothing fits there."""
    return any(not isinstance(getattr(event, name), kinds) for name, kinds in _CHECKED.get(type(event), ()))


def fault(event: object) -> str | None:
    """Why the event can't be taken, in one of the kinds of `EventError`; None where it can."""
    if not isinstance(event, Event) or type(event) not in _CHECKED:
        return "unknown_type"
    if ill_typed(event):
        return "wrong_value"
    try:
        check(event)
    except EventError as error:
        return error.kind
    return None
