"""Whose words they are: another voice, a machine, and answers to another question leave no fact."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.replay import replay

NUMBER = "+351912345678"


async def _replayed(*events: dict[str, Any], **start: Any) -> dict[str, Any]:
    opening = {"type": "call_started", "call": "a", "at": "2026-03-02T10:00:00+00:00", "caller": NUMBER}
    over = {"type": "call_ended", "t": 60, "reason": "hangup"}
    lines = [
        {**opening, "how": "verified", "timezone": "UTC", "direction": "inbound", **start},
        *events,
        over,
    ]
    return await replay([json.dumps(line) for line in lines], embedder=None)


def _said(t: float, text: str, speaker: str | None = None) -> list[dict[str, Any]]:
    final = {"type": "user_final", "t": t, "text": text} | ({"speaker": speaker} if speaker else {})
    return [final, {"type": "turn_ended", "t": t + 0.5}]


def _asked(t: float, text: str) -> list[dict[str, Any]]:
    return [
        {"type": "reply_started", "t": t, "reply": f"r{t}"},
        {"type": "reply_text", "t": t, "reply": f"r{t}", "text": text},
        {"type": "reply_heard", "t": t, "reply": f"r{t}", "text": text},
        {"type": "reply_ended", "t": t, "reply": f"r{t}", "interrupted": False},
    ]


def _facts(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(f["key"], f["value"], f["status"], f["speaker"]) for f in report["profiles"][NUMBER]]


JOINED = {"type": "party", "t": 2, "event": "joined", "role": "other", "speaker": "B"}
EXTRACT = {
    "facts": [{"key": "allergy", "value": "nuts", "text": "allergic to nuts", "quote": "allergic to nuts",
               "op": "set", "subject": "caller", "explicit": True}],
    "slots": [{"name": "allergies", "value": "nuts", "quote": "allergic to nuts", "explicit": True}],
}  # fmt: skip


@pytest.mark.parametrize("told", ["before the words", "after the words"])
async def test_who_was_introduced_as_another_is_not_the_caller(told: str) -> None:
    words = _said(3, "I'm allergic to nuts", "B")
    report = await _replayed(*([JOINED, *words] if told == "before the words" else [*words, JOINED]))
    assert _facts(report) == []
    held = report["calls"][0]["state"]["slots"]["allergies"]
    assert (held["value"], held["confidence"]) == (["nuts"], "pending")
    assert "nuts" not in report["calls"][0]["summary"]["text"].split("Noted")[0]


async def test_what_a_model_finds_in_their_words_waits_too() -> None:
    found = {"type": "model_answer", "t": 4, "purpose": "extract", "text": json.dumps(EXTRACT),
             "finish": "stop", "delay": 0.1}  # fmt: skip
    report = await _replayed(JOINED, *_said(3, "I'm allergic to nuts", "B"), found)
    assert _facts(report) == [("allergy", "nuts", "pending", "B")]
    assert report["calls"][0]["state"]["slots"]["allergies"]["confidence"] == "pending"


async def test_two_voices_in_one_turn_are_told_apart() -> None:
    first = {"type": "user_final", "t": 1, "text": "I'm allergic to peanuts", "speaker": "s0"}
    report = await _replayed(first, *_said(2, "my name is Rolf Berg", "s1"))
    assert _facts(report) == [("allergy", "peanuts", "current", "s0")]
    assert list(report["calls"][0]["state"]["slots"]) == ["allergies"]


@pytest.mark.parametrize("found", ["before its words", "after its words"])
async def test_a_machine_tells_nothing_of_the_person(found: str) -> None:
    machine = {"type": "machine_detected", "t": 2, "kind": "voicemail"}
    words = _said(3, "you have reached Otto Smith, my number is 415 555 0177")
    text = json.dumps({"facts": [EXTRACT["facts"][0] | {"quote": "you have reached Otto Smith"}]})
    answer = {
        "type": "model_answer",
        "t": 4,
        "purpose": "extract",
        "text": text,
        "finish": "stop",
        "delay": 0.1,
    }
    events = [machine, *words, answer] if found == "before its words" else [*words, answer, machine]
    report = await _replayed(*events, direction="outbound")
    assert _facts(report) == []
    assert report["calls"][0]["state"]["slots"] == {}
    assert report["calls"][0]["summary"]["open_items"] == []


@pytest.mark.parametrize(
    "words",
    [
        "call me Vee",
        "my name is Tom Price",
        "it's for Friday at eight",
        "we are four people",
        "my number is 415 555 0132",
        "let me think",
        "I need a taxi to the station",
        "I'd like a high chair, please",
    ],
)
async def test_who_answers_something_else_has_no_allergy(words: str) -> None:
    report = await _replayed(*_said(1, "hi"), *_asked(2, "Do you have any allergies?"), *_said(4, words))
    assert "allergies" not in report["calls"][0]["state"]["slots"]
    assert [fact for fact in _facts(report) if fact[0] == "allergy"] == []


async def test_who_names_them_has() -> None:
    asked = _asked(2, "Do you have any allergies?")
    report = await _replayed(*_said(1, "hi"), *asked, *_said(4, "walnuts, soy and call me Vee"))
    held = report["calls"][0]["state"]["slots"]
    assert (held["allergies"]["value"], held["preferred_name"]["value"]) == (["walnuts", "soy"], "Vee")


async def test_who_answers_an_outbound_call_is_claimed() -> None:
    told = _said(1, "my name is Marta Olsen and I'm allergic to nuts")
    ended = {"type": "call_ended", "t": 20, "reason": "hangup"}
    again = {"type": "call_started", "call": "b", "at": "2026-03-03T10:00:00+00:00", "caller": NUMBER,
             "how": "verified", "timezone": "UTC", "direction": "outbound"}  # fmt: skip
    proved = {"type": "caller_identified", "t": 4, "caller": NUMBER, "how": "verified"}
    report = await _replayed(*told, ended, again, *_asked(2, "Hello."), proved, *_asked(6, "Hello again."))
    before, after = report["calls"][1]["briefings"]
    assert "Marta" in before
    assert "nuts" not in before
    assert "nuts" in after


@pytest.mark.parametrize("path", ["", "name", "/slots/nope", "/history/0", "/slots/na~1me"])
async def test_a_correction_that_leads_nowhere_is_reported(path: str) -> None:
    mended = {"type": "corrected", "t": 2, "path": path, "value": "Lina", "by": "operator"}
    report = await _replayed(*_said(1, "my name is Lena"), mended)
    assert [(e["line"], e["kind"]) for e in report["errors"]] == [(4, "wrong_value")]
    assert report["calls"][0]["state"]["slots"]["name"]["value"] == "Lena"


@pytest.mark.parametrize(
    ("words", "quote"),
    [
        ("sorry that was my brother, he is diabetic not me", "he is diabetic not me"),
        ("I'm not diabetic, that was my brother", "I'm not diabetic"),
        ("that was my brother, not me", "that was my brother, not me"),
        ("it's my brother who is diabetic", "it's my brother who is diabetic"),
        ("no, it is my little sister who is diabetic", "it is my little sister who is diabetic"),
    ],
)
async def test_what_was_somebody_elses_is_taken_back_by_the_model(words: str, quote: str) -> None:
    def answer(t: float, quote: str, op: str) -> dict[str, Any]:
        found = {"key": "condition", "value": "diabetic", "text": "is diabetic", "quote": quote, "op": op,
                 "subject": "caller", "explicit": True}  # fmt: skip
        text = json.dumps({"facts": [found]})
        return {
            "type": "model_answer",
            "t": t,
            "purpose": "extract",
            "text": text,
            "finish": "stop",
            "delay": 0,
        }

    first = [*_said(1, "I'm diabetic"), answer(2, "I'm diabetic", "set")]
    report = await _replayed(*first, *_said(5, words), answer(6, quote, "retract"))
    assert _facts(report) == [("condition", "diabetic", "retracted", None)]
