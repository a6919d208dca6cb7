"""A name, a number, an address heard differently on another call is asked about, not believed at once."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import FactRule

from .claims import Case, check, said

OLD_AND_NEW = [
    ("name", "Joan Hill", "John Hill", "my name is John Hill"),
    ("phone", "+15551234567", "+15551234568", "you can reach me on five five five"),
    ("phone_number", "+15551234567", "+15551234568", "my number ends in eight"),
    ("email", "joan@example.org", "john@example.org", "it's john at example dot org"),
    ("postcode", "SW1A 1AA", "SW1A 1AE", "my postcode is SW1A 1AE"),
    ("zip_code", "94107", "94170", "zip code 94170"),
    ("birthday", "1985-05-04", "1985-05-14", "born on the fourteenth of May"),
    ("account_number", "4821", "4827", "account 4827"),
]


@pytest.mark.parametrize(("key", "old", "new", "quote"), OLD_AND_NEW)
@pytest.mark.parametrize("strength", [1, 2])
def test_another_hearing_of_another_call_asks(
    key: str, old: str, new: str, quote: str, strength: int
) -> None:
    check(
        Case(
            key,
            [said(0, key, old, strength=strength), said(9, key, new, quote=quote, strength=strength)],
            [(key, old, "current"), (key, new, "pending")],
            asked=((old, new),),
        )
    )


@pytest.mark.parametrize(("key", "old", "new", "quote"), OLD_AND_NEW)
def test_heard_like_that_on_a_third_call_it_holds(key: str, old: str, new: str, quote: str) -> None:
    check(
        Case(
            key,
            [said(0, key, old), said(9, key, new, quote=quote), said(12, key, new, quote=quote)],
            [(key, old, "superseded"), (key, new, "current")],
        )
    )


@pytest.mark.parametrize(("key", "old", "new", "quote"), OLD_AND_NEW)
def test_the_old_one_heard_again_settles_it_the_other_way(key: str, old: str, new: str, quote: str) -> None:
    check(
        Case(
            key,
            [said(0, key, old), said(9, key, new, quote=quote), said(12, key, old)],
            [(key, old, "current"), (key, new, "retracted")],
            seen={old: 2},
        )
    )


@pytest.mark.parametrize(
    "quote",
    [
        "no, it's John Hill",
        "my name is John Hill now",
        "I got married, it's John Hill",
        "you have it wrong, John Hill",
        "nein, John Hill",
        "ich habe geheiratet, John Hill",
        "ahora me llamo John Hill",
        "不是，我叫约翰",
    ],
)
def test_who_corrects_it_is_believed(quote: str) -> None:
    check(
        Case(
            quote,
            [said(0, "name", "Joan Hill"), said(9, "name", "John Hill", quote=quote)],
            [("name", "Joan Hill", "superseded"), ("name", "John Hill", "current")],
        )
    )


@pytest.mark.parametrize(
    ("key", "quote"),
    [
        ("phone", "my new number is 5678"),
        ("email", "my email has changed"),
        ("postcode", "I moved, it's 5678"),
        ("phone", "mi nuevo número es 5678"),
        ("phone", "ich habe eine neue Nummer"),
        ("phone", "我的新号码"),
    ],
)
def test_so_is_who_has_a_new_one(key: str, quote: str) -> None:
    check(
        Case(
            quote,
            [said(0, key, "1234"), said(9, key, "5678", quote=quote)],
            [(key, "1234", "superseded"), (key, "5678", "current")],
        )
    )


CASES: list[tuple[str, list[Any], list[tuple[str, Any, str]]]] = [
    (
        "on one call the later word counts",
        [said(0, "name", "Joan Hill"), said(0, "name", "John Hill", turn=3)],
        [("name", "Joan Hill", "superseded"), ("name", "John Hill", "current")],
    ),
    (
        "a proven caller is believed against an unproven one",
        [said(0, "name", "Joan Hill", strength=1), said(9, "name", "John Hill", strength=2)],
        [("name", "Joan Hill", "superseded"), ("name", "John Hill", "current")],
    ),
    (
        "a name told in full is the same name",
        [said(0, "name", "John"), said(9, "name", "John Hill")],
        [("name", "John", "superseded"), ("name", "John Hill", "current")],
    ),
    (
        "a part of it too",
        [said(0, "name", "John Hill"), said(9, "name", "John")],
        [("name", "John Hill", "current")],
    ),
    (
        "said twice on one call is one hearing",
        [
            said(0, "name", "Joan Hill"),
            said(9, "name", "John Hill"),
            said(9, "name", "John Hill", turn=5, text="t"),
        ],
        [("name", "Joan Hill", "current"), ("name", "John Hill", "pending")],
    ),
    (
        "where one lives is no hearing",
        [said(0, "home_city", "Rome"), said(9, "home_city", "Oslo")],
        [("home_city", "Rome", "superseded"), ("home_city", "Oslo", "current")],
    ),
    (
        "what one is to be called is the caller's choice",
        [said(0, "preferred_name", "Bea"), said(9, "preferred_name", "Trixie")],
        [("preferred_name", "Bea", "superseded"), ("preferred_name", "Trixie", "current")],
    ),
    (
        "a friend's name is nobody's identity",
        [said(0, "wife_name", "Ana"), said(9, "wife_name", "Anna")],
        [("wife_name", "Ana", "superseded"), ("wife_name", "Anna", "current")],
    ),
]


@pytest.mark.parametrize(("name", "claims", "right"), CASES, ids=lambda value: str(value)[:40])
def test_what_is_no_second_hearing(name: str, claims: list[Any], right: list[tuple[str, Any, str]]) -> None:
    asked = tuple((right[0][1], value) for _, value, status in right if status == "pending")
    check(Case(name, claims, right, asked=asked))


def test_the_apps_rule_counts_where_there_is_one() -> None:
    claims = [said(0, "name", "Joan Hill"), said(9, "name", "John Hill", quote="my name is John Hill")]
    check(
        Case(
            "replace",
            claims,
            [("name", "Joan Hill", "superseded"), ("name", "John Hill", "current")],
            rules=(FactRule("name", on_conflict="replace"),),
        )
    )
