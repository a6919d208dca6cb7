"""How well the notes find the spans of a booking in one utterance.

A case is one JSON line: `{"id","text","requested"?,"slots":{name: span}}`; `requested` names what
the agent had just asked for. A span counts without case, punctuation, am and pm.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipecat_memory.evals.lines import cases
from pipecat_memory.notes.book import hear, open_notes
from pipecat_memory.notes.heard import Heard
from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import MemorySchema, Slot

BOOKING = MemorySchema(
    (
        Slot("people", "quantity"),
        Slot("date", "date"),
        Slot("time", "time"),
        Slot("first_name", "name"),
        Slot("last_name", "name"),
    )
)
"""What a booking line asks for."""

AT = datetime(2018, 8, 1, 9, tzinfo=UTC)
"""Spans don't depend on the day; this one lies in the time the utterances speak of."""


def run(file: Path, *, predictions: Path | None = None) -> dict[str, Any]:
    """Find the spans of every utterance and score them.

    Args:
        file: the cases.
        predictions: where to write `{"id","slots"}` lines.
    """
    right: Counter[str] = Counter()
    said: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    lines: list[str] = []
    total = 0
    for case in cases(file, "id", "text", "slots"):
        total += 1
        found = spans(case["text"], case.get("requested") or [])
        lines.append(json.dumps({"id": case["id"], "slots": found}, ensure_ascii=False))
        said.update(found.keys())
        gold.update(case["slots"].keys())
        right.update(n for n, span in case["slots"].items() if n in found and plain(found[n]) == plain(span))
    if predictions is not None:
        predictions.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    each = {n: _f1(right[n], said[n], gold[n]) for n in sorted(gold)}
    return {
        "kind": "slots",
        "cases": total,
        "f1": _f1(right.total(), said.total(), gold.total()),
        "precision": round(right.total() / said.total(), 3) if said else None,
        "recall": round(right.total() / gold.total(), 3) if gold else None,
        "by_slot": each,
    }


def spans(text: str, requested: list[str]) -> dict[str, str]:
    """Slot and the caller's words for it, as the notes hold them after this one utterance."""
    # What was asked for again stands twice: that is what the agent had just asked.
    known = [name for name in requested if BOOKING.slot(name)]
    again = [name for i, name in enumerate(known) if name in known[:i]]
    asked = NextStep("ask_slot", "required", slot=(again or known)[0]) if known else None
    notes = open_notes(BOOKING, timezone="UTC", at=AT)
    notes = hear(notes, Heard(turn=1, text=text, at=AT, language="en", asked=asked))
    return {name: held.spoken for name, held in notes.state.slots.items() if held.spoken}


def plain(span: str) -> str:
    """A span for comparing: no case, no punctuation, no am or pm."""
    low = re.sub(r"(?<![a-z])[ap]\s*\.?\s*m\b\.?", " ", span.lower())
    return " ".join(re.sub(r"[^\w:/ ]", " ", low).split())


def _f1(right: int, said: int, gold: int) -> float | None:
    return round(2 * right / (said + gold), 3) if said + gold else None
