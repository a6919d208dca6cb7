"""`eval state` and `eval slots`: the figures are those of the lines that were written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipecat_memory.evals import slots, state

SCHEMA = {"version": 1, "slots": [{"name": "colour", "values": ["red", "blue", "green"]}]}
CALL = {
    "id": "c1",
    "lang": "en",
    "turns": [
        {"speaker": "system", "text": "Which colour would you like?"},
        {"speaker": "user", "text": "red", "asr": ["read", "red", "red please"], "state": {"colour": "red"},
         "changed": ["colour"], "corrected": []},
        {"speaker": "system", "text": "Sorry, no red."},
        {"speaker": "user", "text": "no, blue", "asr": ["no blue", "no blew"], "state": {"colour": ["blue"]},
         "changed": ["colour"], "corrected": ["colour"]},
        {"speaker": "user", "text": "maybe green", "asr": ["maybe green"], "state": {"colour": "green"},
         "changed": ["colour"], "corrected": ["colour"]},
    ],
}  # fmt: skip
BOOKINGS = [
    {
        "id": "b1",
        "text": "A table for 4 people at 7pm please",
        "slots": {"people": "4 people", "time": "7 PM."},
    },
    {"id": "b2", "text": "Jane", "requested": ["first_name"], "slots": {"first_name": "Jane"}},
    {"id": "b3", "text": "on Friday", "slots": {"date": "Thursday"}},
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_state(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA), "utf-8")
    out = tmp_path / "out.jsonl"
    figures = state.run(written(tmp_path / "calls.jsonl", [CALL]), schema, predictions=out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert lines == [
        {"id": "c1", "turn": 0, "state": {"colour": "red"}},
        {"id": "c1", "turn": 1, "state": {"colour": "blue"}},
        {"id": "c1", "turn": 2, "state": {"colour": "blue"}},  # the rival is asked about
    ]
    assert figures == {
        "kind": "state", "input": "n-best", "calls": 1, "turns": 3, "jga": 0.667, "changed_recall": 0.667,
        "corrections": 2, "corrected_accuracy": 0.5, "stale": 0.5, "end_f1": 0.0, "end_exact": 0.0,
    }  # fmt: skip
    heard = state.run(tmp_path / "calls.jsonl", schema, transcript=True)
    assert (heard["input"], heard["jga"]) == ("transcript", 0.667)


def test_slots(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    figures = slots.run(written(tmp_path / "bookings.jsonl", BOOKINGS), predictions=out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert lines == [
        {"id": "b1", "slots": {"people": "4 people", "time": "7pm"}},
        {"id": "b2", "slots": {"first_name": "Jane"}},
        {"id": "b3", "slots": {"date": "Friday"}},
    ]
    assert (figures["cases"], figures["f1"], figures["precision"], figures["recall"]) == (3, 0.75, 0.75, 0.75)
