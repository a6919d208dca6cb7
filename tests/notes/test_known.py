"""What earlier calls told is confirmed where it is needed, never asked for again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.notes.book import Notes
from pipecat_memory.notes.known import Known, known_before
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.next_step import next_step
from pipecat_memory.records.schema import MemorySchema, Slot
from pipecat_memory.records.summary import OpenItem
from pipecat_memory.replay import replay
from tests.notes.talk import AT, held, opened, say, values

TABLE = MemorySchema(
    (
        Slot("name", "name", required=True),
        Slot("party_size", "quantity", required=True),
        Slot("date", "date", required=True),
        Slot("area", values=["inside", "outside"]),
        Slot("pin", "digits", secret=True),
        Slot("extras", "list"),
    )
)
NOW = Moment(AT, "UTC")
FRIDAY, SATURDAY = "2026-12-04", "2026-12-05"
LEFT = OpenItem(title="table", slots={"party_size": 4, "date": FRIDAY}, due=FRIDAY)


def knowing(profile: dict[str, Any], *left_open: OpenItem) -> Notes:
    return opened(TABLE, profile=profile, known=known_before(TABLE, profile, left_open, NOW))


def test_what_is_known_is_confirmed_and_what_is_not_is_asked() -> None:
    notes = knowing({"name": "Anna Schmidt"})
    assert next_step(notes).report() == {"action": "confirm", "slot": "name", "reason": "known_before"}
    assert values(notes) == {}
    notes = say(notes, "yes", "Is that still Anna Schmidt?", asked=next_step(notes))
    assert (held(notes, "name").value, held(notes, "name").confidence) == ("Anna Schmidt", "confirmed")
    assert next_step(notes).report() == {"action": "ask_slot", "slot": "party_size", "reason": "required"}


@pytest.mark.parametrize("agent", ["Still the same name?", "Am I speaking to Anna Schmidt?"])
def test_a_yes_takes_it_however_it_was_asked(agent: str) -> None:
    notes = knowing({"name": "Anna Schmidt"})
    assert values(say(notes, "yes", agent, asked=next_step(notes))) == {"name": "Anna Schmidt"}


def test_a_no_makes_it_asked() -> None:
    notes = knowing({"name": "Anna Schmidt"})
    notes = say(notes, "no", "Is that still Anna Schmidt?", asked=next_step(notes))
    assert values(notes) == {}
    assert next_step(notes).report() == {"action": "ask_slot", "slot": "name", "reason": "required"}


def test_another_value_stands_for_what_was_known() -> None:
    notes = knowing({"name": "Anna Schmidt"})
    notes = say(notes, "no, Maria Lopez", "Is that still Anna Schmidt?", asked=next_step(notes))
    assert values(notes) == {"name": "Maria Lopez"}


def test_a_matter_left_open_holds_together() -> None:
    notes = say(knowing({}, LEFT), "my name is Anna Schmidt")
    assert next_step(notes).report() == {"action": "confirm", "slot": "party_size", "reason": "known_before"}
    agreed = say(notes, "yes", "Still for four?", asked=next_step(notes))
    assert next_step(agreed).report() == {"action": "confirm", "slot": "date", "reason": "known_before"}
    denied = say(notes, "no", "Still for four?", asked=next_step(notes))
    denied = say(denied, "two people", "How many then?", asked=next_step(denied))
    assert next_step(denied).report() == {"action": "ask_slot", "slot": "date", "reason": "required"}
    another = say(notes, "a table for two people")
    assert next_step(another).report() == {"action": "ask_slot", "slot": "date", "reason": "required"}
    same = say(notes, "a table for four people")
    assert next_step(same).report() == {"action": "confirm", "slot": "date", "reason": "known_before"}


def test_another_voice_denies_nothing() -> None:
    notes = knowing({"name": "Anna Schmidt"})
    notes = say(notes, "no", "Is that still Anna Schmidt?", asked=next_step(notes), is_caller=False)
    assert next_step(notes).reason == "known_before"


KNOWN: list[tuple[dict[str, Any], tuple[OpenItem, ...], dict[str, Any]]] = [
    ({"name": "Anna", "pin": "1234", "extras": "cake", "shoe_size": "40"}, (), {"name": "Anna"}),
    ({"area": "Outside", "party_size": "four"}, (), {"area": "outside", "party_size": 4}),
    ({"area": "on the roof"}, (), {}),
    ({"date": "2026-11-01"}, (), {}),
    ({}, (OpenItem(title="old", slots={"party_size": 2}, due="2026-11-29"),), {}),
    ({}, (OpenItem(title="old", slots={"party_size": 2}), LEFT), {"party_size": 4, "date": FRIDAY}),
    (
        {"name": "Anna"},
        (LEFT, OpenItem(title="call back")),
        {"name": "Anna", "party_size": 4, "date": FRIDAY},
    ),
]


@pytest.mark.parametrize(("profile", "left_open", "expected"), KNOWN)
def test_only_what_fits_the_schema_and_still_lies_ahead(
    profile: dict[str, Any], left_open: tuple[OpenItem, ...], expected: dict[str, Any]
) -> None:
    assert known_before(TABLE, profile, left_open, NOW).values == expected


def test_knowing_nothing_is_the_same_after_anything() -> None:
    assert Known().after({}, "name") == Known()


async def _two_calls(how: str, *second: str) -> dict[str, Any]:
    def call(id: str, day: int, texts: tuple[str, ...]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"type": "call_started", "call": id, "at": f"2026-12-0{day}T09:00:00Z", "caller": "+15551230001",
             "how": how, "timezone": "UTC", "schema": TABLE.report()}
        ]  # fmt: skip
        for turn, text in enumerate(texts, 1):
            reply = {"t": turn * 10 + 2, "reply": f"{id}{turn}"}
            rows += [
                {"type": "user_final", "t": turn * 10, "text": text},
                {"type": "turn_ended", "t": turn * 10 + 1},
                {"type": "reply_started", **reply},
                {"type": "reply_text", **reply, "text": "I see."},
                {"type": "reply_ended", **reply, "interrupted": False},
            ]
        return [*rows, {"type": "call_ended", "t": 90, "reason": "hangup"}]

    first = ("my name is Anna Schmidt, a table for four people outside",)
    lines = [*call("one", 1, first), *call("two", 2, second)]
    return await replay([json.dumps(line) for line in lines], embedder=None)


async def test_the_next_call_confirms_what_the_last_one_left_open() -> None:
    report = await _two_calls("verified", "hello, it's me again")
    one, two = report["calls"]
    assert one["summary"]["open_items"] == ["party size 4, area outside"]
    assert [(step["action"], step["slot"]) for step in two["next"]] == [("confirm", "name")]
    assert two["state"]["slots"] == {}


async def test_a_weak_identity_confirms_only_what_the_title_tells() -> None:
    (_, two) = (await _two_calls("number", "hello", "my name is Anna Schmidt"))["calls"]
    steps = [(step["action"], step["slot"]) for step in two["next"]]
    assert steps == [("ask_slot", "name"), ("confirm", "party_size")]
