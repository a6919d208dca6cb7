"""What is taken back, or turns out to be somebody else's."""

from __future__ import annotations

import pytest

from .claims import Case, check, said

TAKEN_BACK = [
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
]


@pytest.mark.parametrize("case", TAKEN_BACK, ids=lambda case: case.id)
def test_what_holds_after_it_was_taken_back(case: Case) -> None:
    check(case)
