"""Schemas: what is read, what defaults to what, and where each fault is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.errors import SchemaError
from pipecat_memory.records.schema import DEFAULT_SCHEMA, FactRule, MemorySchema, Slot


def slots(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "slots": list(entries)}


FAULTS: list[tuple[Any, str]] = [
    ([], ""),
    ({"slots": {}}, "/slots"),
    ({"version": 2, "slots": []}, "/version"),
    ({"version": 0}, "/version"),
    ({"version": "1"}, "/version"),
    ({"version": True}, "/version"),
    ({"slot": []}, "/slot"),
    ({"slots": ["day"]}, "/slots/0"),
    (slots({"name": "day"}, {}), "/slots/1/name"),
    (slots({"name": ""}), "/slots/0/name"),
    (slots({"name": "a\nb"}), "/slots/0/name"),
    (slots({"name": "x" * 65}), "/slots/0/name"),
    (slots({"name": "day"}, {"name": "day"}), "/slots/1/name"),
    (slots({"name": "day", "typ": "date"}), "/slots/0/typ"),
    (slots({"name": "day", "a/b": 1}), "/slots/0/a~1b"),
    (slots({"name": "day", "type": "datum"}), "/slots/0/type"),
    (slots({"name": "day", "type": "choice"}), "/slots/0/values"),
    (slots({"name": "day", "values": "red"}), "/slots/0/values"),
    (slots({"name": "day", "values": ["red", ""]}), "/slots/0/values/1"),
    (slots({"name": "day", "values": ["red", "Red"]}), "/slots/0/values"),
    (slots({"name": "day", "values": ["red"], "synonyms": {"blue": ["navy"]}}), "/slots/0/synonyms/blue"),
    (slots({"name": "day", "values": ["red"], "synonyms": []}), "/slots/0/synonyms"),
    (slots({"name": "day", "required": "yes"}), "/slots/0/required"),
    (slots({"name": "day", "on_conflict": "merge"}), "/slots/0/on_conflict"),
    (slots({"name": "day", "pattern": "("}), "/slots/0/pattern"),
    (slots({"name": "day", "pattern": 5}), "/slots/0/pattern"),
    (slots({"name": "day", "description": 5}), "/slots/0/description"),
    (slots({"name": "day", "depends_on": ["time"]}), "/slots/0/depends_on/0"),
    (slots({"name": "day", "depends_on": ["day"]}), "/slots/0/depends_on/0"),
    (slots({"name": "a", "depends_on": ["b"]}, {"name": "b", "depends_on": ["a"]}), "/slots/0/depends_on/0"),
    ({"facts": [{"key": "city", "on_conflict": "no"}]}, "/facts/0/on_conflict"),
    ({"facts": [{"kind": "fact"}]}, "/facts/0/key"),
]


@pytest.mark.parametrize(("doc", "path"), FAULTS, ids=[path or "(root)" for _, path in FAULTS])
def test_a_fault_is_named_by_its_path(doc: Any, path: str) -> None:
    with pytest.raises(SchemaError) as raised:
        MemorySchema.from_dict(doc)
    assert raised.value.path == path
    assert (path or "/") in str(raised.value)


def test_json_that_is_none_is_a_fault_too() -> None:
    with pytest.raises(SchemaError):
        MemorySchema.from_json("{")


def test_what_a_type_defaults_to() -> None:
    schema = MemorySchema.from_dict(
        slots(
            {"name": "colour", "values": ["red", "blue"], "synonyms": {"red": ["scarlet"], "navy": "blue"}},
            {"name": "note"},
            {"name": "day", "type": "date"},
            {"name": "price", "type": "money"},
            {"name": "phone", "type": "phone", "on_conflict": "replace"},
            {"name": "needs", "type": "list", "x_own": 1},
        )
    )
    kinds = {s.name: (s.type, s.on_conflict, s.multi) for s in schema.slots}
    assert kinds == {
        "colour": ("choice", "replace", False),
        "note": ("text", "replace", False),
        "day": ("date", "ask", False),
        "price": ("money", "ask", False),
        "phone": ("phone", "replace", False),
        "needs": ("list", "replace", True),
    }
    colour = schema.slots[0]
    assert colour.ways("red") == ("red", "scarlet")
    assert colour.ways("blue") == ("blue", "navy")


def test_a_schema_reads_back_what_it_writes() -> None:
    schema = MemorySchema(
        (
            Slot("colour", values=["red"], synonyms={"red": ["scarlet"]}, required=True, was=["color"]),
            Slot("pin", "digits", pattern=r"\d{4}", secret=True, depends_on=["colour"]),
        ),
        (FactRule("city", multi=True, values=["Rome"]),),
    )
    assert MemorySchema.from_json(json.dumps(schema.report())) == schema
    assert MemorySchema.from_dict(DEFAULT_SCHEMA.report()) == DEFAULT_SCHEMA


def test_notes_of_an_earlier_schema_move_to_this_one() -> None:
    schema = MemorySchema((Slot("guests", "quantity", was=["party"]), Slot("day", "date")))
    assert schema.migrate({"party": 4, "day": "2026-12-03", "gone": 1}) == {"guests": 4, "day": "2026-12-03"}


def test_the_default_schema_covers_a_call() -> None:
    names = [s.name for s in DEFAULT_SCHEMA.slots]
    assert names == [
        "name", "preferred_name", "phone", "email", "account_number", "order_number", "date", "time",
        "party_size", "place", "allergies", "preferences", "constraints",
    ]  # fmt: skip
    assert DEFAULT_SCHEMA.open_facts
    assert all(s.description for s in DEFAULT_SCHEMA.slots)
