"""An event without what must not be kept: cards and codes, the app's patterns, what filled secret slots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, cast

from ..events import Corrected, Dtmf, Event, fields_of

_TOLD = frozenset(("text", "nbest", "args", "result", "docs"))
"""Fields in which somebody's words stand."""


class Mask(Protocol):
    """What must not be kept, and what stands in its place."""

    def mask(self, text: str, before: str = "", after: str = "") -> tuple[str, int]:
        """A text without it, and in how many places it was; see `Masker.mask`."""
        ...

    def named(self, name: str, value: Any) -> str | None:
        """What stands for a value under a name, where the name says that it is not to be kept."""
        ...


def masked(event: Event, mask: Mask, before: str = "", after: str = "") -> tuple[Event, int]:
    """The event without what must not be kept, in every text and number it holds, and how often that was.

    Args:
        event: any.
        mask: finds it.
        before: what was said before the event's own words.
        after: what was said behind them.
    """
    if isinstance(event, Dtmf):
        text, hits = mask.mask(event.digits, before, after)
        return (replace(event, digits=text), hits) if hits else (event, 0)
    changes: dict[str, Any] = {}
    count = 0
    for name in fields_of(type(event)):
        if name in _TOLD or (name == "value" and isinstance(event, Corrected)):
            value, hits = _masked(getattr(event, name), mask, before, after)
            if hits:
                changes[name] = value
                count += hits
    return (replace(event, **changes) if changes else event), count


def _masked(value: Any, mask: Mask, before: str, after: str, within: str = "") -> tuple[Any, int]:
    if isinstance(value, str):
        return mask.mask(value, before, after)
    if isinstance(value, int | float) and not isinstance(value, bool):
        text, hits = mask.mask(str(value), before, after)
        return (text, hits) if hits else (value, 0)
    if isinstance(value, dict):
        pairs = [
            _under(k, v, value, mask, before, after, within) for k, v in cast("dict[str, Any]", value).items()
        ]
        return {name: kept for name, kept, _ in pairs}, sum(hits for _, _, hits in pairs)
    if isinstance(value, list | tuple):
        rows = [_masked(item, mask, before, after, within) for item in cast("list[Any]", value)]
        return type(value)(v for v, _ in rows), sum(n for _, n in rows)
    return value, 0


def _under(
    name: str, value: Any, beside: dict[str, Any], mask: Mask, before: str, after: str, within: str
) -> tuple[str, Any, int]:
    """A name and the value under it; where the name says that it is not to be kept, what stands for it.

    A name may be told by what it stands in (`card.number`) or beside (`{"name": "cvv", "value": 123}`).
    """
    names = [str(name), f"{within} {name}"]
    if name == "value":
        names += [str(beside[key]) for key in ("name", "key") if key in beside]
    there = next((t for n in names if (t := mask.named(n, value)) is not None), None)
    if there is not None:
        return name, there, int(there != value)
    kept, hits = _masked(value, mask, before, after, str(name))
    return name, kept, hits
