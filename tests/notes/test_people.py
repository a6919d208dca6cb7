"""How many people, by how callers count themselves."""

from __future__ import annotations

import pytest

from tests.notes.talk import talk, values

SAID: list[tuple[str, int | None]] = [
    # Some of them are not all of them.
    ("there will be four of us", 4),
    ("the two of us", 2),
    ("we are four and two of us are vegetarian", 4),
    ("there's four of us and one is in a wheelchair", 4),
    ("six people two of them kids", 6),
    ("for six and three of them are children", 6),
    ("a table for four at 7 two of us are vegan", 4),
    ("one of us can't come", None),
    ("a table for one of us", 1),
    ("somos cuatro y uno de nosotros es alérgico", 4),
    ("wir sind vier und einer von uns hat eine allergie", 4),
    ("wir sind zu viert", 4),
    ("wir kommen zu zweit", 2),
    ("nous sommes quatre et deux d'entre nous sont végétariens", 4),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_the_size_of_the_party(text: str, expected: int | None) -> None:
    assert values(talk(text)).get("party_size") == expected
