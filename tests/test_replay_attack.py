"""Recordings that an outside checker would write against the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.replay import replay


def _recording(*events: dict[str, Any]) -> list[str]:
    start = {"type": "call_started", "t": 0, "call": "a", "at": "2026-03-02T10:00:00+00:00"}
    return [json.dumps(e) for e in ({**start, "caller": "+351912345678", "timezone": "UTC"}, *events)]


async def _profile(*events: dict[str, Any]) -> list[dict[str, Any]]:
    report = await replay(_recording(*events), embedder=None)
    return report["profiles"]["+351912345678"]


OVER = ({"type": "turn_ended", "t": 2}, {"type": "call_ended", "t": 3, "reason": "hangup"})
NO_FACT = [
    "am I allergic to walnuts?",
    "am i allergic to walnuts",
    "do you know if i am allergic to walnuts",
    "is my number four one five five five five oh one three two",
    "have I told you that I'm allergic to walnuts",
    "could it be that I'm allergic to walnuts",
    "what if I were allergic to walnuts",
    "my friend is allergic to walnuts",
    "my wife says I'm allergic to walnuts",
    "my wife's number is 415 555 0132",
    "¿soy alérgica a las nueces?",
    "no sé si soy alérgica a las nueces",
    "bin ich allergisch gegen Nüsse",
    "meine Mutter ist allergisch gegen Nüsse",
    "我对花生过敏吗",
    "我朋友对花生过敏",
]


@pytest.mark.parametrize("text", NO_FACT)
async def test_asked_supposed_or_reported_is_no_fact(text: str) -> None:
    assert await _profile({"type": "user_final", "t": 1, "text": text}, *OVER) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I am allergic to walnuts", "walnuts"),
        ("I am allergic to walnuts, is that a problem?", "walnuts"),
        ("maybe I am allergic to walnuts", "walnuts"),
        ("ich bin allergisch gegen Nüsse", "nüsse"),
        ("我对花生过敏", "花生"),
    ],
)
async def test_what_the_caller_states_is_one(text: str, value: str) -> None:
    facts = await _profile({"type": "user_final", "t": 1, "text": text}, *OVER)
    assert [fact["value"] for fact in facts] == [value]


async def test_a_killed_call_keeps_its_open_turn() -> None:
    said = {"type": "user_final", "t": 1, "text": "my name is Wren Hollis"}
    report = await replay(_recording(said), embedder=None)
    (item,) = report["calls"][0]["history"]
    assert (item["text"], item["incomplete"]) == (said["text"], True)
    assert [fact["value"] for fact in report["profiles"]["+351912345678"]] == ["Wren Hollis"]
