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


def _call(id: str, *events: dict[str, Any], **started: Any) -> list[str]:
    head = {
        "type": "call_started",
        "call": id,
        "at": "2026-11-30T10:00:00+00:00",
        "timezone": "UTC",
        **started,
    }
    return [json.dumps(event) for event in (head, *events)]


def _turns(*texts: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for turn, text in enumerate(texts, 1):
        reply = {"t": turn * 10 + 2, "reply": f"r{turn}"}
        rows += [
            {"type": "user_final", "t": turn * 10, "text": text},
            {"type": "turn_ended", "t": turn * 10 + 1},
            {"type": "reply_started", **reply},
            {"type": "reply_text", **reply, "text": "I see."},
            {"type": "reply_ended", **reply, "interrupted": False},
        ]
    return rows


HANGUP = {"type": "call_ended", "t": 99, "reason": "hangup"}


@pytest.mark.parametrize(
    "schema",
    [
        {"version": 99, "slots": []},
        {"slots": [{"name": "date", "type": "wormhole"}]},
        {"slots": [{"name": "a", "depends_on": ["b"]}]},
        {"slots": "many"},
    ],
)
async def test_a_bad_schema_is_one_error_and_the_call_goes_on_with_the_default_one(schema: Any) -> None:
    lines = _call("a", *_turns("Thursday please"), HANGUP, caller="+351912345678", schema=schema)
    report = await replay(lines, embedder=None)
    assert [(error["line"], error["kind"]) for error in report["errors"]] == [(1, "wrong_value")]
    (call,) = report["calls"]
    assert call["state"]["slots"]["date"]["value"] == "2026-12-03"
    assert call["outcome"] == "completed"


async def test_what_follows_a_broken_start_is_not_put_into_the_call_before() -> None:
    first = _call("a", *_turns("my name is Wren Hollis"), caller="+351912345678")
    broken = _call("b", *_turns("my name is Ida Quill"), caller="+351912345679", timezone="Nowhere/Land")
    third = _call("c", *_turns("my name is Max Orr"), HANGUP, caller="+351912345670")
    report = await replay([*first, *broken, *third], embedder=None)
    assert [call["call"] for call in report["calls"]] == ["a", "c"]
    assert "Ida" not in json.dumps(report)
    kinds = [error["kind"] for error in report["errors"]]
    assert kinds == ["wrong_value", *["no_call"] * 5]


DEPENDING = {
    "version": 1,
    "slots": [
        {"name": "day", "type": "date"},
        {"name": "time", "type": "time", "depends_on": ["day"], "required": True},
    ],
}


async def test_what_a_change_reopened_is_kept_as_a_guess_and_asked_next_time() -> None:
    more: dict[str, Any] = {"caller": "+351912345678", "how": "verified", "schema": DEPENDING}
    first = _call("a", *_turns("Thursday at 7 pm", "no, Friday"), HANGUP, **more)
    again = _call("b", *_turns("hello"), HANGUP, **more | {"at": "2026-11-30T12:00:00+00:00"})
    one, two = (await replay([*first, *again], embedder=None))["calls"]
    assert one["next"][1] == {"action": "confirm", "slot": "time", "reason": "waits_for_yes"}
    assert (one["state"]["slots"]["time"]["value"], one["state"]["slots"]["time"]["confidence"]) == (
        "19:00",
        "inferred",
    )
    steps = [(c["before"], c["after"]) for c in one["changes"] if c["path"] == "/slots/time/confidence"]
    assert steps == [("confirmed", "pending"), ("pending", "inferred")]
    assert one["summary"]["open_items"] == ["confirm time: 19:00"]
    assert two["next"] == [{"action": "confirm", "slot": "day", "reason": "known_before"}]


async def test_a_soft_change_of_mind_names_both_values_and_the_answer_settles_it() -> None:
    lines = _call(
        "a", *_turns("Thursday please", "maybe Friday would be better"), HANGUP, caller="+351912345678"
    )
    (call,) = (await replay(lines, embedder=None))["calls"]
    held = call["state"]["slots"]["date"]
    assert (held["value"], held["asked"]) == ("2026-12-03", "2026-12-04")
    (question,) = call["state"]["questions"]
    assert "2026-12-03" in question
    assert "2026-12-04" in question
    assert call["next"][1] == {"action": "confirm", "slot": "date", "reason": "two_values"}
    assert "2026-12-04" in call["briefings"][1]


async def test_a_correction_by_a_person_is_logged_with_who_made_it() -> None:
    mended = {"type": "corrected", "t": 50, "path": "/slots/date", "value": "2026-12-05", "by": "desk"}
    lines = _call("a", *_turns("Thursday please"), mended, HANGUP, caller="+351912345678")
    (call,) = (await replay(lines, embedder=None))["calls"]
    assert call["state"]["slots"]["date"]["confidence"] == "confirmed"
    (change,) = [c for c in call["changes"] if c["cause"]["by"] == "operator"]
    assert (change["path"], change["before"], change["after"]) == (
        "/slots/date/value",
        "2026-12-03",
        "2026-12-05",
    )


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"call_started","call":"b","at":"2026-03-02T11:00:00Z","caller":"+351912345679","x_a":'
        + DEEP
        + "}",
        '{"type":"call_started","call":"b","at":"2026-03-02T11:00:00Z","caller":"+3519',
        '{"call":"b", "type" : "call_started", ',
    ],
)
async def test_what_follows_an_opening_that_cannot_be_read_is_nobodys(line: str) -> None:
    mine = _recording({"type": "call_ended", "t": 1, "reason": "hangup"})
    theirs = json.dumps({"type": "user_final", "t": 2, "text": "I'm allergic to walnuts"})
    report = await replay([*mine, line, theirs, json.dumps(OVER[0])], embedder=None)
    assert [c["history"] for c in report["calls"]] == [[]]
    assert report["profiles"].get("+351912345678", []) == []
    assert [(e["line"], e["kind"]) for e in report["errors"]] == [
        (3, "malformed"),
        (4, "no_call"),
        (5, "no_call"),
    ]


@pytest.mark.parametrize("levels", [100, 400, 900])
async def test_a_value_nested_too_deeply_is_set_aside_and_the_call_goes_on(levels: int) -> None:
    deep = "[" * levels + "]" * levels
    said = [json.dumps(e) for e in ({"type": "user_final", "t": 1, "text": "hello"}, *OVER)]
    lines = [
        '{"type":"tool_called","t":0,"id":"a","name":"b","args":{"a":' + deep + "}}",
        '{"type":"corrected","t":0,"path":"/slots/name","by":"operator","value":' + deep + "}",
        '{"type":"documents","t":0,"docs":[{"id":"a","text":"x","fields":{"a":' + deep + "}}]}",
    ]
    report = await replay([*_recording(), *lines, *said], embedder=None)
    assert [h["text"] for h in report["calls"][0]["history"]] == ["hello"]
    assert [(e["line"], e["kind"]) for e in report["errors"]] == [(n, "wrong_value") for n in (2, 3, 4)]
