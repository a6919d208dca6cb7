"""Live events made to fit the journal: what can not be read back would be lost with the process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, TypeVar, cast

import msgspec

from ..events import Event, fields_of
from ..plausible import MAX_DEPTH, MAX_TEXT

E = TypeVar("E", bound=Event)

MAX_VALUE = 20_000
"""Characters of all texts in one free value, such as a tool's result: to mask them takes 15 ms at most.
What a voice agent reads of a result is far shorter."""

_FREE = frozenset({"args", "result", "docs", "value"})
"""Fields that an app fills with whatever it has."""
_TEXTS = (str, list, tuple, dict)


def fitted(event: E) -> tuple[E, int]:
    """The event without NUL characters and lone surrogates, with no absurd text, and with JSON values only.

    A recogniser, a chat window or a tool may give others; a recording that holds them is refused by `decode`.

    Returns:
        The event, itself where it fits; and how many values now stand as their text, or cut.
    """
    changes: dict[str, Any] = {}
    odd = 0
    for name in fields_of(type(event)):
        old = getattr(event, name)
        if name in _FREE or isinstance(old, _TEXTS):
            fitting = _Fitting(MAX_VALUE if name in _FREE else MAX_TEXT)
            new = fitting.value(old)
            odd += fitting.odd
            if new is not old:
                changes[name] = new
    return (replace(event, **changes) if changes else event), odd


class _Fitting:
    """Makes one value fit; the same object comes back where it does.

    Args:
        room: characters of all its texts.
    """

    def __init__(self, room: int) -> None:
        self.odd = 0
        self._room = room

    def value(self, value: Any, depth: int = 0) -> Any:
        """The value as JSON has it."""
        if value is None or type(value) is bool:
            return value
        if type(value) is str:
            return self._text(value)
        if type(value) in (int, float):
            return value if _plain(value) else self._as_text(value)
        if isinstance(value, Enum):
            return self.value(value.value, depth)
        if isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._many(value, depth)
        try:
            return self.value(msgspec.to_builtins(value, str_keys=True), depth + 1)
        except (TypeError, ValueError, RecursionError):
            return self._as_text(value)

    def _many(self, value: Any, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            return self._as_text(f"nested more than {MAX_DEPTH} levels deep")
        if not isinstance(value, Mapping):
            return self._row(value, depth)
        pairs = cast("Mapping[Any, Any]", value)
        new: dict[Any, Any] = {}
        for key, item in pairs.items():
            if self._full():
                break
            new[key if type(key) is int else self._key(key)] = self.value(item, depth + 1)
        same = type(value) is dict and len(new) == len(pairs)
        same = same and all(a is b and pairs[a] is new[b] for a, b in zip(pairs, new, strict=True))
        return value if same else new

    def _row(self, rows: Any, depth: int) -> Any:
        items: list[Any] = []
        for row in rows:
            if self._full():
                break
            items.append(self.value(row, depth + 1))
        if type(rows) not in (list, tuple):
            return items
        same = len(items) == len(rows) and all(a is b for a, b in zip(rows, items, strict=True))
        return rows if same else type(rows)(items)

    def _key(self, key: Any) -> str:
        return self._text(key if type(key) is str else _text_of(key))

    def _full(self) -> bool:
        """Whether nothing more is taken; what is left out counts."""
        self._room -= 1
        if self._room >= 0:
            return False
        self.odd += 1
        return True

    def _as_text(self, value: Any) -> str:
        self.odd += 1
        return self._text(_text_of(value))

    def _text(self, text: str) -> str:
        if len(text) > self._room:
            self.odd += 1
            text = text[: max(self._room, 0)]
        self._room -= len(text)
        if "\x00" in text:
            text = text.replace("\x00", " ")
        if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
            # Halves that belong together become their character, others the replacement character.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text


def _plain(number: int | float) -> bool:
    return math.isfinite(number) if isinstance(number, float) else abs(number) < 1 << 63


def _text_of(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 - an app's own object may raise anything; this is its guard
        return f"<{type(value).__name__}: {type(error).__name__}>"
