from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.records.fact import Claim, Fact
from pipecat_memory.records.schema import FactRule
from pipecat_memory.writing.reconcile import admits, moment, reconcile

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
NOW = START + timedelta(days=60)


def said(day: float, key: str, value: Any, op: Any = "set", **more: Any) -> Claim:
    """A claim of the call of that day; `turn` defaults to 1."""
    at = START + timedelta(days=day)
    body: dict[str, Any] = {
        "text": f"{key} {value}",
        "quote": str(value),
        "call": f"c{day:g}",
        "turn": 1,
        "seq": 0,
    } | more
    return Claim(at=at.isoformat(), key=key, value=value, op=op, **body)


def day(number: float) -> str:
    return (START + timedelta(days=number)).isoformat()


@dataclass(frozen=True)
class Case:
    id: str
    claims: list[Claim]
    right: list[tuple[str, Any, str]]
    """(key, value, status), by when it began."""
    seen: dict[Any, int] = field(default_factory=dict[Any, int])
    rules: tuple[FactRule, ...] = ()
    asked: tuple[tuple[Any, Any], ...] = ()
    """(what stands, its rival)."""


CASES = [
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
        [said(0, "name", "Sam", "add"), said(9, "name", "Samuel", "add")],
        [("name", "Sam", "superseded"), ("name", "Samuel", "current")],
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
    Case(
        "taken back",
        [said(0, "allergy", "nuts"), said(9, "allergy", "nuts", "retract")],
        [("allergy", "nuts", "retracted")],
    ),
    Case(
        "taken back without naming it",
        [said(0, "allergy", "nuts"), said(9, "allergy", None, "retract")],
        [("allergy", "nuts", "retracted")],
    ),
    Case(
        "taking back another value takes nothing back",
        [said(0, "allergy", "nuts"), said(9, "allergy", "eggs", "retract")],
        [("allergy", "nuts", "current")],
    ),
    Case(
        "not Rome, Oslo: the new one stays though the key is taken back",
        [
            said(0, "home_city", "Rome"),
            said(9, "home_city", None, "retract", seq=0),
            said(9, "home_city", "Oslo", seq=1),
        ],
        [("home_city", "Rome", "superseded"), ("home_city", "Oslo", "current")],
    ),
    Case(
        "that was my brother: moved",
        [
            said(0, "allergy", "walnuts"),
            said(9, "allergy", "walnuts", subject="other: brother", quote="that was my brother, not me"),
        ],
        [("allergy", "walnuts", "retracted"), ("allergy", "walnuts", "current")],
    ),
    Case(
        "that was my brother, of a thing never noted",
        [
            said(0, "allergy", "nuts"),
            said(9, "allergy", "walnuts", subject="other: brother", quote="that was my brother"),
        ],
        [("allergy", "nuts", "current")],
    ),
    Case(
        "a preference and a liking are one",
        [said(0, "likes", "curry"), said(0, "preference", "curry", seq=9000), said(5, "dislikes", "curry")],
        [("likes", "curry", "superseded"), ("dislikes", "curry", "current")],
    ),
    Case(
        "her brother has it too: nothing closes",
        [
            said(0, "allergy", "walnuts"),
            said(9, "allergy", "walnuts", subject="other: brother", quote="my brother can't eat walnuts"),
        ],
        [("allergy", "walnuts", "current"), ("allergy", "walnuts", "current")],
    ),
    Case(
        "a hedge against a plain word asks",
        [said(0, "home_city", "Rome"), said(9, "home_city", "Oslo", explicit=False)],
        [("home_city", "Rome", "current"), ("home_city", "Oslo", "pending")],
        asked=(("Rome", "Oslo"),),
    ),
    Case(
        "the plain word afterwards settles it",
        [
            said(0, "home_city", "Rome"),
            said(9, "home_city", "Oslo", explicit=False),
            said(12, "home_city", "Oslo"),
        ],
        [("home_city", "Rome", "superseded"), ("home_city", "Oslo", "current")],
    ),
    Case(
        "the old value said again settles it the other way",
        [
            said(0, "home_city", "Rome"),
            said(9, "home_city", "Oslo", explicit=False),
            said(12, "home_city", "Rome"),
        ],
        [("home_city", "Rome", "current"), ("home_city", "Oslo", "retracted")],
        seen={"Rome": 2},
    ),
    Case(
        "a hedged retraction retracts nothing",
        [said(0, "allergy", "nuts"), said(9, "allergy", "nuts", "retract", explicit=False)],
        [("allergy", "nuts", "current")],
    ),
    Case(
        "an unproven voice never overwrites a proven one",
        [said(0, "address", "Elm 1", strength=2), said(9, "address", "Oak 2", strength=1)],
        [("address", "Elm 1", "current"), ("address", "Oak 2", "pending")],
        asked=(("Elm 1", "Oak 2"),),
    ),
    Case(
        "nor takes it back",
        [said(0, "address", "Elm 1", strength=2), said(9, "address", "Elm 1", "retract", strength=1)],
        [("address", "Elm 1", "current")],
    ),
    Case(
        "a proven one overwrites an unproven one",
        [said(0, "address", "Elm 1", strength=1), said(9, "address", "Oak 2", strength=2)],
        [("address", "Elm 1", "superseded"), ("address", "Oak 2", "current")],
    ),
    Case(
        "a rule that asks",
        [said(0, "plan", "gold"), said(9, "plan", "basic", quote="put me on basic")],
        [("plan", "gold", "current"), ("plan", "basic", "pending")],
        rules=(FactRule("plan", on_conflict="ask"),),
        asked=(("gold", "basic"),),
    ),
    Case(
        "a rule that asks hears a correction",
        [said(0, "plan", "gold"), said(9, "plan", "basic", quote="no, I'm on basic")],
        [("plan", "gold", "superseded"), ("plan", "basic", "current")],
        rules=(FactRule("plan", on_conflict="ask"),),
    ),
    Case(
        "a rule with several values",
        [said(0, "plan", "gold"), said(9, "plan", "basic")],
        [("plan", "gold", "current"), ("plan", "basic", "current")],
        rules=(FactRule("plan", multi=True),),
    ),
    Case(
        "what a closed schema has no place for",
        [said(0, "plan", "gold"), said(1, "hobby", "chess"), said(2, "plan", "wood")],
        [("plan", "gold", "current")],
        rules=(FactRule("plan", values=("gold", "basic")),),
    ),
    Case(
        "another voice waits and displaces nothing",
        [said(0, "diet", "vegan"), said(9, "diet", "kosher", pending=True, speaker="1")],
        [("diet", "vegan", "current"), ("diet", "kosher", "pending")],
    ),
    Case(
        "another voice's word, then the caller's own",
        [said(0, "dislikes", "fish", pending=True, speaker="1"), said(9, "dislikes", "fish", speaker="0")],
        [("dislikes", "fish", "current")],
    ),
    Case(
        "two languages, one fact",
        [
            said(0, "handedness", "Linkshänder", text="Ist Linkshänder", language="de"),
            said(9, "handedness", "left-handed", text="Is left-handed", language="en"),
        ],
        [("handedness", "Linkshänder", "current")],
        {"Linkshänder": 2},
    ),
    Case(
        "two languages, one allergy, and another",
        [
            said(0, "allergy", "花生", language="zh"),
            said(5, "allergy", "peanuts", language="en"),
            said(9, "alergia", "nueces", "add", language="es"),
        ],
        [("allergy", "花生", "current"), ("alergia", "nueces", "current")],
        {"花生": 2},
    ),
    Case(
        "what is over by itself",
        [said(0, "flight", "2026-03-03T07:00", valid_to=day(0.9))],
        [("flight", "2026-03-03T07:00", "expired")],
    ),
    Case(
        "said of the past, it disturbs nothing",
        [
            said(0, "home_city", "Rome"),
            said(9, "home_city", "Kyiv", valid_from="2019-01-01T00:00:00Z", valid_to="2020-01-01T00:00:00Z"),
        ],
        [("home_city", "Kyiv", "expired"), ("home_city", "Rome", "current")],
    ),
    Case(
        "said of the future, the old one holds until then",
        [said(0, "home_city", "Rome"), said(9, "home_city", "Oslo", valid_from=day(90))],
        [("home_city", "Rome", "current"), ("home_city", "Oslo", "pending")],
    ),
]


def shown(facts: tuple[Fact, ...]) -> list[tuple[str, Any, str]]:
    return [(fact.key, fact.value, fact.status) for fact in facts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_holds_after_what_was_said(case: Case) -> None:
    facts = reconcile(case.claims, rules=case.rules, now=NOW)
    assert shown(facts) == case.right
    assert reconcile(case.claims[::-1] * 2, rules=case.rules, now=NOW) == facts
    for value, times in case.seen.items():
        assert next(fact.seen for fact in facts if fact.value == value) == times
    by_id = {fact.id: fact for fact in facts}
    asked = tuple((by_id[f.disputes].value, f.value) for f in facts if f.disputes is not None)
    assert asked == case.asked


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


KEYS = ["home_city", "allergy", "likes", "dislikes", "car", "name"]
CLAIMS = st.builds(
    said,
    day=st.integers(0, 12),
    key=st.sampled_from(KEYS),
    value=st.sampled_from(["nuts", "Nuts", "Rome", "Oslo", "left"]),
    op=st.sampled_from(["set", "add", "retract"]),
    turn=st.integers(1, 3),
    seq=st.integers(0, 2),
    explicit=st.booleans(),
    pending=st.booleans(),
    strength=st.sampled_from([1, 2]),
    subject=st.sampled_from(["caller", "caller", "other: brother"]),
    quote=st.sampled_from(["Rome", "that was my brother, not me", "no, Oslo"]),
)


@given(st.lists(CLAIMS, max_size=12), st.randoms())
def test_order_of_arrival_changes_nothing(claims: list[Claim], rng: Any) -> None:
    shuffled = list(claims)
    rng.shuffle(shuffled)
    assert reconcile(claims, now=NOW) == reconcile(shuffled, now=NOW)


@given(st.lists(CLAIMS, max_size=12))
def test_claims_that_come_twice_change_nothing(claims: list[Claim]) -> None:
    assert reconcile(claims + claims, now=NOW) == reconcile(claims, now=NOW)


@given(st.lists(CLAIMS, max_size=12))
def test_what_always_holds(claims: list[Claim]) -> None:
    facts = reconcile(claims, now=NOW)
    assert len({fact.id for fact in facts}) == len(facts)
    for fact in facts:
        assert fact.valid_to is None or moment(fact.valid_to) >= moment(fact.valid_from)
        assert fact.status != "current" or fact.valid_to is None
        assert fact.status not in ("superseded", "retracted") or fact.valid_to is not None
        assert fact.quote
        assert fact.disputes is None or fact.status == "pending"
    for key in ("home_city", "name"):
        for subject in ("caller", "other: brother"):
            holding = [f for f in facts if (f.key, f.subject, f.status) == (key, subject, "current")]
            assert len(holding) <= 1
