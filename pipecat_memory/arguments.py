"""What an app hands in, looked at where it comes in: a wrong argument is named, with what would be right."""

from __future__ import annotations

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
    if given["tenant"] is not None:
        text("memory.call(tenant=)", given["tenant"], example="default")
    for name, kinds, example in (
        ("schema", (MemorySchema, dict, type(None)), "a MemorySchema, its document, or None"),
        ("caller", (Caller, str, type(None)), "a Caller, a number, or None for nobody"),
    ):
        instance(f"memory.call({name}=)", given[name], kinds, example=example)
    if not is_zone(given["timezone"]):
        raise UsedWrongly("timezone must be an IANA name such as Europe/Lisbon")


def _kind(value: Any) -> str:
    return "None" if value is None else "an empty text" if value == "" else type(value).__name__
