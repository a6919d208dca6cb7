"""What one call told and a later one denies stands no longer, in any of the languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.replay import replay

DENIED = [
    ("I'm allergic to milk", "I used to be allergic to milk"),
    ("I'm allergic to nuts", "I'm no longer allergic to nuts"),
    ("ich bin allergisch gegen Nüsse", "ich bin nicht mehr allergisch gegen Nüsse"),
    ("soy alérgica a las nueces", "ya no soy alérgica a las nueces"),
    ("soy alérgica a la leche", "antes era alérgica a la leche"),
    ("je suis allergique aux noix", "je ne suis plus allergique aux noix"),
    ("je suis allergique au lait", "j'étais allergique au lait avant"),
    ("我对坚果过敏", "我对坚果已经不过敏了"),
    ("我对牛奶过敏", "我以前对牛奶过敏"),
]


def call(number: int, text: str) -> list[dict[str, Any]]:
    return [
        {"type": "call_started", "call": f"c{number}", "at": f"2026-03-0{number}T10:00:00Z",
         "caller": "+12025550142", "how": "verified"},
        {"type": "user_final", "t": 3, "started": 2, "text": text},
        {"type": "turn_ended", "t": 4},
        {"type": "call_ended", "t": 9, "reason": "hangup"},
    ]  # fmt: skip


@pytest.mark.parametrize(("told", "denied"), DENIED, ids=[one[1] for one in DENIED])
async def test_a_denial_in_a_later_call_retracts_the_fact(told: str, denied: str) -> None:
    lines = [json.dumps(event) for event in (*call(1, told), *call(2, denied))]
    report = await replay(lines, embedder=None)
    [facts] = report["profiles"].values()
    assert [(fact["status"], fact["seen"]) for fact in facts] == [("retracted", 1)]
