"""Calls of one schema share what was made of it; another schema has its own."""

from __future__ import annotations

from typing import Any

from pipecat_memory.notes.grammar import grammar_of
from pipecat_memory.records.schema import DEFAULT_SCHEMA, MemorySchema


def schema(*values: str) -> MemorySchema:
    doc: dict[str, Any] = {"version": 1, "slots": [{"name": "colour", "type": "choice", "values": [*values]}]}
    return MemorySchema.from_dict(doc)


def test_equal_schemas_share_one_grammar() -> None:
    made = grammar_of(schema("red", "green"))
    assert grammar_of(schema("red", "green")) is made
    assert grammar_of(schema("red", "blue")) is not made
    assert grammar_of(DEFAULT_SCHEMA).schema == DEFAULT_SCHEMA


def test_a_process_of_many_schemas_keeps_only_the_last() -> None:
    first = grammar_of(schema("first"))
    for number in range(20):
        assert grammar_of(schema(f"value {number}")).schema == schema(f"value {number}")
    assert grammar_of(schema("first")) is not first
