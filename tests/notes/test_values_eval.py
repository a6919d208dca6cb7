"""`eval values` predicts what the product would hold, and its figures agree with its lines."""

from __future__ import annotations

import json
from pathlib import Path

from pipecat_memory.evals import values

CALL = {
    "id": "c1",
    "lang": "en",
    "scenario_id": "p2",
    "profile": {"name": "Ruth Parker", "dob": "1961-02-03", "postcode": "M4 2QA"},
    "turns": [
        {"item": "postcode", "attempt": 0, "asr": ["m 4 2 q a", "n 4 2 q a"]},
        {"item": "postcode", "attempt": 1, "asr": ["mike 4 2 quebec alpha"]},
        {"item": "name", "attempt": 0, "asr": ["Ruth Parker", "Ruth Barker"]},
        {"item": "dob", "attempt": 0, "asr": ["3rd of February 1961"]},
        {"item": "dob", "attempt": 1, "asr": []},
    ],
}
SILENT = {
    "id": "c2",
    "lang": "en",
    "scenario_id": "p1",
    "profile": {"name": "Hugh Moore", "dob": "1955-03-14", "postcode": "L6C 2EQ"},
    "turns": [{"item": "name", "attempt": 0, "asr": []}],
}
KB = [
    {"scenario_id": "p1", "name": "Hugh Moore", "dob": "1955-03-14", "postcode": "L6C 2EQ"},
    {"scenario_id": "p2", "name": "Ruth Parker", "dob": "1961-02-03", "postcode": "M4 2QA"},
]


def test_figures_and_lines(tmp_path: Path) -> None:
    calls, kb, out = tmp_path / "calls.jsonl", tmp_path / "kb.jsonl", tmp_path / "out.jsonl"
    calls.write_text("\n".join(map(json.dumps, (CALL, SILENT))), "utf-8")
    kb.write_text("\n".join(map(json.dumps, KB)), "utf-8")
    report = values.run(calls, kb=kb, predictions=out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert lines[0]["name"] == "Ruth Parker"
    assert lines[0]["postcode"] == "M4 2QA"
    assert lines[0]["dob"] == "1961-02-03"
    assert lines[0]["identify"] == "p2"
    assert lines[1] == {
        "id": "c2",
        "confirmed": [],
        "name": None,
        "postcode": None,
        "dob": None,
        "identify": None,
    }
    assert (report["calls"], report["name"], report["identify"]) == (2, 0.5, 0.5)


def test_the_people_serve_identification_alone(tmp_path: Path) -> None:
    calls, kb = tmp_path / "calls.jsonl", tmp_path / "kb.jsonl"
    calls.write_text(json.dumps(CALL), "utf-8")
    kb.write_text(json.dumps(KB[0]), "utf-8")
    with_kb, without = values.run(calls, kb=kb), values.run(calls)
    assert without["identify"] is None
    assert {**with_kb, "identify": None} == without
