"""Each term of the score decides where all the others are equal.

Ties go to the smaller id, so the one that must come first bears the larger one: without its term it
would come last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipecat_memory.reading.entry import Entry, Query
from pipecat_memory.reading.index import Index

FILLER = [Entry(id=f"f{n}", kind="fact", text=f"Gardens, roofs and windows number {n}") for n in range(20)]


def turn(id: str, text: str, call: str, n: int = 1, **more: Any) -> Entry:
    return Entry(id=id, kind="turn", text=text, call=call, turn=n, **more)


def fact(id: str, text: str, **more: Any) -> Entry:
    return Entry(id=id, kind="fact", text=text, **more)


def found(
    entries: list[Entry], question: str, vectors: list[list[float]] | None = None, *, floor: bool = False
) -> list[str]:
    index = Index()
    if vectors is None:
        index.add([*entries, *FILLER])
        rows = None
    else:
        index.add(entries, np.asarray(vectors, np.float32))
        rows = np.asarray([[1.0, 0.0]], np.float32)
    asked = {entry.id for entry in entries}
    hits = index.search(Query(text=question, vector=rows, k=20, floor=floor))
    return [hit.entry.id for hit in hits if hit.entry.id in asked]


@pytest.mark.parametrize(
    ("a", "z", "question"),
    [
        pytest.param(
            turn("a", "The boiler was serviced by Ann", "1", role="assistant"),
            turn("z", "The boiler was serviced by Tom", "2"),
            "boiler serviced",
            id="people-over-the-agent",
        ),
        pytest.param(
            turn("a", "Was the boiler serviced by Ann?", "1"),
            turn("z", "But the boiler serviced by Tom", "2"),
            "boiler serviced",
            id="statements-over-short-questions",
        ),
        pytest.param(
            turn("a", "Ann serviced that boiler", "1"),
            turn("z", "My Tom serviced boilers", "2"),
            "boiler serviced",
            id="people-of-themselves",
        ),
        pytest.param(
            fact("a", "Blue car, red bus seen"),
            fact("z", "Red car seen, blue bus"),
            "red car",
            id="words-side-by-side",
        ),
        pytest.param(
            fact("a", "The boiler was serviced by Ann", importance=0.1),
            fact("z", "The boiler was serviced by Tom", importance=0.9),
            "boiler serviced",
            id="importance",
        ),
        pytest.param(
            fact("a", "The boiler was serviced by Ann"),
            fact("z", "The boiler was serviced by Tom", correction=True),
            "boiler serviced",
            id="corrections",
        ),
        pytest.param(
            fact("a", "The boiler was serviced by Ann", status="superseded"),
            fact("z", "The boiler was serviced by Tom"),
            "boiler serviced",
            id="current-over-superseded",
        ),
        pytest.param(
            fact("a", "The boiler was serviced by Ann", status="pending"),
            fact("z", "The boiler was serviced by Tom"),
            "boiler serviced",
            id="current-over-pending",
        ),
        pytest.param(
            fact("a", "The harbour was closed", at="2024-04-03"),
            fact("z", "The market was closed", at="2024-03-03"),
            "What was closed on 3 March 2024?",
            id="the-named-day",
        ),
    ],
)
def test_one_of_two(a: Entry, z: Entry, question: str) -> None:
    assert found([a, z], question) == ["z", "a"]


def test_an_answer_leans_on_its_question_more_than_on_a_statement() -> None:
    said = [
        turn("q", "Which hotel did you book?", "1", 1),
        turn("z", "Somewhere near Astoria", "1", 2),
        turn("s", "The hotel is booked", "2", 1),
        turn("a", "Somewhere near Victoria", "2", 2),
    ]
    order = found(said, "hotel booked")
    assert order.index("z") < order.index("a")


def test_two_neighbours_vouch_for_more_than_one() -> None:
    said = [
        turn("h1", "The hotel Astoria is booked", "1", 1),
        turn("z", "Somewhere near my aunt", "1", 2),
        turn("h2", "The hotel Victoria is booked", "1", 3),
        turn("h3", "The hotel Bristol is booked", "2", 1),
        turn("a", "Somewhere near my uncle", "2", 2),
    ]
    order = found(said, "hotel booked")
    assert order.index("z") < order.index("a")


def test_what_was_said_in_the_same_call_is_found_and_what_was_said_elsewhere_is_not() -> None:
    said = [turn("hit", "The Lisbon marathon was wonderful", "1", 1)]
    said += [turn(f"b{n}", f"Well, that was number {n}", "1", n) for n in range(2, 7)]
    said += [turn("z", "Somewhere near my aunt", "1", 9), turn("a", "Somewhere near my uncle", "2", 9)]
    order = found(said, "Lisbon marathon")
    assert "z" in order
    assert "a" not in order


def test_two_turns_on_comes_before_the_rest_of_the_call() -> None:
    ids = ["a", "p", "q", "r", "s", "hit", "t", "z"]
    said = [turn(id, f"Somewhere near my aunt {id}{id}", "1", n) for n, id in enumerate(ids)]
    vectors = [[1.0, 0.0] if id == "hit" else [0.0, 1.0] for id in ids]
    order = found(said, "unheard of", vectors)
    assert order[0] == "hit"
    assert order.index("z") < order.index("a")


def test_the_one_who_is_named_by_a_name_that_stands_nowhere_in_the_words() -> None:
    said = [turn(f"g{n}", "Hi Addie!", "greetings", n, speaker="Bo") for n in (1, 3)]
    said += [turn("h", "Good day", "greetings", 2, speaker="Ada")]
    said += [
        turn("a", "We took the salad today", "1", speaker="Bo"),
        turn("z", "We took the dessert today", "2", speaker="Ada"),
    ]
    order = found(said, "What did Addie take today?")
    assert order.index("z") < order.index("a")


def test_what_was_said_twice_is_told_once_by_the_newer() -> None:
    said = [
        fact("a", "The boiler was serviced by Tom in the cellar", at="2024-01-01"),
        fact("z", "The boiler was serviced by Tom in our cellar", at="2024-02-01"),
    ]
    assert found(said, "boiler serviced", floor=True) == ["z"]
    assert found(said, "boiler serviced") == ["z", "a"]
