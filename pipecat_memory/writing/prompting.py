"""The prompts: files of the package, versioned by name. The fixed part is the same in every request."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ..clients.base import Purpose

VERSIONS: dict[Purpose, str] = {"extract": "v3", "summarise": "v2", "compress": "v1"}
"""Of the prompt files in use; a change of words is a new file.

The extraction prompt ends with one example: small models find nothing or invent without it. Should they
repeat it, its words are no quote of any caller, so nothing of it is kept. The quote stands first in an
item: who has copied the words reads the value off them, and who begins with a value translates its proof.
"""


@cache
def fixed(purpose: Purpose) -> str:
    """The part of a request that never changes: it stands first, so that providers cache it."""
    path = Path(__file__).parent / "prompts" / f"{purpose}.{VERSIONS[purpose]}.txt"
    return path.read_text(encoding="utf-8").strip()


def now_line(at: datetime, timezone: str) -> str:
    """Date and zone of the call: the first line of the part that changes."""
    local = at.astimezone(ZoneInfo(timezone))
    return f"Now: {local:%A %Y-%m-%d %H:%M} {timezone}"


_TEXT: dict[str, Any] = {"type": "string"}
_LIST: dict[str, Any] = {"type": "array", "items": _TEXT}

EXTRACT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "quote": _TEXT,
                    "key": _TEXT,
                    "value": {"type": ["string", "number", "boolean", "null"]},
                    "text": _TEXT,
                    "op": {"enum": ["set", "add", "retract"]},
                    "subject": _TEXT,
                    "explicit": {"type": "boolean"},
                    "importance": {"type": "number"},
                    "turn": {"type": "integer"},
                },
                "required": ["quote", "key", "value", "text"],
            },
        },
        "slots": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": _TEXT, "value": {}, "quote": _TEXT, "explicit": {"type": "boolean"}},
                "required": ["name", "value", "quote"],
            },
        },
        "task": _TEXT,
        "goal": _TEXT,
        "topic": _TEXT,
        "pending_steps": _LIST,
        "completed_steps": _LIST,
    },
    "required": ["facts"],
}
FACTS_SCHEMA: dict[str, Any] = EXTRACT_SCHEMA | {
    "properties": {name: part for name, part in EXTRACT_SCHEMA["properties"].items() if name != "slots"}
}
"""Where the app named no slots of its own: models fill a list that stands open."""

SUMMARY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": _TEXT,
        "resolved": {"type": "boolean"},
        "key_facts": _LIST,
        "open_items": _LIST,
    },
    "required": ["text", "resolved", "key_facts", "open_items"],
}
COMPRESS_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"text": _TEXT}, "required": ["text"]}
