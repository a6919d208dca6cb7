"""Recordings that an outside checker would write against the contract."""

from __future__ import annotations

import json
from typing import Any

from pipecat_memory.replay import replay


def _recording(*events: dict[str, Any]) -> list[str]:
    start = {"type": "call_started", "t": 0, "call": "a", "at": "2026-03-02T10:00:00+00:00"}
    return [json.dumps(e) for e in ({**start, "caller": "+351912345678", "timezone": "UTC"}, *events)]


async def _profile(*events: dict[str, Any]) -> list[dict[str, Any]]:
    report = await replay(_recording(*events), embedder=None)
    return report["profiles"]["+351912345678"]


async def test_asked_about_is_no_fact() -> None:
    over = ({"type": "turn_ended", "t": 2}, {"type": "call_ended", "t": 3, "reason": "hangup"})
    asked = {"type": "user_final", "t": 1, "text": "am I allergic to walnuts?"}
    said = {"type": "user_final", "t": 1, "text": "I am allergic to walnuts"}
    assert await _profile(asked, *over) == []
    assert [fact["value"] for fact in await _profile(said, *over)] == ["walnuts"]


async def test_a_killed_call_keeps_its_open_turn() -> None:
    said = {"type": "user_final", "t": 1, "text": "my name is Wren Hollis"}
    report = await replay(_recording(said), embedder=None)
    (item,) = report["calls"][0]["history"]
    assert (item["text"], item["incomplete"]) == (said["text"], True)
    assert [fact["value"] for fact in report["profiles"]["+351912345678"]] == ["Wren Hollis"]
