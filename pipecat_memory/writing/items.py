"""The items of a model's answer, read one by one: what can be used, and None for what can't."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ..records.fact import Op

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


def fact_of(key: str, value: Scalar, quote: str) -> RawFact:
    """What the caller states of the caller."""
    return RawFact(
        key=key, value=value, text="", quote=quote, op="set", subject="caller", explicit=True,
        importance=0.5, turn=None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RawSlot:
    """One slot as a model put it."""

    name: str
    value: Scalar | tuple[Scalar, ...]
    quote: str
    explicit: bool
    turn: int | None


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


def renamed(body: dict[str, Any], wanted: frozenset[str]) -> dict[str, Any]:
    found = {str(key).strip().lower(): value for key, value in body.items()}
    for name in wanted:
        if name not in found:
            for other in _RENAMED.get(name, ()):
                if other in found:
                    found[name] = found.pop(other)
                    break
    return found


_ITEM_KEYS = frozenset({"key", "value", "quote", "op", "subject"})
_SLOT_KEYS = frozenset({"name", "value", "quote"})
_OPS: dict[str, Op] = {
    "set": "set", "update": "set", "replace": "set", "change": "set", "correct": "set",
    "add": "add", "append": "add", "create": "add", "insert": "add",
    "retract": "retract", "delete": "retract", "remove": "retract", "clear": "retract",
}  # fmt: skip
_SELF = frozenset(
    {"", "caller", "user", "customer", "speaker", "self", "me", "i", "client", "patient", "myself"}
)
_NOT_SAID = frozenset({"agent", "assistant", "bot", "system", "ai"})
_EMPTY = frozenset({"", "null", "none", "n/a", "unknown", "undefined", "not specified", "..."})


def facts_in(item: Any) -> Iterator[RawFact]:
    """The facts in one item: one a value. Nothing where the item can't be used."""
    if not isinstance(item, dict):
        return
    body = renamed(cast("dict[str, Any]", item), _ITEM_KEYS)
    text = line_in(body.get("text"), limit=MAX_TEXT) or ""
    key = key_name(body.get("key") or ("note" if text else None))
    quote = line_in(body.get("quote"), limit=1000)
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
            explicit=truth_in(body.get("explicit", True)),
            importance=_importance(body.get("importance")),
            turn=_number(body.get("turn")),
        )


def slot_in(item: Any) -> RawSlot | None:
    if not isinstance(item, dict):
        return None
    body = renamed(cast("dict[str, Any]", item), _SLOT_KEYS)
    name, quote, value = line_in(body.get("name")), line_in(body.get("quote"), limit=1000), body.get("value")
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
        explicit=truth_in(body.get("explicit", True)),
        turn=_number(body.get("turn")),
    )


def item_list(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [] if value is None or line_in(value) is None else [value]


def slot_list(value: Any) -> list[Any]:
    """A list of slots; `{name: {...}}` is read as one, since models like to write it."""
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        if all(isinstance(one, dict) for one in named.values()):
            return [{"name": name, **cast("dict[str, Any]", one)} for name, one in named.items()]
    return item_list(value)


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
    who = name.removeprefix("other").lstrip(": ").removeprefix("the ").strip()
    if who in _SELF and name != "other":
        return "caller"  # small models write "other: me", or nothing behind it
    who = who or "somebody"
    return None if who in _NOT_SAID else f"other: {who[:60]}"


_KEPT = "\n\t\u200c\u200d"
"""Besides line breaks the joiners, which Persian, Indic scripts and emoji are written with."""


def clean_text(value: str) -> str:
    """Text without half characters, control characters and marks that turn or hide other characters."""
    if not value.isascii():
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        value = unicodedata.normalize("NFC", value)
    return "".join(c for c in value if c in _KEPT or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def _scalar(value: Any) -> Scalar | None:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if not isinstance(value, str):
        return None
    text = " ".join(clean_text(value).split())
    return None if text.lower() in _EMPTY or len(text) > MAX_VALUE else text


def line_in(value: Any, *, limit: int = MAX_VALUE) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(clean_text(value).split())
    return text if text and text.lower() not in _EMPTY and len(text) <= limit else None


def lines_in(value: Any) -> tuple[str, ...]:
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return tuple(line for one in values[:MAX_ITEMS] if (line := line_in(one, limit=MAX_TEXT)))


def truth_in(value: Any) -> bool:
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
    return min(1.0, max(0.0, min(value, 10) / 10 if value > 1 else float(max(value, 0))))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
