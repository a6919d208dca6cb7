"""The head of a profile tells a first reply what the whole of it would, to whoever calls."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.reading.lines import stable_lines
from pipecat_memory.reading.preload import Known, Visible, visible
from pipecat_memory.records.caller import Caller
from pipecat_memory.records.fact import Fact
from pipecat_memory.records.head import ASKED, FACTS, Head, head_of
from pipecat_memory.records.profile import Profile
from pipecat_memory.records.summary import OpenItem, Summary

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
KEYS = ("name", "preferred_name", "first_name", "preferred_seat", "likes", "allergy", "city", "phone")
WHO = [Caller.phone("+15551230001", how=how) for how in ("number", "claimed", "verified")]
SUMMARIES = tuple(
    Summary(call=f"c{n}", text=f"Call {n}.", outcome="completed", resolved=True, at=f"2026-01-0{n}")
    for n in (1, 2)
)


def fact(number: int, **more: Any) -> Fact:
    plain: dict[str, Any] = {
        "id": f"f{number:04}",
        "kind": "fact",
        "key": f"topic_{number}",
        "value": f"value {number}",
        "text": f"The {number}th is so.",
        "status": "current",
        "speaker": None,
        "language": "en",
        "valid_from": "2026-01-01T00:00:00+00:00",
        "valid_to": None,
        "call": "c1",
        "turn": 1,
        "quote": f"{number}",
        "seen": 1,
        "importance": 0.5,
    }
    return Fact(**(plain | more))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    size = draw(st.integers(0, 4 * FACTS))
    ids = [f"f{number:04}" for number in range(size)]
    rows = st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["fact", "preference", "constraint"]),
            "key": st.sampled_from(KEYS),
            "value": st.sampled_from(["Ana Ruiz", "Wren", 4, None, True]),
            "status": st.sampled_from(["current", "current", "superseded", "pending", "retracted"]),
            "valid_from": st.sampled_from([f"202{year}-05-01T00:00:00+00:00" for year in (3, 4, 5, 7)]),
            "importance": st.sampled_from([0.1, 0.5, 0.8, 0.9, 1.0]),
            "subject": st.sampled_from(["caller", "other: sister"]),
            "sensitive": st.booleans(),
            "disputes": st.sampled_from(ids or [None]),
        },
    )
    facts = tuple(fact(number, **draw(rows)) for number in range(size))
    return Profile(facts=facts, summaries=SUMMARIES, open_items=(OpenItem(title="Ring back"),))


def told(profile: Profile, head: Head | None, who: Caller, people: tuple[str, ...]) -> Visible:
    known = Known(profile=head.profile if head else profile, head=head, people=people)
    return visible(known, who, now=NOW, resume_within=300)


@pytest.mark.parametrize("who", WHO, ids=lambda who: who.how)
@given(profile=profiles(), few=st.sampled_from([0, 1, 25, FACTS]), people=st.sampled_from([(), ("a", "b")]))
def test_the_stable_part_is_the_same_by_the_head(
    who: Caller, profile: Profile, few: int, people: tuple[str, ...]
) -> None:
    whole, first = (told(profile, head, who, people) for head in (None, head_of(profile)))
    lines = [stable_lines(seen, now=NOW, dump_below=few) for seen in (first, whole)]
    assert lines[0] == lines[1]
    assert (first.name, first.count, first.open_items) == (whole.name, whole.count, whole.open_items)


@given(profile=profiles(), slots=st.lists(st.sampled_from(KEYS), max_size=3))
def test_what_fills_a_slot_is_there_or_the_head_says_that_it_is_not(
    profile: Profile, slots: list[str]
) -> None:
    for filled, asked in ((slots, slots), ((), KEYS)):
        head = head_of(profile, filled)
        assert head.serves(filled, FACTS)
        for key in asked if head.serves(asked, FACTS) else ():
            for who in WHO:
                values = [
                    {f.key: f.value for f in told(profile, one, who, ()).facts if f.subject == "caller"}
                    for one in (None, head)
                ]
                assert (key in values[0], values[0].get(key)) == (key in values[1], values[1].get(key))


def test_a_head_is_small_however_long_the_profile() -> None:
    facts = [fact(n) for n in range(5000)]
    facts += [fact(n, status="pending", disputes=f"f{n - 5000:04}") for n in range(5000, 5100)]
    head = head_of(Profile(facts=tuple(facts), summaries=SUMMARIES), ["topic_4000"])
    assert len(head.facts) == FACTS + ASKED + 1
    assert head.summaries == SUMMARIES[-1:]
    assert head.serves(["topic_4000", "topic_1", "topic"], 25)
    assert not head.serves(["topic_4001"], 25)
    assert not head.serves([], FACTS + 1)


def test_a_short_profile_is_its_head() -> None:
    facts = tuple(fact(n) for n in range(FACTS))
    head = head_of(Profile(facts=facts))
    assert head.facts == facts
    assert head.elsewhere == ""
