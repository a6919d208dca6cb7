"""What is unsure, disputed, bound by a rule, another voice's or of another time."""

from __future__ import annotations

import pytest

from pipecat_memory.records.schema import FactRule

from .claims import Case, check, day, said

DISPUTED = [
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


@pytest.mark.parametrize("case", DISPUTED, ids=lambda case: case.id)
def test_what_holds_after_a_dispute(case: Case) -> None:
    check(case)
