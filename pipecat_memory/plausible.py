"""What no call can contain: absurd texts, numbers and zones, wherever they come from."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

MAX_TEXT = 100_000
"""Longest text an event may carry, in characters. An hour of speech is about 60,000."""


def is_zone(name: str) -> bool:
    """Whether a name is one of the zone database."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True


def fault_of(value: object) -> str | None:
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
    if isinstance(value, dict):
        items: list[object] = [*value.keys(), *value.values()]
        return next((f for v in items if (f := fault_of(v))), None)
    if isinstance(value, list | tuple):
        return next((f for v in value if (f := fault_of(v))), None)
    return None
