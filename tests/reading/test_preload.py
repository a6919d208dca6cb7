"""What each identity strength may see (design rule 10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pipecat_memory.reading.preload import Known, Unsettled, is_stale, visible
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.caller import Caller, How, Strength
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


def unsettled(minutes_ago: float, **more: Any) -> Unsettled:
    at = NOW - timedelta(minutes=minutes_ago)
    held = {"date": "2026-03-05", "email": "ana@example.org", "diagnosis": "asthma"}
    slots = {name: SlotValue(v, f"it is {v}", "confirmed", 1, at.isoformat()) for name, v in held.items()}
    fields: dict[str, Any] = {"broke_off": True, "strength": Strength.WEAK}
    return Unsettled(
        call="c9",
        started=at,
        last_event=at,
        history=(),
        slots=slots,
        sensitive=frozenset({"diagnosis"}),
        personal=frozenset({"email"}),
        **(fields | more),
    )


PROFILE = Profile(
    facts=(
        fact("name", "Ana Ruiz"),
        fact("preference", "window seat", kind="preference"),
        fact("preference_medical", "no needles", kind="preference", sensitive=True),
        fact("allergy", "peanuts"),
        fact("old", "gone", status="superseded"),
    ),
    summaries=(Summary(call="c0", text="Booked a table.", outcome="completed", resolved=True),),
    open_items=(
        OpenItem(title="Table for her gout", plain="table, Thursday", slot="date", value="2026-03-05"),
    ),
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
    assert [(item.title, item.value) for item in seen.open_items] == [("table, Thursday", None)]


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


@pytest.mark.parametrize("how", ["number", "verified"])
@pytest.mark.parametrize("broke_off", [True, False, None])
def test_only_a_call_that_broke_off_goes_on(broke_off: bool | None, how: How) -> None:
    known = Known(unsettled=(unsettled(1, broke_off=broke_off),))
    seen = visible(known, Caller.phone("+15551230001", how=how), now=NOW, resume_within=300)
    goes_on = broke_off or (broke_off is None and how == "verified")
    assert (seen.dropped is not None) == goes_on


@pytest.mark.parametrize("how", ["number", "verified"])
def test_a_stronger_calls_notes_go_on_weakly_as_its_business_unconfirmed(how: How) -> None:
    known = Known(unsettled=(unsettled(1, strength=Strength.VERIFIED),))
    seen = visible(known, Caller.phone("+15551230001", how=how), now=NOW, resume_within=300)
    assert seen.dropped is not None
    standing = {name: held.confidence for name, held in seen.dropped.slots.items()}
    everything = dict.fromkeys(("date", "email", "diagnosis"), "confirmed")
    assert standing == (everything if how == "verified" else {"date": "inferred"})


def test_nobody_reads_nothing_of_a_dropped_call() -> None:
    known = Known(profile=PROFILE, unsettled=(unsettled(1),))
    assert visible(known, Caller.nobody(), now=NOW, resume_within=300).dropped is None


def test_a_weak_identity_gets_the_values_of_an_open_item_that_its_title_tells() -> None:
    slots = {"party_size": 4, "allergy": "nuts", "floor": "art"}
    item = OpenItem(title="for the wedding", plain="table, party size 4", slots=slots)
    known = Known(profile=Profile(open_items=(item,)))
    weak = visible(known, Caller.phone("+15551230001"), now=NOW, resume_within=600)
    (told,) = weak.open_items
    assert (told.title, told.slots) == ("table, party size 4", {"party_size": 4})
    sure = visible(known, Caller.phone("+15551230001", how="verified"), now=NOW, resume_within=600)
    assert sure.open_items == (item,)
