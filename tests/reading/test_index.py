"""What the index finds, in which order, and what it keeps quiet about."""

from __future__ import annotations

import random
from datetime import date
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipecat_memory.reading.dates import Named, named_dates
from pipecat_memory.reading.entry import Entry, Kind, Query, Standing
from pipecat_memory.reading.index import Index

Role = Literal["user", "assistant"]


def fact(id: str, text: str, *, status: Standing = "current", kind: Kind = "fact", at: str = "") -> Entry:
    return Entry(id=id, kind=kind, text=text, status=status, at=at)


def ids(index: Index, text: str, k: int = 5) -> list[str]:
    return [hit.entry.id for hit in index.search(Query(text=text, k=k))]


def index_of(*entries: Entry) -> Index:
    index = Index()
    index.add(entries)
    return index


FILLER = tuple(fact(f"z{n}", f"Note {n} about gardens, roofs and windows number {n}") for n in range(20))


@pytest.mark.parametrize(
    ("entries", "question", "expected"),
    [
        pytest.param(
            [
                fact("old", "The dentist lives in Leeds near the bridge", status="superseded"),
                fact("new", "The dentist lives in York near the bridge"),
            ],
            "Where does the dentist live, near the bridge?",
            ["new", "old"],
            id="current-before-the-superseded-one-it-replaced",
        ),
        pytest.param(
            [fact("gone", "The dentist lives in Leeds", status="retracted")],
            "Where does the dentist live?",
            [],
            id="retracted-is-never-found",
        ),
        pytest.param([], "Do penguins fly to Jupiter?", [], id="nothing-relevant-nothing-said"),
        pytest.param([fact("a", "The dentist lives in Leeds")], "okay, thanks", [], id="low-signal"),
        pytest.param([fact("a", "我的表弟住在北京")], "表弟住在哪里？", ["a"], id="chinese"),
    ],
)
def test_what_is_told(entries: list[Entry], question: str, expected: list[str]) -> None:
    assert ids(index_of(*entries, *FILLER), question) == expected


def test_corrections_come_first_in_their_topic() -> None:
    wrong = Entry(id="a", kind="fact", text="Deliver the parcel to the parcel office", topic="delivery")
    right = Entry(
        id="b",
        kind="fact",
        text="Bring the parcel round to the neighbour at number nine please, she said yesterday evening",
        topic="delivery",
        correction=True,
    )
    assert ids(index_of(wrong, right, *FILLER), "Where does the parcel go? deliver parcel")[:2] == ["b", "a"]


def test_one_hop_over_a_named_relation() -> None:
    known = Entry(
        id="r", kind="fact", text="A child called Mia", subject="other: Mia", relations=(("daughter", "Mia"),)
    )
    asked = fact("s", "Mia takes the bus to ballet")
    assert "s" in ids(index_of(known, asked, *FILLER), "How is my daughter?")


def test_another_line_of_business_only_on_a_direct_hit() -> None:
    other = Entry(id="o", kind="fact", text="The mortgage runs until spring", line="loans")
    index = index_of(other, *FILLER)
    vague = index.search(Query(text="spring cleaning of gutters, chimneys, carpets", line="cleaning"))
    direct = index.search(Query(text="until when does the mortgage run?", line="cleaning"))
    assert [hit.entry.id for hit in vague] == []
    assert [hit.entry.id for hit in direct] == ["o"]


def test_an_answer_is_found_by_its_question() -> None:
    asks = Entry(id="q", kind="turn", text="Which hotel did you book?", call="c", turn=1, role="assistant")
    answers = Entry(id="a", kind="turn", text="I took the Astoria", call="c", turn=2)
    hits = index_of(asks, answers, *FILLER).search(Query(text="which hotel was booked", k=3, floor=False))
    assert [hit.entry.id for hit in hits[:2]] in (["a", "q"], ["q", "a"])


def test_ties_go_to_the_newer_then_by_id_whatever_the_order_of_adding() -> None:
    said = [
        fact("b", "Boiler serviced alpha", at="2024-01-01"),
        fact("a", "Boiler serviced omega", at="2024-01-01"),
        fact("c", "Boiler serviced gamma", at="2025-01-01"),
    ]
    for seed in range(4):
        mixed = [*said, *FILLER]
        random.Random(seed).shuffle(mixed)
        assert ids(index_of(*mixed), "boiler serviced") == ["c", "a", "b"]


def test_what_was_dropped_or_replaced_is_not_found() -> None:
    index = index_of(fact("a", "The boiler leaks"), *FILLER)
    index.add([fact("a", "The tap drips")])
    assert ids(index, "boiler leaks") == []
    assert ids(index, "the tap drips") == ["a"]
    index.discard(["a", "unknown"])
    assert ids(index, "the tap drips") == []
    assert len(index) == len(FILLER)


def test_vectors_survive_growth_and_another_width_is_ignored() -> None:
    rows = np.eye(200, dtype=np.float32)
    index = Index()
    for n in range(200):
        index.add([Entry(id=f"e{n:03}", kind="fact", text=f"thing{n}")], rows[n : n + 1])
    found = index.search(Query(text="nothing alike", vector=rows[150:151], k=1))
    assert [hit.entry.id for hit in found] == ["e150"]
    assert index.search(Query(text="nothing alike", vector=np.ones((1, 3), np.float32), k=1)) == []


@given(st.lists(st.text(max_size=30), max_size=12), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_is_taken_and_found_in_the_same_order_when_added_one_by_one(
    texts: list[str], asked: str
) -> None:
    entries = [
        Entry(id=f"t{n}", kind="turn", text=text, call=f"c{n % 2}", turn=n) for n, text in enumerate(texts)
    ]
    whole, single = index_of(*entries), Index()
    for entry in reversed(entries):
        single.add([entry])
    assert ids(whole, asked) == ids(single, asked)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "What happened on 3 March 2024?",
            [Named(date(2024, 3, 3).toordinal(), date(2024, 3, 3).toordinal())],
        ),
        ("on March 3rd", [Named(month=3, day=3)]),
        ("el 3 de marzo", [Named(month=3, day=3)]),
        ("2024年3月3日", [Named(date(2024, 3, 3).toordinal(), date(2024, 3, 3).toordinal())]),
        ("in February 2023", [Named(date(2023, 2, 1).toordinal(), date(2023, 2, 28).toordinal())]),
        ("it may rain", []),
        ("yesterday", [Named(date(2024, 5, 1).toordinal(), date(2024, 5, 1).toordinal())]),
    ],
)
def test_named_days(text: str, expected: list[Named]) -> None:
    assert named_dates(text, date(2024, 5, 2)) == expected


def turn(id: str, text: str, n: int, *, role: Role = "user", speaker: str = "", call: str = "c") -> Entry:
    return Entry(id=id, kind="turn", text=text, call=call, turn=n, role=role, speaker=speaker)


@pytest.mark.parametrize(
    ("answer", "told", "turns"),
    [
        ("Peanuts", "Do you have any allergies? – Peanuts", ("a", "q")),
        ("花生", "Do you have any allergies? – 花生", ("a", "q")),
        (
            "Only pollen, birch pollen mostly, in spring",
            "Only pollen, birch pollen mostly, in spring",
            ("a",),
        ),
        ("Any what?", "Any what?", ("a",)),
    ],
    ids=["terse", "terse-in-chinese", "speaks-for-itself", "asks-back"],
)
def test_a_terse_answer_is_told_with_its_question(answer: str, told: str, turns: tuple[str, ...]) -> None:
    index = index_of(turn("q", "Do you have any allergies?", 1, role="assistant"), turn("a", answer, 2))
    hits = index.search(Query(text="which allergies do I have", k=2, floor=False))
    hit = next(hit for hit in hits if hit.entry.id == "a")
    assert (hit.text, hit.turns) == (told, turns)


def test_what_stands_next_to_a_strong_hit_comes_before_what_stands_alone() -> None:
    said = [
        turn("hit", "The marathon in Lisbon was wonderful", 1),
        turn("next", "My knee held until the very end", 2),
        turn("far", "My knee held until the very end too", 9, call="other"),
    ]
    found = [hit.entry.id for hit in index_of(*said).search(Query(text="Lisbon marathon", k=3, floor=False))]
    assert found == ["hit", "next"]


@pytest.mark.parametrize(
    ("question", "first"),
    [("What did Ada order?", "ada"), ("What did Lovelace order?", "ada"), ("What did Bo order?", "bo")],
)
def test_who_is_named_comes_first(question: str, first: str) -> None:
    said = [
        turn("ada", "I ordered the soup today", 1, speaker="Ada Lovelace"),
        turn("bo", "I ordered the salad today", 2, speaker="Bo"),
    ]
    hits = index_of(*said).search(Query(text=question, k=2, floor=False))
    assert hits[0].entry.id == first
