"""What was replaced since is told as such, behind what holds, and first only where it is asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.reading.entries import standings
from pipecat_memory.reading.entry import Entry, Query
from pipecat_memory.reading.index import Index
from pipecat_memory.reading.router import asks_former
from pipecat_memory.records.fact import Fact, Status
from pipecat_memory.replay import replay


def fact(n: int, status: Status, *, turn: int = 1, call: str = "c1") -> Fact:
    return Fact(
        id=f"{n}", kind="fact", key=f"k{n}", value=n, text="", status=status, speaker=None, language=None,
        valid_from="2026-01-01", valid_to=None, call=call, turn=turn, quote="", seen=1, importance=0.5,
    )  # fmt: skip


def test_a_turn_is_outdated_once_something_learned_in_it_is_gone() -> None:
    assert standings(
        [
            fact(1, "superseded"),
            fact(2, "retracted"),
            fact(3, "superseded", turn=2),
            fact(4, "current", turn=2),
            fact(5, "superseded", turn=3),
            fact(6, "pending", turn=3),
            fact(7, "current", turn=4),
            fact(8, "expired", turn=5),
            fact(9, "superseded", call="c2", turn=4),
        ]
    ) == {("c1", 1): "superseded", ("c1", 2): "partly", ("c1", 3): "partly", ("c2", 4): "superseded"}


@pytest.mark.parametrize(
    ("question", "former"),
    [
        ("what was my old address", True),
        ("where did I use to live", True),
        ("which number did you have before", True),
        ("my previous plate?", True),
        ("¿cuál era mi dirección anterior?", True),
        ("wie war meine alte Adresse", True),
        ("quelle était mon ancienne adresse", True),
        ("我以前的地址是什么", True),
        ("what is my address", False),
        ("how old is my daughter", False),
        ("did I tell you my address", False),
        ("the gold card", False),
    ],
)
def test_a_question_about_what_was(question: str, former: bool) -> None:
    assert asks_former(question) is former


@pytest.mark.parametrize(
    ("question", "first"),
    [("what is my plate", "new"), ("what was my old plate", "old"), ("my plate please", "new")],
)
def test_what_holds_comes_first_unless_what_was_is_asked_for(question: str, first: str) -> None:
    index = Index()
    index.add(
        [
            Entry(id="old", kind="turn", text="the plate is an old R7K 22M", call="c1", status="superseded"),
            Entry(id="new", kind="turn", text="the plate on the new one is now TKO 51A", call="c2"),
        ]
    )
    hits = index.search(Query(text=question, floor=False))
    assert hits[0].entry.id == first
    assert len(hits) == 2


def call(name: str, day: int, *turns: tuple[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {
            "type": "call_started", "call": name, "at": f"2026-03-{day:02}T10:00:00+00:00", "timezone": "UTC",
            "caller": "+15551230001", "how": "verified", "direction": "inbound",
        }
    ]  # fmt: skip
    for n, (text, facts) in enumerate(turns):
        t = 10.0 * n
        lines += [
            {"type": "user_final", "t": t + 2, "started": t + 1, "id": f"u{n}", "text": text},
            {"type": "turn_ended", "t": t + 2.2},
        ]
        if facts:
            answer = json.dumps({"facts": facts})
            lines.append(
                {
                    "type": "model_answer", "t": t + 2.3, "purpose": "extract", "text": answer,
                    "finish": "stop", "delay": 0.1,
                }
            )  # fmt: skip
        lines.append({"type": "reply_started", "t": t + 3, "reply": f"r{n}"})
        lines.append({"type": "reply_ended", "t": t + 4, "reply": f"r{n}", "interrupted": False})
    return [*lines, {"type": "call_ended", "t": 10.0 * len(turns), "reason": "hangup"}]


def learned(key: str, value: str, quote: str) -> dict[str, Any]:
    return {"key": key, "value": value, "text": quote, "quote": quote, "op": "set", "subject": "caller",
            "explicit": True, "importance": 0.5}  # fmt: skip


async def test_a_later_call_is_told_which_of_its_recalled_turns_no_longer_hold() -> None:
    lines = [
        *call(
            "c1",
            1,
            (
                "collect the car at Birch Lane",
                [learned("pickup", "Birch Lane", "collect the car at Birch Lane")],
            ),
            (
                "text me about the car, and the spare key is under the mat",
                [
                    learned("contact", "text", "text me about the car"),
                    learned("spare_key", "under the mat", "the spare key is under the mat"),
                ],
            ),
        ),
        *call(
            "c2",
            3,
            (
                "collect the car at Mill Road",
                [learned("pickup", "Mill Road", "collect the car at Mill Road")],
            ),
            ("phone me about the car", [learned("contact", "phone", "phone me about the car")]),
        ),
        *call("c3", 9, ("where do you collect the car", []), ("what about the spare key for the car", [])),
    ]
    report = await replay([json.dumps(line) for line in lines], embedder=None)
    assert report["errors"] == []
    told = [
        [line.partition("] ")[2] for line in text.splitlines() if line.startswith("[recall.")]
        for text in report["calls"][2]["briefings"]
    ]
    assert "From 2026-03-03: collect the car at Mill Road" in told[0]
    assert "From 2026-03-01: collect the car at Birch Lane" not in told[0]
    old = "From 2026-03-01, in part no longer so: text me about the car, and the spare key is under the mat"
    assert old in told[1]
    for lines_told in told:
        for line in lines_told:
            assert "Birch Lane" not in line or "no longer so: " in line
            assert "text me" not in line or "no longer so: " in line
