"""How well the notes follow a caller over a call: slots after every turn, changes, corrections.

A case is one JSON line: `{"id","turns":[{"speaker","text","asr"?,"state"?,"changed"?,"corrected"?}]}`.
The notes hear what the product would hear (n-best and the agent's words), nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pipecat_memory.errors import SchemaError, UsedWrongly
from pipecat_memory.evals.lines import cases
from pipecat_memory.notes.book import Notes, hear, open_notes
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.mention import same
from pipecat_memory.records.schema import MemorySchema

AT = datetime(2024, 1, 1, 12, tzinfo=UTC)
"""The cases carry no time; the values of choices don't depend on it."""

SECONDS_A_TURN = 10


def run(
    file: Path, schema: Path, *, transcript: bool = False, predictions: Path | None = None
) -> dict[str, Any]:
    """Follow every call of a file and score it.

    Args:
        file: the cases.
        schema: the slots to follow, a schema document.
        transcript: hear the transcript in place of the recogniser's alternatives.
        predictions: where to write `{"id","turn","state"}` lines.

    Raises:
        UsedWrongly: the file or the schema can't be used; the message names it and the place in it.
    """
    try:
        wanted = MemorySchema.from_json(schema.read_bytes())
    except SchemaError as error:
        raise UsedWrongly(f"{schema}: {error}") from error
    score = Score()
    lines: list[str] = []
    for case in cases(file, "id", "turns"):
        last: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        before: dict[str, Any] = {}
        for turn, (row, stands) in enumerate(followed(case, wanted, transcript=transcript)):
            lines.append(json.dumps({"id": case["id"], "turn": turn, "state": stands}, ensure_ascii=False))
            score.turn(stands, row, before)
            before = row.get("state") or {}
            last = (stands, before)
        score.end(*last)
    if predictions is not None:
        predictions.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return {"kind": "state", "input": "transcript" if transcript else "n-best", **score.figures()}


def followed(
    case: dict[str, Any], schema: MemorySchema, *, transcript: bool
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each user turn with the values that stand after it, confirmed or inferred."""
    notes = open_notes(schema, timezone="UTC", at=AT)
    agent, number = "", 0
    for row in case["turns"]:
        if row["speaker"] != "user":
            agent = row["text"]
            continue
        number += 1
        heard = _heard(row, number, agent, str(case.get("lang") or "en"), transcript=transcript)
        notes = hear(notes, heard)
        yield row, standing(notes)


def _heard(row: dict[str, Any], number: int, agent: str, language: str, *, transcript: bool) -> Heard:
    alternatives = () if transcript else tuple(row.get("asr") or ())
    return Heard(
        turn=number,
        text=row["text"] if transcript else (alternatives[0] if alternatives else ""),
        nbest=(alternatives,) if alternatives else (),
        at=AT + timedelta(seconds=number * SECONDS_A_TURN),
        language=language,
        agent_said=agent,
    )


def standing(notes: Notes) -> dict[str, Any]:
    """Slots and values that count as set."""
    return {n: held.value for n, held in notes.state.slots.items() if held.confidence != "pending"}


def right(value: Any, gold: Any) -> bool:
    """Whether a value is the gold one, or one of the acceptable ones."""
    return any(same(value, one) for one in gold) if isinstance(gold, list) else same(value, gold)


class Score:
    """Counts over all turns of all calls."""

    def __init__(self) -> None:
        self.calls = self.turns = self.joint = 0
        self.changed = self.changed_right = 0
        self.corrected = self.corrected_right = self.stale = 0
        self.end_right = self.end_said = self.end_gold = self.end_exact = 0

    def turn(self, stands: dict[str, Any], row: dict[str, Any], before: dict[str, Any]) -> None:
        gold: dict[str, Any] = row.get("state") or {}
        self.turns += 1
        self.joint += stands.keys() == gold.keys() and all(right(stands[n], gold[n]) for n in gold)
        for name in row.get("changed") or ():
            self.changed += 1
            self.changed_right += name in stands and name in gold and right(stands[name], gold[name])
        for name in row.get("corrected") or ():
            self.corrected += 1
            held = stands.get(name)
            self.corrected_right += name in gold and held is not None and right(held, gold[name])
            self.stale += held is not None and name in before and right(held, before[name])

    def end(self, stands: dict[str, Any], gold: dict[str, Any]) -> None:
        self.calls += 1
        hits = sum(right(stands[name], gold[name]) for name in stands if name in gold)
        self.end_right += hits
        self.end_said += len(stands)
        self.end_gold += len(gold)
        self.end_exact += hits == len(stands) == len(gold)

    def figures(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "turns": self.turns,
            "jga": share(self.joint, self.turns),
            "changed_recall": share(self.changed_right, self.changed),
            "corrections": self.corrected,
            "corrected_accuracy": share(self.corrected_right, self.corrected),
            "stale": share(self.stale, self.corrected),
            "end_f1": share(2 * self.end_right, self.end_said + self.end_gold),
            "end_exact": share(self.end_exact, self.calls),
        }


def share(part: int, whole: int) -> float | None:
    """A share to three places; None of nothing."""
    return round(part / whole, 3) if whole else None
