"""Spoken numbers, amounts, yes and no, one row a saying: what it is in its written form."""

from __future__ import annotations

import pytest

from pipecat_memory.notes.spoken import find
from tests.notes.spoken import WEDNESDAY, values

NUMBERS: list[tuple[str, list[float]]] = [
    ("we are three", [3]),
    ("twenty-one hundred", [2100]),
    ("three hundred and five", [305]),
    ("1,250", [1250]),
    ("3.5", [3.5]),
    ("two and a half", [2.5]),
    ("three point one four", [3.14]),
    ("3 thousand", [3000]),
    ("half a dozen", [6]),
    ("a couple of rooms", [2]),
    ("that one please", []),
    ("cuarenta y dos personas", [42]),
    ("quatre-vingt-dix-sept", [97]),
    ("wir sind zweiundzwanzig", [22]),
    ("两千三百", [2300]),
    ("三万五", [35000]),
    ("两百零五个", [205]),
    ("十五个人", [15]),
    ("一共二十一位", [21]),
    ("等一下", []),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_numbers(text: str, expected: list[float]) -> None:
    assert values(text, "number") == expected
    assert values(text, "quantity") == expected


def test_a_number_inside_a_time_is_hardly_a_number() -> None:
    assert values("a table for four at seven thirty", "number") == [4]


MONEY = [
    ("forty dollars and fifty cents", 40.5, "USD"),
    ("£12.50", 12.5, "GBP"),
    ("twenty quid", 20, "GBP"),
    ("treinta euros", 30, "EUR"),
    ("三百块", 300, "CNY"),
    ("十二块五", 12.5, "CNY"),
]


@pytest.mark.parametrize(("text", "amount", "unit"), MONEY)
def test_money(text: str, amount: float, unit: str) -> None:
    assert [(span.value, span.unit) for span in find(text, "money", at=WEDNESDAY)] == [(amount, unit)]


YES_NO = [
    ("yes", True),
    ("yeah that's right", True),
    ("no that's wrong", False),
    ("nope", False),
    ("sí, claro", True),
    ("nein", False),
    ("不对", False),
    ("是的", True),
]


@pytest.mark.parametrize(("text", "expected"), YES_NO)
def test_yes_and_no(text: str, expected: bool) -> None:
    assert find(text, "boolean", at=WEDNESDAY)[0].value is expected


def test_a_repr_shows_no_words() -> None:
    (span,) = find("tomorrow", "date", at=WEDNESDAY)
    assert "tomorrow" not in repr(span)
    assert "2026" not in repr(span)
