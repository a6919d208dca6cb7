"""`eval repair`: what the product keeps of disfluent speech."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pipecat_memory.evals.lines import cases as read_cases
from pipecat_memory.writing.clean import Cleaned, clean


def run(file: Path | str, predictions: Path | str | None = None) -> dict[str, Any]:
    """Clean every utterance of the file and count what is right.

    Args:
        file: utterances, one a line: `raw` and `fluent`; with `labels` (f, e, rm by token) the
            removal is scored by token as well.
        predictions: where to write one line an utterance.

    Returns:
        The share that equals `fluent` (case and punctuation don't count) and, with labels,
        precision, recall and F1 of the tokens removed.
    """
    cases = list(read_cases(file, "id", "raw", "fluent"))
    found = [clean(case["raw"], case.get("lang", "en")) for case in cases]
    if predictions:
        lines = (
            json.dumps({"id": case["id"], "fluent": made.text, "keep": list(made.keep)}, ensure_ascii=False)
            + "\n"
            for case, made in zip(cases, found, strict=True)
        )
        Path(predictions).write_text("".join(lines), "utf-8")
    same = sum(_plain(made.text) == _plain(case["fluent"]) for case, made in zip(cases, found, strict=True))
    report: dict[str, Any] = {"utterances": len(cases), "exact": _share(same, len(cases))}
    if any("labels" in case for case in cases):
        report["removal"] = _removal(cases, found)
    return report


def _removal(cases: list[dict[str, Any]], found: list[Cleaned]) -> dict[str, float | None]:
    right = wrong = missed = 0
    for case, made in zip(cases, found, strict=True):
        labels = case["labels"].split()
        kept = set(made.keep)
        for i, label in enumerate(labels):
            right += i not in kept and label != "f"
            wrong += i not in kept and label == "f"
            missed += i in kept and label != "f"
    return {
        "precision": _share(right, right + wrong),
        "recall": _share(right, right + missed),
        "f1": _share(2 * right, 2 * right + wrong + missed),
    }


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower().replace("'", "")))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
