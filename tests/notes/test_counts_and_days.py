"""Parties told without a number, times the military way, the last day of a month."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import Line, talk, values

HOW_MANY = {
    "en": "How many people?",
    "de": "Wie viele Personen?",
    "es": "¿Cuántas personas?",
    "fr": "Combien de personnes ?",
    "zh": "您几位？",
}

SAID: list[tuple[Line, dict[str, Any]]] = [
    ("we're a dozen", {"party_size": 12}),
    ("we're six", {"party_size": 6}),
    ((HOW_MANY["en"], "just myself"), {"party_size": 1}),
    ((HOW_MANY["en"], "just the two of us"), {"party_size": 2}),
    ((HOW_MANY["de"], "nur ich"), {"party_size": 1}),
    ((HOW_MANY["es"], "solo yo"), {"party_size": 1}),
    ((HOW_MANY["es"], "nosotros dos"), {"party_size": 2}),
    ((HOW_MANY["fr"], "juste moi"), {"party_size": 1}),
    ((HOW_MANY["fr"], "juste nous deux"), {"party_size": 2}),
    ((HOW_MANY["zh"], "就我们俩"), {"party_size": 2}),
    # Nobody asked how many.
    ("it's just me again", {}),
    # A length is no party.
    ("we are five minutes late", {}),
    ("we'll be ten minutes late", {}),
    ("我们晚到十分钟", {}),
    # The military way.
    ("at nineteen hundred hours", {"time": "19:00"}),
    (("What time?", "nineteen hundred hours"), {"time": "19:00"}),
    ("at fourteen thirty hours", {"time": "14:30"}),
    ("my code is nineteen hundred", {}),
    ("it costs nineteen hundred dollars", {}),
    # The last day of a month, and what is no single day.
    ("on the last day of the month", {"date": "2026-11-30"}),
    ("the last day of March", {"date": "2027-03-31"}),
    ("am letzten Tag des Monats", {"date": "2026-11-30"}),
    ("el último día del mes", {"date": "2026-11-30"}),
    ("le dernier jour du mois", {"date": "2026-11-30"}),
    ("下个月最后一天", {"date": "2026-12-31"}),
    ("at the end of the week", {}),
    ("月底", {}),
    ("first thing tomorrow", {"date": "2026-12-01"}),
    ("a week on Friday", {"date": "2026-12-11"}),
    ("in a fortnight", {"date": "2026-12-14"}),
]


@pytest.mark.parametrize(("line", "expected"), SAID, ids=[str(one[0]) for one in SAID])
def test_what_is_told(line: Line, expected: dict[str, Any]) -> None:
    assert values(talk(line)) == expected
