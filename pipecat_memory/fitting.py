"""Live events made to fit the journal: what can not be read back would be lost with the process."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from .events import Event
from .plausible import MAX_TEXT

T = TypeVar("T")
E = TypeVar("E", bound=Event)


def fitted(event: E) -> E:
    """The event without NUL characters and lone surrogates, and with no text longer than `MAX_TEXT`.

    A recogniser, a chat window or a tool may give them; a recording that holds them is refused by `decode`.
    """
    changes = {
        field.name: new
        for field in fields(event)
        if (new := _fitted(old := getattr(event, field.name))) is not old
    }
    return replace(event, **changes) if changes else event


def _fitted(value: T) -> T:
    if isinstance(value, str):
        return cast("T", _text(value))
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        new = {_fitted(key): _fitted(item) for key, item in pairs.items()}
        same = all(a is b and pairs[a] is new[b] for a, b in zip(pairs, new, strict=False))
        return value if same and len(new) == len(pairs) else cast("T", new)
    if isinstance(value, list | tuple):
        rows = cast("list[Any] | tuple[Any, ...]", value)
        items = [_fitted(item) for item in rows]
        same = all(a is b for a, b in zip(rows, items, strict=True))
        return value if same else cast("T", type(rows)(items))
    return value


def _text(text: str) -> str:
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT]
    if "\x00" in text:
        text = text.replace("\x00", " ")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        # Halves that belong together become their character, others the replacement character.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
