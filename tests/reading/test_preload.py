"""What each identity strength may see (design rule 10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pipecat_memory.reading.preload import Known, Unsettled, is_stale, visible
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.caller import Caller
from pipecat_memory.records.fact import Fact
from pipecat_memory.records.profile import Profile
from pipecat_memory.records.summary import OpenItem, Summary

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def fact(key: str, value: Any, **more: Any) -> Fact:
    fields: dict[str, Any] = {
        "id": key,
        "kind": "fact",
        "key": key,
        "value": value,
        "text": f"{key} is {value}",
        "status": "current",
        "speaker": None,
        "language": "en",
        "valid_from": "2026-01-01T00:00:00+00:00",
        "valid_to": None,
        "call": "c0",
        "turn": 1,
        "quote": str(value),
        "seen": 1,
        "importance": 0.5,
    }
    return Fact(**(fields | more))


def unsettled(minutes_ago: float) -> Unsettled:
    at = NOW - timedelta(minutes=minutes_ago)
    slot = SlotValue("2026-03-05", "Thursday", "confirmed", 1, at.isoformat())
    return Unsettled(call="c9", started=at, last_event=at, history=(), slots={"date": slot})


PROFILE = Profile(
    facts=(
        fact("name", "Ana Ruiz"),
        fact("preference", "window seat", kind="preference"),
        fact("preference_medical", "no needles", kind="preference", sensitive=True),
        fact("allergy", "peanuts"),
        fact("old", "gone", status="superseded"),
    ),
    summaries=(Summary(call="c0", text="Booked a table.", outcome="completed", resolved=True),),
    open_items=(OpenItem(title="Table for four, Thursday", slot="date", value="2026-03-05"),),
    last_heard="2026-02-01T00:00:00+00:00",
)


@pytest.mark.parametrize(
    ("caller", "name", "facts", "summary", "items", "recall"),
    [
        (Caller.nobody(), None, [], False, 0, False),
        (Caller.phone("+15551230001"), "Ana", ["preference"], False, 1, False),
        (Caller.phone("+15551230001", how="claimed"), "Ana", ["preference"], False, 1, False),
        (
            Caller.phone("+15551230001", how="verified"),
            "Ana",
            ["name", "preference", "preference_medical", "allergy"],
            True,
            1,
            True,
        ),
    ],
)
def test_strength_decides_what_is_seen(
    caller: Caller, name: str | None, facts: list[str], summary: bool, items: int, recall: bool
) -> None:
    seen = visible(Known(profile=PROFILE), caller, now=NOW, resume_within=300)
    assert seen.name == name
    assert [f.key for f in seen.facts] == facts
    assert (seen.summary is not None) == summary
    assert len(seen.open_items) == items
    assert seen.recall == recall


def test_a_weak_identity_reads_titles_of_open_items_only() -> None:
    seen = visible(Known(profile=PROFILE), Caller.phone("+15551230001"), now=NOW, resume_within=300)
    assert [(item.title, item.value) for item in seen.open_items] == [("Table for four, Thursday", None)]


def test_several_people_at_one_number_are_greeted_neutrally() -> None:
    known = Known(profile=PROFILE, people=("", "bob"))
    seen = visible(known, Caller.phone("+15551230001"), now=NOW, resume_within=300)
    assert seen.name is None
    assert seen.facts == ()


def test_a_number_unheard_for_long_counts_as_claimed() -> None:
    caller = Caller.phone("+15551230001", how="verified")
    seen = visible(Known(profile=PROFILE), caller, now=NOW, resume_within=300, stale_number=True)
    assert seen.summary is None
    assert is_stale(PROFILE, NOW + timedelta(days=400), 365)
    assert not is_stale(PROFILE, NOW, 365)


@pytest.mark.parametrize(("minutes", "goes_on"), [(1, True), (4.9, True), (6, False)])
def test_a_dropped_call_goes_on_for_minutes(minutes: float, goes_on: bool) -> None:
    known = Known(unsettled=(unsettled(minutes),))
    seen = visible(known, Caller.phone("+15551230001"), now=NOW, resume_within=300)
    assert (seen.dropped is not None) == goes_on
    assert seen.raw == ()


def test_nobody_reads_nothing_of_a_dropped_call() -> None:
    known = Known(profile=PROFILE, unsettled=(unsettled(1),))
    assert visible(known, Caller.nobody(), now=NOW, resume_within=300).dropped is None


def test_a_weak_identity_gets_the_values_of_an_open_item_that_its_title_tells() -> None:
    item = OpenItem(title="table, party size 4", slots={"party_size": 4, "allergy": "nuts", "floor": "art"})
    known = Known(profile=Profile(open_items=(item,)))
    weak = visible(known, Caller.phone("+15551230001"), now=NOW, resume_within=600)
    assert weak.open_items == (OpenItem(title="table, party size 4", slots={"party_size": 4}),)
    sure = visible(known, Caller.phone("+15551230001", how="verified"), now=NOW, resume_within=600)
    assert sure.open_items == (item,)
