"""What an app hands in, looked at where it comes in: a wrong argument is named, with what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .errors import UsedWrongly


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


def _kind(value: Any) -> str:
    return "None" if value is None else "an empty text" if value == "" else type(value).__name__
