"""What an app hands in, looked at where it comes in: a wrong argument is named, with what would be right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .config import Settings
from .errors import UsedWrongly
from .plausible import is_zone
from .records.caller import Caller
from .records.schema import MemorySchema


def text(place: str, value: Any, *, example: str, empty: bool = False) -> None:
    """Refuse what is no text.

    Args:
        place: the argument, as the app writes it: `memory.call(call_id=)`.
        value: what was handed in.
        example: what would be right.
        empty: whether a text of no characters is.

    Raises:
        UsedWrongly: names the place and the remedy; never the value, which may be a caller's.
    """
    if not isinstance(value, str) or not (value or empty):
        raise UsedWrongly(f"{place}: a text such as {example!r}, not {_kind(value)}")


def one_of(place: str, value: Any, options: Iterable[str]) -> None:
    """Refuse what is none of the options; see `text`."""
    known = list(options)
    if not isinstance(value, str) or value not in known:
        raise UsedWrongly(f"{place}: one of {', '.join(known)}")


def instance(place: str, value: Any, kinds: type | tuple[type, ...], *, example: str) -> None:
    """Refuse what is of another type; see `text`."""
    if not isinstance(value, kinds):
        raise UsedWrongly(f"{place}: {example}, not {_kind(value)}")


def documents(place: str, value: Any) -> None:
    """Refuse what is no list of documents; see `text`."""
    example = 'a list of {"id": ..., "text": ...}'
    instance(place, value, (list, tuple), example=example)
    for document in value:
        instance(place, document, Mapping, example=example)


def words(place: str, said: Any, others: Any = ()) -> None:
    """Refuse what the caller can't have said, and what are no alternatives to it; see `text`."""
    instance(place, said, (str, type(None)), example="what the caller said, or None")
    instance(place, others, (list, tuple), example="a list of texts")
    for other in others:
        instance(place, other, str, example="a list of texts")


def names(place: str, value: Iterable[Any]) -> None:
    """Refuse what are no names of slots; see `text`."""
    for name in value:
        text(place, name, example="date")


def guards(place: str, value: Any) -> None:
    """Refuse what does not say which slots each tool asks for; see `text`."""
    example = "slots by the name of a tool, such as {'book': ('date',)}"
    instance(place, value, Mapping, example=example)
    for tool, slots in value.items():
        text(place, tool, example="book")
        instance(place, slots, (list, tuple), example=example)
        names(place, slots)


def tenant(place: str, value: Any) -> None:
    """Refuse what is neither a tenant nor None; see `text`."""
    if value is not None:
        text(place, value, example="default")


def seconds(place: str, value: Any) -> None:
    """Refuse what is no time to wait; see `text`."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        raise UsedWrongly(f"{place}: seconds, 0 or more, and not for ever")


def callback(place: str, value: Any) -> None:
    """Refuse what can't be called; see `text`."""
    if not callable(value):
        raise UsedWrongly(f"{place}: a function that takes a name and what it tells, not {_kind(value)}")


def kept(**given: Any) -> None:
    """Refuse what `CallMemory.remember` can't keep; see `text`."""
    for name, value in given.items():
        text(f"call.remember({name}=)", value, example="jazz", empty=True)


def count(place: str, value: Any) -> None:
    """Refuse what is no whole number from 0 up; see `text`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsedWrongly(f"{place}: a whole number, 0 or more")


def opening(**given: Any) -> None:
    """Refuse what `Memory.open` can't be opened with; see `text`."""
    text("Memory.open(url=)", given["url"], example="sqlite:///calls.db")
    text("Memory.open(tenant=)", given["tenant"], example="default")
    instance("Memory.open(settings=)", given["settings"], Settings, example="Settings(...)")


def call(**given: Any) -> None:
    """Refuse what `Memory.call` can't begin a call with; see `text`."""
    text("memory.call(call_id=)", given["call_id"], example="CA1")
    one_of("memory.call(direction=)", given["direction"], ("inbound", "outbound"))
    instance("memory.call(remember=)", given["remember"], bool, example="True or False")
    text("memory.call(timezone=)", given["timezone"], example="Europe/Lisbon")
    tenant("memory.call(tenant=)", given["tenant"])
    for name, kinds, example in (
        ("schema", (MemorySchema, dict, type(None)), "a MemorySchema, its document, or None"),
        ("caller", (Caller, str, type(None)), "a Caller, a number, or None for nobody"),
    ):
        instance(f"memory.call({name}=)", given[name], kinds, example=example)
    if not is_zone(given["timezone"]):
        raise UsedWrongly("timezone must be an IANA name such as Europe/Lisbon")


def _kind(value: Any) -> str:
    return "None" if value is None else "an empty text" if value == "" else type(value).__name__
