"""What amends a value and leaves the rest to be understood: a bare hour, a bare count; and digits to call."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.spoken.times import nearest
from tests.notes.talk import opened, say, values

HOURS = [
    ("en", "a table at seven pm", "actually eight", "20:00"),
    ("en", "seven pm tomorrow", "make it half seven", "19:30"),
    ("en", "seven pm", "no wait half past eight", "20:30"),
    ("en", "seven am", "actually six", "06:00"),
    ("en", "nine am", "actually one", "13:00"),
    ("en", "one pm", "sorry eleven", "11:00"),
    ("en", "at nine in the evening", "ten am i mean", "10:00"),
    ("es", "a las nueve de la noche", "mejor a las diez", "22:00"),
    ("es", "a las ocho de la tarde", "no mejor a las nueve y media", "21:30"),
    ("de", "um sieben uhr abends", "nein lieber um acht", "20:00"),
    ("de", "um neunzehn uhr", "doch lieber halb neun", "20:30"),
    ("fr", "à sept heures du soir", "non plutôt huit heures", "20:00"),
    ("zh", "晚上七点", "不对，八点", "20:00"),
]

COUNTS = [
    ("en", "a table for four", "no five", 5),
    ("en", "a table for four", "no make it five", 5),
    ("en", "a table for four", "no four", None),
    ("es", "mesa para cuatro personas", "no, que sean cinco", 5),
    ("es", "mesa para cuatro personas", "no que sean cinco", 5),
    ("es", "mesa para cuatro personas", "mejor cinco", 5),
    ("de", "einen tisch für vier personen", "nein, lieber fünf", 5),
    ("de", "einen tisch für vier personen", "nein doch fünf", 5),
    ("de", "einen tisch für vier personen", "machen sie fünf draus", 5),
    ("fr", "une table pour quatre personnes", "non, plutôt cinq", 5),
    ("fr", "une table pour quatre personnes", "non mettez cinq", 5),
    ("fr", "une table pour quatre personnes", "en fait on sera cinq", 5),
    ("zh", "四位", "不，五位", 5),
    ("zh", "订四个人的位子", "改成五个", 5),
]

NUMBERS = [
    ("en", "call me back at five five five one two one two", "5551212"),
    ("en", "ring me at seven seven nine five two three one four four eight one", "77952314481"),
    ("es", "llámame al seis uno dos tres cuatro cinco seis siete ocho", "612345678"),
    ("de", "rufen sie mich an unter null eins sieben zwei drei vier fünf sechs", "01723456"),
]


def told(language: str, *lines: str) -> dict[str, Any]:
    notes = opened()
    for turn, line in enumerate(lines, 1):
        notes = say(notes, line, turn=turn, language=language)
    return values(notes)


@pytest.mark.parametrize(("language", "first", "then", "expected"), HOURS)
def test_an_hour_alone_stays_in_the_half_it_amends(
    language: str, first: str, then: str, expected: str
) -> None:
    assert told(language, first, then)["time"] == expected


def test_an_hour_amended_in_the_same_breath_stays_in_its_half() -> None:
    assert told("en", "seven pm no actually eight")["time"] == "20:00"


def test_at_the_same_distance_the_half_stays() -> None:
    assert nearest("09:00", "15:00") == "21:00"
    assert nearest("09:00", "03:00") == "09:00"


@pytest.mark.parametrize(("language", "first", "then", "expected"), COUNTS)
def test_a_count_alone_amends_the_count(language: str, first: str, then: str, expected: int | None) -> None:
    assert told(language, first, then).get("party_size") == expected


def test_a_time_beside_digits_to_call_is_still_one() -> None:
    found = told("en", "ring me on oh one six one four nine six oh double seven two after six pm")
    assert (found["phone"], found["time"]) == ("01614960772", "18:00")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "hi this is carol whitaker um id like a table for six", "carol whitaker"),
        ("en", "its under the name of priya raman p r i y a", "Priya raman"),
        ("en", "my last name is oconnell thats o c o n n e l l", "Oconnell"),
        ("es", "hola soy lucía navarro quería una mesa para tres", "lucía navarro"),
        ("de", "hier ist thomas brandt ich hätte gern einen tisch", "thomas brandt"),
        ("fr", "je m'appelle julie moreau euh une table pour quatre", "julie moreau"),
    ],
)
def test_a_name_ends_where_something_else_begins(language: str, text: str, expected: str) -> None:
    assert told(language, text)["name"] == expected


def test_fillers_are_no_part_of_a_thing() -> None:
    assert told("en", "im allergic to shellfish and uh dairy")["allergies"] == ["shellfish", "dairy"]


def test_people_behind_an_hour_are_no_fraction_of_it() -> None:
    found = told("zh", "周日中午十二点三位")
    assert (found["time"], found["party_size"]) == ("12:00", 3)


@pytest.mark.parametrize(("language", "text", "expected"), NUMBERS)
def test_digits_to_call_are_no_time(language: str, text: str, expected: str) -> None:
    found = told(language, text)
    assert "time" not in found
    assert found["phone"].lstrip("+") == expected
