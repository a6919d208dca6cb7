"""Facts out of claims: what changes, what stays, and since when."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from pipecat_memory.records.schema import FactRule
from pipecat_memory.writing.reconcile import admits, moment, reconcile

from .claims import NOW, START, Case, check, day, said, shown

CHANGES = [
    Case("one statement", [said(0, "home_city", "Lyon")], [("home_city", "Lyon", "current")], {"Lyon": 1}),
    Case(
        "the same again is seen twice",
        [said(0, "likes", "curry"), said(3, "likes", "Curry", "add")],
        [("likes", "curry", "current")],
        {"curry": 2},
    ),
    Case(
        "the same twice in one turn is one mention",
        [said(0, "likes", "curry"), said(0, "likes", "curry", seq=1)],
        [("likes", "curry", "current")],
        {"curry": 1},
    ),
    Case(
        "she moves",
        [said(0, "home_city", "Boston"), said(9, "home_city", "Denver")],
        [("home_city", "Boston", "superseded"), ("home_city", "Denver", "current")],
    ),
    Case(
        "she moves, under another name for the key",
        [said(0, "city", "Boston"), said(9, "home_city", "Denver")],
        [("city", "Boston", "superseded"), ("home_city", "Denver", "current")],
    ),
    Case(
        "a single key replaces even when added",
        [said(0, "employer", "Acme", "add"), said(9, "employer", "Bolt", "add")],
        [("employer", "Acme", "superseded"), ("employer", "Bolt", "current")],
    ),
    Case(
        "a change of mind turns a liking into its contrary",
        [said(0, "likes", "curry"), said(9, "dislikes", "curry")],
        [("likes", "curry", "superseded"), ("dislikes", "curry", "current")],
    ),
    Case(
        "one liking says nothing of another",
        [said(0, "likes", "curry"), said(9, "dislikes", "fish"), said(10, "likes", "jazz")],
        [("likes", "curry", "current"), ("dislikes", "fish", "current"), ("likes", "jazz", "current")],
    ),
    Case(
        "peanuts and shellfish in one sentence",
        [said(0, "food_allergy", "peanuts"), said(0, "food_allergy", "shellfish", seq=1)],
        [("food_allergy", "peanuts", "current"), ("food_allergy", "shellfish", "current")],
    ),
    Case(
        "several values of an unknown key in one sentence",
        [said(0, "instrument", "piano"), said(0, "instrument", "cello", seq=1)],
        [("instrument", "piano", "current"), ("instrument", "cello", "current")],
    ),
    Case(
        "an unknown key that is set again",
        [said(0, "car", "Fiat"), said(9, "car", "Volvo")],
        [("car", "Fiat", "superseded"), ("car", "Volvo", "current")],
    ),
    Case(
        "an unknown key that is added to",
        [said(0, "car", "Fiat"), said(9, "car", "Volvo", "add")],
        [("car", "Fiat", "current"), ("car", "Volvo", "current")],
    ),
    Case(
        "allergies are never replaced by one another",
        [said(0, "allergy", "peanuts"), said(9, "allergies", "eggs")],
        [("allergy", "peanuts", "current"), ("allergies", "eggs", "current")],
    ),
    Case(
        "a fact about her sister leaves another about her sister",
        [
            said(0, "home_city", "Oslo", subject="other: sister"),
            said(9, "job", "nurse", subject="other: sister"),
        ],
        [("home_city", "Oslo", "current"), ("job", "nurse", "current")],
    ),
    Case(
        "where her sister lives is not where she lives",
        [said(0, "home_city", "Bergen"), said(9, "home_city", "Oslo", subject="other: sister")],
        [("home_city", "Bergen", "current"), ("home_city", "Oslo", "current")],
    ),
    Case(
        "a second child retires no first child",
        [said(0, "daughter", "Mia"), said(9, "daughter", "Ada")],
        [("daughter", "Mia", "current"), ("daughter", "Ada", "current")],
    ),
    Case(
        "night shift, and again",
        [
            said(0, "shift", "night"),
            said(9, "shift", "night", "retract"),
            said(30, "shift", "night"),
        ],
        [("shift", "night", "retracted"), ("shift", "night", "current")],
    ),
    Case(
        "back to the old town is a second period",
        [said(0, "home_city", "Rome"), said(9, "home_city", "Oslo"), said(20, "home_city", "Rome")],
        [
            ("home_city", "Rome", "superseded"),
            ("home_city", "Oslo", "superseded"),
            ("home_city", "Rome", "current"),
        ],
    ),
]


@pytest.mark.parametrize("case", CHANGES, ids=lambda case: case.id)
def test_what_holds_after_what_was_said(case: Case) -> None:
    check(case)


def test_the_period_of_each_stands_on_both() -> None:
    old, new = reconcile([said(0, "home_city", "Boston"), said(9, "home_city", "Denver")], now=NOW)
    assert (old.valid_from, old.valid_to) == (day(0), day(9))
    assert (new.valid_from, new.valid_to) == (day(9), None)


def test_a_change_in_the_same_call_is_marked_as_a_correction() -> None:
    claims = [said(0, "home_city", "Boston", turn=1), said(0, "home_city", "Austin", turn=2)]
    old, new = sorted(reconcile(claims, now=NOW), key=lambda fact: fact.turn)
    assert new.corrects == old.id
    assert old.status == "superseded"


def test_the_future_comes() -> None:
    claims = [said(0, "home_city", "Rome"), said(9, "home_city", "Oslo", valid_from=day(90))]
    later = reconcile(claims, now=START + timedelta(days=91))
    assert shown(later) == [("home_city", "Rome", "superseded"), ("home_city", "Oslo", "current")]


def test_each_fact_keeps_the_words_that_opened_it() -> None:
    claims = [
        said(0, "likes", "curry", quote="I love curry", importance=0.3),
        said(4, "likes", "curry", quote="curry again please", importance=0.9),
    ]
    (fact,) = reconcile(claims, now=NOW)
    assert (fact.quote, fact.call, fact.importance, fact.seen) == ("I love curry", "c0", 0.9, 2)


def test_times_with_and_without_a_zone_compare() -> None:
    naive = replace(said(0, "home_city", "Rome"), at="2026-03-02T10:00:00")
    zoned = replace(said(0, "home_city", "Oslo"), at="2026-03-02T12:30:00+02:00", call="d")
    facts = reconcile([zoned, naive], now=NOW)
    assert shown(facts) == [("home_city", "Rome", "superseded"), ("home_city", "Oslo", "current")]
    assert all(moment(fact.valid_from).utcoffset() == timedelta(0) for fact in facts)


def test_a_rule_with_values_takes_them_in_any_spelling() -> None:
    rules = (FactRule("plan", values=("gold",)),)
    assert admits(said(0, "plan", "Gold "), rules)
    assert not admits(said(0, "plan", "wood"), rules)
    assert admits(said(0, "plan", None, "retract"), rules)
