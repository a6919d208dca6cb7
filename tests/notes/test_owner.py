"""Which slot a value is for, in schemas with several of its type."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import Line, held, talk, values

PRACTICE = MemorySchema(
    (
        Slot("name", "name"),
        Slot("birth_date", "date", description="date of birth"),
        Slot("day", "date", description="day of the appointment"),
        Slot("time", "time"),
        Slot("account", "digits", pattern=r"\d{8}"),
        Slot("pin", "digits", pattern=r"\d{4}", secret=True),
    )
)
HOTEL = MemorySchema(
    (
        Slot("nights", "quantity", description="how many nights"),
        Slot("guests", "quantity", description="how many people"),
        Slot("arrival", "date"),
    )
)

BIRTHDAYS: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    (("can I come on Wednesday",), {"day": "2026-12-02"}),
    ((("When would you like to come?", "today if you can"),), {"day": "2026-11-30"}),
    (("I was born on the 14th of March 1982",), {"birth_date": "1982-03-14"}),
    ((("What's your date of birth?", "14th of March 1982"),), {"birth_date": "1982-03-14"}),
    # Without its year it is no birthday, and no day to come either.
    ((("What's your date of birth?", "the fourteenth of March"),), {}),
    (
        (("Your date of birth?", "14th of March 1982"), ("When do you want to come?", "tomorrow")),
        {"birth_date": "1982-03-14", "day": "2026-12-01"},
    ),
    (
        (("Your date of birth?", "14th of March 1982"), ("What's your date of birth again?", "no, the 15th")),
        {"birth_date": "1982-03-15"},
    ),
    (
        (("Your date of birth?", "14 March 1982"), ("Your birth date?", "sorry, the 14th of April")),
        {"birth_date": "1982-04-14"},
    ),
]


@pytest.mark.parametrize(("lines", "expected"), BIRTHDAYS, ids=[str(one[0]) for one in BIRTHDAYS])
def test_a_birthday_is_over_and_was_asked_for(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines, schema=PRACTICE)) == expected


COUNTED: list[tuple[str, dict[str, Any]]] = [
    ("for two people", {"guests": 2}),
    ("a room for two people, three nights", {"nights": 3, "guests": 2}),
    ("two people three nights", {"nights": 3, "guests": 2}),
    ("me and my wife", {"guests": 2}),
    ("three nights", {"nights": 3}),
]


@pytest.mark.parametrize(("text", "expected"), COUNTED)
def test_people_are_no_nights(text: str, expected: dict[str, Any]) -> None:
    assert values(talk(text, schema=HOTEL)) == expected


def test_adults_and_children_are_counted_apart() -> None:
    trip = MemorySchema((Slot("adults", "quantity"), Slot("children", "quantity")))
    assert values(talk("two adults and three children", schema=trip)) == {"adults": 2, "children": 3}


def test_digits_wrong_for_what_was_asked_fill_no_other_slot() -> None:
    notes = talk(("Your account number?", "four four one seven"), schema=PRACTICE)
    assert values(notes) == {}


@pytest.mark.parametrize("text", ["it's l k six seven x d b", "L K 6 7 X D B", "lima kilo six seven x ray"])
def test_the_digits_of_a_code_are_no_time(text: str) -> None:
    assert values(talk(("And the registration?", text))) == {}


@pytest.mark.parametrize(
    ("text", "time"), [("at six p m", "18:00"), ("at six a m please", "06:00"), ("six thirty p m", "18:30")]
)
def test_letters_of_the_half_of_the_day_make_no_code(text: str, time: str) -> None:
    assert values(talk(text)) == {"time": time}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a table for four on friday evening"),
        ("en", "a table for four friday evening"),
        ("de", "ein tisch für vier am freitagabend"),
        ("es", "una mesa para cuatro el viernes por la noche"),
        ("fr", "une table pour quatre vendredi soir"),
    ],
)
def test_the_evening_of_the_day_makes_the_party_no_time(language: str, text: str) -> None:
    assert values(talk(text)) == {"date": "2026-12-04", "party_size": 4}


BOOKED = "a table for three people on Wednesday at seven pm"
STANDING = {"date": "2026-12-02", "time": "19:00", "party_size": 3}

NUMBERS: list[tuple[str, str, dict[str, Any]]] = [
    ("Three people on Wednesday at eight pm. Correct?", "no seven", {}),
    ("Three people on Wednesday at eight pm. Correct?", "no, seven", {}),
    ("Three people on Wednesday at seven pm. Correct?", "no nine", {}),  # the three or the seven?
    ("Three people on Wednesday at seven pm. Correct?", "no at nine", {"time": "21:00"}),
    ("Three people on Wednesday at seven pm. Correct?", "no, for four", {"party_size": 4}),
    ("Three people on Wednesday at seven pm. Correct?", "no four people", {"party_size": 4}),
    ("At seven?", "no, eight", {"time": "20:00"}),
    ("", "make it five fifteen", {"time": "17:15"}),
    ("", "make it five", {"party_size": 5}),
]


@pytest.mark.parametrize(("agent", "text", "changed"), NUMBERS, ids=[f"{a} {b}" for a, b, _ in NUMBERS])
def test_a_bare_number_changes_what_it_can_only_be_for(
    agent: str, text: str, changed: dict[str, Any]
) -> None:
    assert values(talk(BOOKED, (agent, text))) == STANDING | changed


def test_of_two_that_a_number_may_be_for_both_wait_for_a_yes() -> None:
    notes = talk(BOOKED, ("Three people on Wednesday at seven pm. Correct?", "no nine"))
    assert held(notes, "party_size").confidence == "pending"


def test_a_day_gets_its_time_and_a_time_its_day_without_a_question() -> None:
    schema = MemorySchema((Slot("when", "datetime"),))
    for lines in (("on Saturday", "at 11 am"), ("at 11 am", "on Saturday")):
        notes = talk(*lines, schema=schema)
        assert held(notes, "when").asked is None
        assert held(notes, "when").value.startswith("2026-12-05T11:00")
