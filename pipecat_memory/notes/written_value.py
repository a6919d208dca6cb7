"""A value from a model or a person, in the slot's written form."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from pipecat_memory.notes import spoken
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.values import KINDS
from pipecat_memory.records.schema import Slot


def written(value: Any, slot: Slot, moment: Moment, language: str | None = None) -> Any:
    """A value from a model or a person in the slot's written form, or None where it doesn't fit."""
    if slot.type == "boolean":
        return _boolean(value, moment, language)
    if (
        slot.type in ("number", "quantity")
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
    ):
        return value
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return None
    text = str(value).strip()
    finders = KINDS.get(slot.type)
    if finders is None:
        return text if text and _fits(slot, text) else None
    if slot.type in ("date", "time", "datetime") and (iso := _iso(text, slot.type)) is not None:
        return iso
    for kind in finders:
        for span in spoken.find(text, kind, language=language, at=moment.at, timezone=moment.timezone):
            if _fits(slot, str(span.value)):
                return span.value
    return None


def _fits(slot: Slot, text: str) -> bool:
    return slot.pattern is None or re.fullmatch(slot.pattern, text) is not None


def _boolean(value: Any, moment: Moment, language: str | None) -> bool | None:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    if value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    spans = spoken.find(value, "boolean", language=language, at=moment.at, timezone=moment.timezone)
    return bool(spans[0].value) if spans else None


_ISO = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "time": re.compile(r"([01]\d|2[0-3]):[0-5]\d"),
    "datetime": re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*"),
}


def _iso(text: str, kind: str) -> str | None:
    if not _ISO[kind].fullmatch(text):
        return None
    try:
        if kind == "time":
            return text
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text
