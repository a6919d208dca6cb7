"""Recorded faults and what the engine must make of them; each NAME.jsonl has its NAME.expected.json.

The names say the kind of fault: `heard_` what was heard of replies, `said_` what callers said, `ended_`
ends of calls, `tools_` tool calls, `off_` off the record, `broken_` what can't be read. An expected file
holds the part of the report that matters; its values were worked out from the rules, not copied. Beside
parts of the report it may hold `briefed`: words that stand in the briefing of each reply, and `lacks`: words
that stand nowhere in what is remembered or told.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import events as ev
from pipecat_memory.errors import EventError
from pipecat_memory.ledger.reducer import Ledger
from pipecat_memory.replay import replay

HERE = Path(__file__).parent
NAMES = sorted(path.name.removesuffix(".jsonl") for path in HERE.glob("*.jsonl"))


def expected(name: str) -> dict[str, Any]:
    return json.loads((HERE / f"{name}.expected.json").read_text(encoding="utf-8"))


def recorded(name: str) -> list[str]:
    return (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def folded(lines: list[str]) -> dict[str, Any]:
    """The report of one call, as far as the ledger alone makes it."""
    ledger, errors, call, reason = Ledger(), list[str](), "", "crash"
    for line in lines:
        try:
            event = ev.decode(line)
        except EventError as error:
            errors.append(error.kind)
            continue
        if isinstance(event, ev.CallStarted):
            call = event.call
        elif event is not None:
            ledger.apply(event)
        if isinstance(event, ev.CallEnded) and reason == "crash":
            reason = event.reason
    kinds = {reason for reason, _ in ledger.rejections}
    return {
        "call": call,
        "outcome": ledger.outcome(reason),
        "history": [item.report() for item in ledger.history()],
        "tools": [{k: tool.report()[k] for k in ("id", "name", "status")} for tool in ledger.tools],
        "errors": sorted([*errors, *kinds]),
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_ledger_believes_what_happened(name: str) -> None:
    want = expected(name)
    found = folded(recorded(name))
    assert {**want["calls"][0], "errors": sorted(want["errors"])} == found


@pytest.mark.parametrize("name", NAMES)
async def test_replay_reports_what_happened(name: str) -> None:
    want = expected(name)
    report = await replay(recorded(name), embedder=None)
    (call,) = report["calls"]
    assert_part(want["calls"][0], call)
    assert call["history"] == want["calls"][0]["history"]
    assert sorted(error["kind"] for error in report["errors"]) == sorted(want["errors"])
    assert report["counters"]["events_rejected"] == len(want["errors"])
    assert_part(want.get("profiles", {}), report["profiles"])
    assert_part(want.get("next", call["next"]), call["next"])
    for words, briefing in zip(want.get("briefed", ()), call["briefings"], strict=False):
        assert all(word in briefing for word in words)
    kept = json.dumps([call[k] for k in ("history", "state", "briefings", "summary")] + [report["profiles"]])
    assert not [word for word in want.get("lacks", ()) if word in kept]


def assert_part(want: Any, found: Any) -> None:
    """Everything wanted is found; mappings may hold more, lists may not."""
    if isinstance(want, dict):
        for key, value in want.items():
            assert_part(value, found[key])
    elif isinstance(want, list):
        assert len(found) == len(want)
        for one, other in zip(want, found, strict=True):
            assert_part(one, other)
    else:
        assert found == want


def test_every_kind_of_fault_has_its_files() -> None:
    kinds = {name.split("_")[0] for name in NAMES}
    assert kinds == {"heard", "said", "ended", "tools", "off", "broken"}
    assert len(NAMES) >= 75
