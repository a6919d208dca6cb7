"""What no call can contain: absurd texts, numbers and zones, wherever they come from."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

MAX_TEXT = 100_000
"""Longest text an event may carry, in characters. An hour of speech is about 60,000."""
MAX_DEPTH = 64
"""Deepest nesting an event may carry. Python's JSON reader and writer give up at about 1,000."""

_MANY = (dict, list, tuple)


def is_zone(name: str) -> bool:
    """Whether a name is one of the zone database."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True


def fault_of(value: object, depth: int = 0) -> str | None:
    """What is wrong with a value, or with anything in it; None where nothing is. Never quotes it."""
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            return f"is longer than {MAX_TEXT} characters"
        if "\x00" in value:
            return "holds a NUL character"
        if any("\ud800" <= c <= "\udfff" for c in value) if not value.isascii() else False:
            return "holds a lone surrogate"
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else "is not a finite number"
    if not isinstance(value, _MANY):
        return None
    if depth == MAX_DEPTH:
        return f"is nested more than {MAX_DEPTH} levels deep"
    items: list[object] = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
    return next((f for v in items if (f := fault_of(v, depth + 1))), None)
