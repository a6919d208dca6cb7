"""Of two statements about one thing the newer first: when it is so, and when it must not be."""

from __future__ import annotations

from typing import Literal

import pytest

from pipecat_memory.reading.entry import Entry
from pipecat_memory.reading.update import newest_first
from pipecat_memory.reading.words import terms

OLD = "There are 8 boxes in the garage"
NEW = "The boxes in the garage have now reached 12"
ASKED = "How many boxes are in the garage?"


def order(question: str, *texts: str, role: Literal["user", "assistant"] = "user") -> list[int]:
    said = [
        Entry(id=str(n), kind="turn", text=text, at=f"2024-0{n + 1}-01", role=role if n else "user")
        for n, text in enumerate(texts)
    ]
    return newest_first(question, [(entry, frozenset(terms(entry.text))) for entry in said], lambda _: 1.0)


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (ASKED, OLD, NEW),
        (
            "When is the dentist appointment?",
            "The dentist appointment is on the 3rd",
            "dentist moved to the 9th",
        ),
        (
            "What time is the call with Bo?",
            "The call with Bo is at 3 pm",
            "The call with Bo got rescheduled to Friday at 4:30 pm",
        ),
        (
            "How long is the visit on Thursday?",
            "The visit takes Thursday, two hours",
            "That visit was shortened to seventy minutes, no, to forty",
        ),
        ("房租是多少", "房租是3000元", "房租改成3500元了"),
    ],
)
def test_a_changed_value_is_lifted_over_the_one_it_replaces(question: str, old: str, new: str) -> None:
    assert order(question, old, "Something about gardens", new) == [2, 0, 1]


def test_of_several_changes_the_newest_stands_first() -> None:
    assert order(ASKED, OLD, NEW, "The boxes in the garage were increased to 15") == [2, 0, 1]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        pytest.param("How many boxes were in the garage originally?", OLD, NEW, id="asked-how-it-was"),
        pytest.param("How many boxes did I put in the garage?", OLD, NEW, id="asked-what-happened"),
        pytest.param("Who packed the boxes in the garage?", OLD, NEW, id="no-value-is-asked-for"),
        pytest.param(
            ASKED, OLD, "The boxes in the garage, 12 of them, are red", id="nothing-says-it-changed"
        ),
        pytest.param(ASKED, OLD, "I recently sold 3 bikes", id="of-another-thing"),
        pytest.param(ASKED, OLD, "The boxes in the garage are new", id="no-value"),
        pytest.param(ASKED, OLD, "Now there are 8 boxes in the garage", id="the-same-value"),
        pytest.param(ASKED, "There are boxes in the garage", NEW, id="nothing-to-replace"),
        pytest.param(
            ASKED, OLD, "The boxes in the garage are new. I paid 12 for them", id="another-sentence"
        ),
    ],
)
def test_left_in_place(question: str, old: str, new: str) -> None:
    assert order(question, old, new) == [0, 1]


def test_the_agent_does_not_update_what_the_caller_said() -> None:
    assert order(ASKED, OLD, NEW, role="assistant") == [0, 1]


def test_an_older_statement_is_never_lifted() -> None:
    older = Entry(id="a", kind="turn", text=NEW, at="2024-01-01")
    newer = Entry(id="b", kind="turn", text=OLD, at="2024-02-01")
    held = [(entry, frozenset(terms(entry.text))) for entry in (newer, older)]
    assert newest_first(ASKED, held, lambda _: 1.0) == [0, 1]


def test_words_that_say_nothing_do_not_make_two_statements_alike() -> None:
    said = [
        Entry(id="a", kind="turn", text="Our project has 8 milestones", at="2024-01-01"),
        Entry(id="b", kind="turn", text="Our project has recently reached 12 users", at="2024-02-01"),
    ]
    held = [(entry, frozenset(terms(entry.text))) for entry in said]
    weights = {"project": 0.1, "mileston": 5.0}
    assert newest_first("How many milestones has our project?", held, lambda w: weights.get(w, 1.0)) == [0, 1]


def test_nothing_found_nothing_ordered() -> None:
    assert newest_first(ASKED, [], lambda _: 1.0) == []
