"""Amounts of money in figures, as recognisers and people write them."""

from __future__ import annotations

import pytest

from pipecat_memory.notes.spoken import find
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import AT, talk, values

WRITTEN: list[tuple[str, str, float, str]] = [
    ("en", "$1,250.50", 1250.5, "USD"),
    ("en", "1,250.50 euros", 1250.5, "EUR"),
    ("en", "1,250,000 dollars", 1250000, "USD"),
    ("en", "EUR 80", 80, "EUR"),
    ("en", "80 EUR", 80, "EUR"),
    ("en", "USD 1,250.50", 1250.5, "USD"),
    ("en", "US$ 50", 50, "USD"),
    ("en", "A$50", 50, "AUD"),
    ("en", "$5", 5, "USD"),
    ("en", "£1,200", 1200, "GBP"),
    ("en", "80 pounds 50", 80.5, "GBP"),
    ("de", "1.250,50 Euro", 1250.5, "EUR"),
    ("de", "1.250 Euro", 1250, "EUR"),
    ("de", "€ 1.250,50", 1250.5, "EUR"),
    ("de", "1'250 Franken", 1250, "CHF"),
    ("de", "80 Euro 50", 80.5, "EUR"),
    ("es", "cuesta 1.250,50 euros", 1250.5, "EUR"),
    ("es", "1.250 dólares", 1250, "USD"),
    ("fr", "1 250 euros", 1250, "EUR"),
    ("fr", "1\u202f250,50 €", 1250.5, "EUR"),
    ("fr", "3,5 euros", 3.5, "EUR"),
    ("zh", "一共1,250.50元", 1250.5, "CNY"),
    ("zh", "¥1,250.50", 1250.5, "CNY"),
    ("zh", "RMB 80", 80, "CNY"),
    ("zh", "300块五", 300.5, "CNY"),
]


@pytest.mark.parametrize(("language", "text", "amount", "unit"), WRITTEN, ids=[one[1] for one in WRITTEN])
def test_an_amount_in_figures(language: str, text: str, amount: float, unit: str) -> None:
    found = find(text, "money", language=language, at=AT)
    assert [(span.value, span.unit) for span in found] == [(amount, unit)]


@pytest.mark.parametrize("text", ["at 7.30", "on 12.5.2027", "we try 80", "call 555 0142", "12,50", "try it"])
def test_no_amount_without_a_currency(text: str) -> None:
    assert find(text, "money", language="en", at=AT) == []


BUDGET = MemorySchema((Slot("budget", "money"),))


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("my budget is $1,250.50", 1250.5),
        ("mein Budget ist 1.250,50 Euro", 1250.5),
        ("mi presupuesto es de 1.250,50 euros", 1250.5),
        ("mon budget est de 1 250 euros", 1250),
        ("预算是1,250元", 1250),
    ],
)
def test_an_amount_is_noted(said: str, amount: float) -> None:
    assert values(talk(said, schema=BUDGET)) == {"budget": amount}
