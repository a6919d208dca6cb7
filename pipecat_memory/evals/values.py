"""`eval values`: names, postcodes and birth dates over several attempts, by the product's own fusion."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipecat_memory.evals.lines import cases
from pipecat_memory.notes.fusion import SURE, Attempt, Person, fuse, identify, prewarm

KINDS = {"name": "name", "postcode": "postcode", "dob": "date"}
"""Item of the file, and the kind of slot that holds it."""


def run(
    file: Path | str, kb: Path | str | None = None, predictions: Path | str | None = None
) -> dict[str, Any]:
    """Predict every call of the file and count what is right.

    Args:
        file: calls, one a line: `turns` with `item`, `attempt` and `asr` (n-best), and `profile`.
        kb: people, one a line: `scenario_id`, `name`, `postcode`, `dob`. Serves identification
            alone: no value is looked up in it.
        predictions: where to write one line a call.

    Returns:
        Accuracy of each item, precision and coverage of what would be marked confirmed, and
        the share of callers identified (None without a kb).
    """
    prewarm()
    people = _people(kb) if kb else []
    calls = list(cases(file, "id", "turns", "profile", "scenario_id"))
    lines = [_predict(call, people) for call in calls]
    if predictions:
        Path(predictions).write_text(
            "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
        )
    return _score(calls, lines, bool(people))


def _people(kb: Path | str) -> list[Person]:
    rows = list(cases(kb, "scenario_id"))
    return [
        Person(row["scenario_id"], {kind: row[item] for item, kind in KINDS.items() if row.get(item)})
        for row in rows
    ]


def _predict(call: dict[str, Any], people: list[Person]) -> dict[str, Any]:
    zone = call.get("timezone", "Europe/London")
    at = datetime.fromisoformat(call["at"]) if "at" in call else datetime.now(UTC)
    line: dict[str, Any] = {"id": call["id"], "confirmed": []}
    evidence: dict[str, list[Attempt]] = {}
    for item, kind in KINDS.items():
        attempts = [Attempt(tuple(turn["asr"])) for turn in call["turns"] if turn["item"] == item]
        evidence[kind] = attempts
        fused = fuse(kind, attempts, at=at, language=call.get("lang"), timezone=zone)
        line[item] = fused.value if fused else None
        if fused and fused.sure >= SURE:
            line["confirmed"].append(item)
    found = identify(evidence, people, at=at, language=call.get("lang"), timezone=zone) if people else None
    line["identify"] = found.key if found else None
    return line


def _score(calls: list[dict[str, Any]], lines: list[dict[str, Any]], identified: bool) -> dict[str, Any]:
    report: dict[str, Any] = {"calls": len(calls)}
    right = {
        item: [_same(line[item], call["profile"][item]) for call, line in zip(calls, lines, strict=True)]
        for item in KINDS
    }
    for item, marks in right.items():
        report[item] = _share(sum(marks), len(marks))
    confirmed: dict[str, Any] = {}
    for item, marks in right.items():
        taken = [ok for ok, line in zip(marks, lines, strict=True) if item in line["confirmed"]]
        confirmed[item] = {
            "precision": _share(sum(taken), len(taken)),
            "coverage": _share(len(taken), len(marks)),
        }
    both = [
        ok
        for item in ("name", "postcode")
        for ok, line in zip(right[item], lines, strict=True)
        if item in line["confirmed"]
    ]
    confirmed["name_and_postcode"] = {
        "precision": _share(sum(both), len(both)),
        "coverage": _share(len(both), 2 * len(lines)),
    }
    report["confirmed"] = confirmed
    hits = sum(line["identify"] == call["scenario_id"] for call, line in zip(calls, lines, strict=True))
    report["identify"] = _share(hits, len(calls)) if identified else None
    return report


def _same(said: str | None, true: str) -> bool:
    return said is not None and "".join(said.split()).casefold() == "".join(true.split()).casefold()


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
