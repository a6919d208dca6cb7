"""Days from one to another: one month told for both, a slot each, and no one day of the two."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes import spoken
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import AT, held, talk, values

STAY = MemorySchema((Slot("arrival", "date"), Slot("departure", "date")))

RANGES = [
    ("en", "from the twelfth to the fifteenth of december", "2026-12-12", "2026-12-15"),
    ("en", "from december 28th to the 2nd", "2026-12-28", "2027-01-02"),
    ("en", "the third of january and back on the tenth", "2027-01-03", "2027-01-10"),
    ("en", "from thursday to tuesday", "2026-12-03", "2026-12-08"),
    ("de", "vom zwölften bis zum fünfzehnten dezember", "2026-12-12", "2026-12-15"),
    ("de", "vom 12. bis 15. März", "2027-03-12", "2027-03-15"),
    ("es", "del doce al quince de diciembre", "2026-12-12", "2026-12-15"),
    ("es", "desde el lunes hasta el jueves", "2026-12-07", "2026-12-10"),
    ("fr", "du douze au quinze décembre", "2026-12-12", "2026-12-15"),
    ("zh", "三月十二号到十五号", "2027-03-12", "2027-03-15"),
]


@pytest.mark.parametrize(("language", "text", "first", "last"), RANGES, ids=[one[1] for one in RANGES])
def test_both_days_of_a_range(language: str, text: str, first: str, last: str) -> None:
    found = spoken.find(text, "date", language=language, at=AT)
    assert [span.value for span in found] == [first, last]


@pytest.mark.parametrize("text", ["una mesa para dos el quince de diciembre", "we are two, to the fifteenth"])
def test_a_number_beside_a_day_begins_no_range(text: str) -> None:
    assert len(spoken.find(text, "date", at=AT)) == 1


@pytest.mark.parametrize(("language", "text", "first", "last"), RANGES[:1] + RANGES[4:5] + RANGES[6:7])
def test_each_is_surely_for_its_slot(language: str, text: str, first: str, last: str) -> None:
    notes = talk(text, schema=STAY)
    assert values(notes) == {"arrival": first, "departure": last}
    assert {value.confidence for value in notes.state.slots.values()} == {"confirmed"}


def test_where_one_day_is_wanted_a_range_is_asked_about() -> None:
    notes = talk("a room from friday to sunday")
    assert (held(notes, "date").value, held(notes, "date").asked) == ("2026-12-04", "2026-12-06")
    assert held(notes, "date").confidence == "inferred"


def test_from_what_stands_to_another_day_is_a_change() -> None:
    assert values(talk("a table for friday", "move it from friday to saturday")) == {"date": "2026-12-05"}


BORN: list[tuple[str, dict[str, Any]]] = [
    ("dritter fünfter neunzehnhunderteinundachtzig", {"geburtsdatum": "1981-05-03"}),
    ("siebzehnter achter zweiundneunzig", {"geburtsdatum": "1992-08-17"}),
    ("der vierte Mai 1970", {"geburtsdatum": "1970-05-04"}),
]


@pytest.mark.parametrize(("text", "expected"), BORN)
def test_german_ordinals_in_any_case(text: str, expected: dict[str, Any]) -> None:
    schema = MemorySchema((Slot("geburtsdatum", "date"),))
    assert values(talk(("Ihr Geburtsdatum?", text), schema=schema)) == expected


def test_a_greeting_names_no_day() -> None:
    assert values(talk("guten Morgen, ich brauche einen Termin")) == {}
    assert values(talk("guten morgen ich möchte morgen kommen")) == {"date": "2026-12-01"}
