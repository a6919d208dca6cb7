"""Reads what a model answered. What is whole is taken item by item; what is cut, never.

Models wrap JSON in prose, fences and thoughts, rename keys, leave commas, answer with a bare list,
cut off in the middle of a word. All of that is repaired here or refused here, in one place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ..clients.base import ModelReply
from ..errors import ModelAnswerBad
from ..records.fact import Op
from .salvage import json_values

MAX_VALUE = 200
MAX_TEXT = 400
MAX_ITEMS = 60
"""One turn holds no more things worth keeping; a longer list is a model in a loop."""

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawFact:
    """One fact as a model put it, read but not yet believed."""

    key: str
    value: Scalar | None
    text: str
    quote: str
    op: Op
    subject: str
    explicit: bool
    importance: float
    turn: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawSlot:
    """One slot as a model put it."""

    name: str
    value: Scalar | tuple[Scalar, ...]
    quote: str
    explicit: bool
    turn: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawExtract:
    """An `extract` answer, read. `rejected` counts items that could not be used."""

    facts: tuple[RawFact, ...] = ()
    slots: tuple[RawSlot, ...] = ()
    task: str | None = None
    goal: str | None = None
    topic: str | None = None
    mood: str | None = None
    pending_steps: tuple[str, ...] = ()
    completed_steps: tuple[str, ...] = ()
    rejected: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawSummary:
    """A `summarise` answer, read."""

    text: str
    resolved: bool | None = None
    key_facts: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()


def read_extract(reply: ModelReply) -> RawExtract:
    """Read an `extract` answer.

    Raises:
        ModelAnswerBad: nothing of it can be used, or it was cut.
    """
    found = _object(reply, _EXTRACT_KEYS, _FACT_KEYS, "facts")
    facts: list[RawFact] = []
    slots: list[RawSlot] = []
    rejected = 0
    listed = _items(found.get("facts"))
    for item in listed[:MAX_ITEMS]:
        read = list(_facts(item))
        facts.extend(read)
        rejected += not read
    named = _slot_items(found.get("slots"))
    for item in named[:MAX_ITEMS]:
        slot = _slot(item)
        slots.extend([slot] if slot else [])
        rejected += slot is None
    rejected += max(0, len(listed) - MAX_ITEMS) + max(0, len(named) - MAX_ITEMS)
    return RawExtract(
        facts=tuple(facts),
        slots=tuple(slots),
        task=_line(found.get("task")),
        goal=_line(found.get("goal")),
        topic=_line(found.get("topic")),
        mood=_line(found.get("mood")),
        pending_steps=_lines(found.get("pending_steps")),
        completed_steps=_lines(found.get("completed_steps")),
        rejected=rejected,
    )


def read_summary(reply: ModelReply) -> RawSummary:
    """Read a `summarise` or `compress` answer.

    Raises:
        ModelAnswerBad: it holds no summary, or it was cut.
    """
    found = _object(reply, _SUMMARY_KEYS, frozenset(), "text")
    text = _line(found.get("text"), limit=2000)
    if not text:
        raise ModelAnswerBad("no text in the answer")
    resolved = found.get("resolved")
    return RawSummary(
        text=text,
        resolved=None if resolved is None else _truth(resolved),
        key_facts=_lines(found.get("key_facts")),
        open_items=_lines(found.get("open_items")),
    )


# The outer object

_EXTRACT_KEYS = frozenset(
    {"facts", "slots", "task", "goal", "topic", "pending_steps", "completed_steps", "mood"}
)
_SUMMARY_KEYS = frozenset({"text", "resolved", "key_facts", "open_items"})
_FACT_KEYS = frozenset({"key", "value", "quote"})
_RENAMED = {
    "facts": ("memories", "memory", "items", "results", "extracted_facts", "data"),
    "slots": ("slot_values", "state", "fields"),
    "text": ("summary",),
    "open_items": ("follow_ups", "followups", "todo"),
    "key": ("attribute", "predicate", "category", "type"),
    "value": ("object", "val", "content"),
    "quote": ("evidence", "source_quote", "span", "source", "support"),
    "op": ("operation", "event", "action"),
    "subject": ("who", "about"),
    "name": ("slot",),
}


def _object(
    reply: ModelReply, keys: frozenset[str], item_keys: frozenset[str], listed: str
) -> dict[str, Any]:
    if reply.finish != "stop":
        raise ModelAnswerBad(f"not a whole answer: {reply.finish}")
    best: dict[str, Any] | None = None
    for value in json_values(reply.text):
        if isinstance(value, dict):
            body = _renamed(cast("dict[str, Any]", value), keys)
            if not body or keys & body.keys():
                best = body  # the last one counts: drafts come first
            elif item_keys and len(item_keys & _renamed(body, item_keys).keys()) > 1:
                best = {listed: [body]}
        elif isinstance(value, list) and item_keys:
            items = cast("list[Any]", value)
            if all(isinstance(item, dict) or item is None for item in items):
                best = {listed: items}
    if best is None:
        raise ModelAnswerBad("no JSON answer of the form asked for")
    return best


def _renamed(body: dict[str, Any], wanted: frozenset[str]) -> dict[str, Any]:
    found = {str(key).strip().lower(): value for key, value in body.items()}
    for name in wanted:
        if name not in found:
            for other in _RENAMED.get(name, ()):
                if other in found:
                    found[name] = found.pop(other)
                    break
    return found


# The items

_ITEM_KEYS = frozenset({"key", "value", "quote", "op", "subject"})
_SLOT_KEYS = frozenset({"name", "value", "quote"})
_OPS: dict[str, Op] = {
    "set": "set", "update": "set", "replace": "set", "change": "set", "correct": "set",
    "add": "add", "append": "add", "create": "add", "insert": "add",
    "retract": "retract", "delete": "retract", "remove": "retract", "clear": "retract",
}  # fmt: skip
_SELF = frozenset({"", "caller", "user", "customer", "speaker", "self", "me", "i", "client", "patient"})
_NOT_SAID = frozenset({"agent", "assistant", "bot", "system", "ai"})
_EMPTY = frozenset({"", "null", "none", "n/a", "unknown", "undefined", "not specified", "..."})


def _facts(item: Any) -> Iterator[RawFact]:
    """The facts in one item: one a value. Nothing where the item can't be used."""
    if not isinstance(item, dict):
        return
    body = _renamed(cast("dict[str, Any]", item), _ITEM_KEYS)
    text = _line(body.get("text"), limit=MAX_TEXT) or ""
    key = key_name(body.get("key") or ("note" if text else None))
    quote = _line(body.get("quote"), limit=1000)
    subject = subject_name(body.get("subject"))
    op = _OPS.get(str(body.get("op") or "set").strip().lower())
    if not key or not quote or subject is None or op is None:
        return
    value = body.get("value", text or None)
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    for one in values[:MAX_ITEMS]:
        scalar = _scalar(one)
        if scalar is None and op != "retract":
            continue
        yield RawFact(
            key=key,
            value=scalar,
            text=text,
            quote=quote,
            op=op,
            subject=subject,
            explicit=_truth(body.get("explicit", True)),
            importance=_importance(body.get("importance")),
            turn=_number(body.get("turn")),
        )


def _slot(item: Any) -> RawSlot | None:
    if not isinstance(item, dict):
        return None
    body = _renamed(cast("dict[str, Any]", item), _SLOT_KEYS)
    name, quote, value = _line(body.get("name")), _line(body.get("quote"), limit=1000), body.get("value")
    if isinstance(value, list):
        parts = tuple(v for one in cast("list[Any]", value) if (v := _scalar(one)) is not None)
        read: Scalar | tuple[Scalar, ...] | None = parts or None
    else:
        read = _scalar(value)
    if not name or not quote or read is None:
        return None
    return RawSlot(
        name=name,
        value=read,
        quote=quote,
        explicit=_truth(body.get("explicit", True)),
        turn=_number(body.get("turn")),
    )


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [] if value is None or _line(value) is None else [value]


def _slot_items(value: Any) -> list[Any]:
    """A list of slots; `{name: {...}}` is read as one, since models like to write it."""
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        if all(isinstance(one, dict) for one in named.values()):
            return [{"name": name, **cast("dict[str, Any]", one)} for name, one in named.items()]
    return _items(value)


def key_name(value: Any) -> str:
    """A fact's key in lower snake case, without the words that say whose it is; "" if there is none."""
    if not isinstance(value, str):
        return ""
    words = re.findall(
        r"\w+", re.sub(r"([a-z])([A-Z])", r"\1 \2", clean_text(value)).lower().replace("_", " ")
    )
    while len(words) > 1 and words[0] in ("user", "caller", "customer", "s", "is", "my"):
        words = words[1:]
    name = "_".join(words)
    return name if len(name) <= 60 else ""


def subject_name(value: Any) -> str | None:
    """`caller` or `other: <who>`; None where it is about no person who could have facts here."""
    if value is not None and not isinstance(value, str):
        return None
    name = " ".join(clean_text(value or "").lower().split())
    if name in _SELF:
        return "caller"
    who = name.removeprefix("other").lstrip(": ").strip() or "somebody"
    return None if who in _NOT_SAID else f"other: {who[:60]}"


def clean_text(value: str) -> str:
    """Text without half characters and control characters: what no store or page can hold."""
    if not value.isascii():
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        value = unicodedata.normalize("NFC", value)
    return "".join(c for c in value if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))


def _scalar(value: Any) -> Scalar | None:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if not isinstance(value, str):
        return None
    text = " ".join(clean_text(value).split())
    return None if text.lower() in _EMPTY or len(text) > MAX_VALUE else text


def _line(value: Any, *, limit: int = MAX_VALUE) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(clean_text(value).split())
    return text if text and text.lower() not in _EMPTY and len(text) <= limit else None


def _lines(value: Any) -> tuple[str, ...]:
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return tuple(line for one in values[:MAX_ITEMS] if (line := _line(one, limit=MAX_TEXT)))


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("true", "yes", "1", "resolved")
    return bool(value)


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    digits = str(value).strip().strip("[]#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None


def _importance(value: Any) -> float:
    """0..1; models also write 1..10 and words. 0.5 where nothing usable stands."""
    words = {"low": 0.2, "medium": 0.5, "high": 0.8, "critical": 1.0}
    if isinstance(value, str):
        value = words.get(value.strip().lower(), _float(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0.5
    return min(1.0, max(0.0, value / 10 if value > 1 else float(value)))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
