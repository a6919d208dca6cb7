"""What an app wants noted: typed slots, fact rules, and the default schema.

A schema comes from Python, a dict or JSON. A wrong one fails at load, with the JSON Pointer of the
fault. Types and the form their values are kept in stand in `SlotType`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, cast, get_args

from pipecat_memory.errors import SchemaError

from .faults import check_keys, check_name, check_pattern, check_text, check_unique, entries, pointer, strings

SlotType = Literal[
    "text", "name", "number", "quantity", "digits", "phone", "email", "date", "time", "datetime",
    "money", "choice", "address", "postcode", "boolean", "list",
]  # fmt: skip
"""`date` is kept as ISO date, `time` as HH:MM, `datetime` as ISO date and time of the caller's zone,
`phone` as E.164 where possible, `number` and `quantity` as numbers, `digits` and the rest as text."""

Conflict = Literal["replace", "ask"]

ASK_TYPES = frozenset(
    {"name", "phone", "email", "digits", "postcode", "address", "money", "date", "time", "datetime"}
)
"""Identity, contact, money and booking dates: a rival of a confirmed value is asked about."""

FORMAT = 1
"""Version of the schema document this code writes. `from_dict` brings older ones up to it."""

MAX_SLOTS = 200


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that the notes keep.

    Args:
        name: unique in the schema.
        type: one of `SlotType`; text with `values` is a `choice`.
        values: what a choice may be.
        synonyms: other ways to say a value: `{value: [ways]}` or `{way: value}`.
        multi: holds a list; a new value is added. `list` slots always are.
        required: the next step asks for it.
        sensitive: reaches the model only when the caller is verified.
        secret: used during the call and never stored.
        on_conflict: what a rival of a confirmed value does; by type where left out.
        depends_on: slots whose change makes this one doubtful again.
        pattern: regular expression that the whole value matches.
        description: what it holds, in a few words; its words also tie a spoken value to it.
        was: earlier names of this slot; notes kept under them move here.
    """

    name: str
    type: SlotType = "text"
    values: Sequence[str] = ()
    synonyms: Mapping[str, Sequence[str] | str] = field(default_factory=dict[str, Any])
    multi: bool = False
    required: bool = False
    sensitive: bool = False
    secret: bool = False
    on_conflict: Conflict | None = None
    depends_on: Sequence[str] = ()
    pattern: str | None = None
    description: str = ""
    was: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "/name")
        values = strings(self.values, "/values")
        kind = "choice" if values and self.type == "text" else self.type
        if kind not in get_args(SlotType):
            raise SchemaError("/type", "must be one of " + ", ".join(get_args(SlotType)))
        if kind == "choice" and not values:
            raise SchemaError("/values", "a choice needs at least one value")
        if self.on_conflict not in (None, "replace", "ask"):
            raise SchemaError("/on_conflict", "must be replace or ask")
        for flag in ("multi", "required", "sensitive", "secret"):
            if not isinstance(getattr(self, flag), bool):
                raise SchemaError(f"/{flag}", "must be true or false")
        check_text(self.description, "/description")
        if self.pattern is not None:
            check_pattern(self.pattern)
        settled = {
            "type": kind,
            "values": values,
            "synonyms": _synonyms(self.synonyms, values),
            "multi": self.multi or kind == "list",
            "on_conflict": self.on_conflict or ("ask" if kind in ASK_TYPES else "replace"),
            "depends_on": strings(self.depends_on, "/depends_on"),
            "was": strings(self.was, "/was"),
        }
        for key, value in settled.items():
            object.__setattr__(self, key, value)

    @property
    def label(self) -> str:
        """The name as one would say it."""
        return re.sub(r"[_\-.]+", " ", self.name).strip()

    def ways(self, value: str) -> tuple[str, ...]:
        """How one of `values` may be said, itself first."""
        return (value, *self.synonyms.get(value, ()))

    def report(self) -> dict[str, Any]:
        """The slot as a schema document's entry; what is default is left out."""
        blank = Slot("x", type="choice", values=["x"]) if self.type == "choice" else Slot("x", type=self.type)
        body = {f.name: getattr(self, f.name) for f in fields(self)}
        kept = {k: v for k, v in body.items() if k in ("name", "type", "values") or v != getattr(blank, k)}
        if not self.values:
            kept.pop("values", None)
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in kept.items()}
        if "synonyms" in plain:
            plain["synonyms"] = {k: list(v) for k, v in self.synonyms.items()}
        return plain


@dataclass(frozen=True, slots=True)
class FactRule:
    """How facts of one key behave. With any rule present, other keys are rejected.

    Args:
        key: lower snake case.
        multi: several values hold side by side (allergies); else a new one replaces.
        kind: what the fact is filed as (`fact`, `preference`, `constraint`, `relation`, ...).
        on_conflict: `ask` turns a rival of a confirmed value into a question.
        values: what the value may be; empty = anything.
        sensitive: reaches the model only when the caller is verified.
        description: what it holds; extraction is told.
    """

    key: str
    multi: bool = False
    kind: str = "fact"
    on_conflict: Conflict = "replace"
    values: Sequence[str] = ()
    sensitive: bool = False
    description: str = ""

    def __post_init__(self) -> None:
        check_name(self.key, "/key")
        if self.on_conflict not in ("replace", "ask"):
            raise SchemaError("/on_conflict", "must be replace or ask")
        object.__setattr__(self, "values", strings(self.values, "/values"))


@dataclass(frozen=True, slots=True)
class MemorySchema:
    """The slots and fact rules of one kind of call.

    Example::

        schema = MemorySchema.from_dict({"version": 1, "slots": [{"name": "date", "type": "date"}]})
    """

    slots: tuple[Slot, ...] = ()
    facts: tuple[FactRule, ...] = ()
    version: int = FORMAT

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", tuple(self.slots))
        object.__setattr__(self, "facts", tuple(self.facts))
        if len(self.slots) > MAX_SLOTS:
            raise SchemaError("/slots", f"at most {MAX_SLOTS} slots")
        check_unique([s.name for s in self.slots], "/slots", "name")
        check_unique([f.key for f in self.facts], "/facts", "key")
        _check_dependencies(self.slots)

    @classmethod
    def of(cls, doc: Any) -> MemorySchema:
        """As `from_dict`; the default one where a call's opening has none."""
        return cls.from_dict(doc) if doc else DEFAULT_SCHEMA

    @classmethod
    def from_dict(cls, doc: Any) -> MemorySchema:
        """Read a schema document.

        Raises:
            SchemaError: with the JSON Pointer of the first fault.
        """
        if not isinstance(doc, Mapping):
            raise SchemaError("", "a schema is an object with a list of slots")
        check_keys(doc, {"version", "slots", "facts"}, "")
        version = doc.get("version", FORMAT)
        if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FORMAT:
            raise SchemaError("/version", f"must be a whole number from 1 to {FORMAT}")
        slots = [_entry(Slot, e, f"/slots/{i}") for i, e in enumerate(entries(doc, "slots"))]
        facts = [_entry(FactRule, e, f"/facts/{i}") for i, e in enumerate(entries(doc, "facts"))]
        return cls(tuple(slots), tuple(facts), FORMAT)

    @classmethod
    def from_json(cls, text: str | bytes) -> MemorySchema:
        """Read a schema document from JSON text."""
        try:
            doc = json.loads(text)
        except ValueError as error:
            raise SchemaError("", "not JSON") from error
        return cls.from_dict(doc)

    def slot(self, name: str) -> Slot | None:
        return next((s for s in self.slots if s.name == name), None)

    def rule(self, key: str) -> FactRule | None:
        return next((f for f in self.facts if f.key == key), None)

    @property
    def open_facts(self) -> bool:
        """Fact keys are open: the app gave no rules."""
        return not self.facts

    def migrate(self, slots: Mapping[str, Any]) -> dict[str, Any]:
        """Slots noted under an earlier form of this schema, under the names of this one.

        A slot this schema doesn't know any more is left out; a slot it renamed (`was`) moves.
        """
        moved = {old: s.name for s in self.slots for old in s.was}
        found = {moved.get(name, name): value for name, value in slots.items()}
        return {s.name: found[s.name] for s in self.slots if s.name in found}

    def report(self) -> dict[str, Any]:
        """The schema as a document that `from_dict` reads."""
        body: dict[str, Any] = {"version": self.version, "slots": [s.report() for s in self.slots]}
        if self.facts:
            rows = [{f.name: getattr(rule, f.name) for f in fields(rule)} for rule in self.facts]
            body["facts"] = [{k: list(v) if isinstance(v, tuple) else v for k, v in r.items()} for r in rows]
        return body


Kind = TypeVar("Kind", Slot, FactRule)


def _entry(kind: type[Kind], entry: Any, path: str) -> Kind:
    if not isinstance(entry, Mapping):
        raise SchemaError(path, "must be an object")
    check_keys(entry, {f.name for f in fields(kind)}, path)
    key = "name" if kind is Slot else "key"
    if key not in entry:
        raise SchemaError(f"{path}/{key}", "is missing")
    try:
        return kind(**{k: v for k, v in entry.items() if not k.startswith("x_")})
    except SchemaError as error:
        raise SchemaError(path + error.path, str(error).split(": ", 1)[1]) from error


def _synonyms(given: object, values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise SchemaError("/synonyms", "must be an object of value: [other ways to say it]")
    found: dict[str, tuple[str, ...]] = {}
    for key, ways in cast("Mapping[Any, Any]", given).items():
        path = f"/synonyms/{pointer(str(key))}"
        value, said = (ways, [key]) if isinstance(ways, str) and key not in values else (key, ways)
        if value not in values:
            raise SchemaError(path, "is not one of the values")
        found[value] = found.get(value, ()) + strings([said] if isinstance(said, str) else said, path)
    return found


def _check_dependencies(slots: tuple[Slot, ...]) -> None:
    above = {s.name: s.depends_on for s in slots}
    for i, slot in enumerate(slots):
        for j, name in enumerate(slot.depends_on):
            if name not in above:
                raise SchemaError(f"/slots/{i}/depends_on/{j}", "is not a slot of this schema")
            seen, todo = set[str](), [name]
            while todo:
                seen.add(todo[-1])
                todo.extend(n for n in above[todo.pop()] if n not in seen)
            if slot.name in seen:
                raise SchemaError(f"/slots/{i}/depends_on/{j}", "goes round in a circle")


DEFAULT_SCHEMA = MemorySchema(
    (
        Slot("name", "name", description="the caller's own full name"),
        Slot(
            "preferred_name", "name", on_conflict="replace", description="what the caller wants to be called"
        ),
        Slot("phone", "phone", description="number to call back"),
        Slot("email", "email", description="e-mail address"),
        Slot("account_number", "digits", sensitive=True, description="account, customer or member number"),
        Slot("order_number", "digits", description="order, booking or ticket number"),
        Slot("date", "date", description="day the caller asks for"),
        Slot("time", "time", description="time of day the caller asks for"),
        Slot("party_size", "quantity", description="how many people, guests or items"),
        Slot("place", "address", on_conflict="replace", description="where: address, town, building"),
        Slot("allergies", "list", sensitive=True, description="what the caller can't eat or take"),
        Slot("preferences", "list", description="what the caller likes or wants each time"),
        Slot("constraints", "list", description="what has to be kept to: budget, access, hours"),
    )
)
"""Holds where an app gives no schema. Fact keys are open."""
