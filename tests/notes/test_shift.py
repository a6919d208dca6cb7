"""Changes told relative to what stands, what they change and what they leave alone."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import held, talk, values

FRIDAY, SATURDAY, THURSDAY, WEEK_ON = "2026-12-04", "2026-12-05", "2026-12-03", "2026-12-11"

BOOKED = {
    "en": "a table for four on Friday at 7 pm",
    "de": "ein Tisch für vier am Freitag um 19 Uhr",
    "es": "una mesa para cuatro el viernes a las siete de la tarde",
    "fr": "une table pour quatre vendredi à 19 heures",
    "zh": "周五晚上七点四个人",
}
STANDING = {"date": FRIDAY, "time": "19:00", "party_size": 4}

SHIFTED: list[tuple[str, str, dict[str, Any]]] = [
    ("en", "make it an hour later", {"time": "20:00"}),
    ("en", "half an hour earlier please", {"time": "18:30"}),
    ("en", "could we push it back by an hour and a half", {"time": "20:30"}),
    ("en", "can we do it one day later", {"date": SATURDAY}),
    ("en", "actually the day before", {"date": THURSDAY}),
    ("en", "a week later", {"date": WEEK_ON}),
    ("en", "two more people", {"party_size": 6}),
    ("en", "there's one more", {"party_size": 5}),
    ("en", "one fewer", {"party_size": 3}),
    ("en", "another person is coming", {"party_size": 5}),
    ("en", "one more person and half an hour later", {"party_size": 5, "time": "19:30"}),
    ("en", "make it an hour later, yes an hour later", {"time": "20:00"}),
    ("de", "eine Stunde später bitte", {"time": "20:00"}),
    ("de", "eine halbe Stunde früher", {"time": "18:30"}),
    ("de", "einen Tag später", {"date": SATURDAY}),
    ("de", "zwei Personen mehr", {"party_size": 6}),
    ("de", "einer weniger", {"party_size": 3}),
    ("es", "una hora más tarde", {"time": "20:00"}),
    ("es", "media hora antes por favor", {"time": "18:30"}),
    ("es", "un día después", {"date": SATURDAY}),
    ("es", "dos personas más", {"party_size": 6}),
    ("fr", "une heure plus tard", {"time": "20:00"}),
    ("fr", "une demi-heure plus tôt", {"time": "18:30"}),
    ("fr", "un jour plus tard", {"date": SATURDAY}),
    ("fr", "deux personnes de plus", {"party_size": 6}),
    ("zh", "晚一个小时", {"time": "20:00"}),
    ("zh", "提前半小时", {"time": "18:30"}),
    ("zh", "晚一天", {"date": SATURDAY}),
    ("zh", "再加一个人", {"party_size": 5}),
]


@pytest.mark.parametrize(("language", "text", "changed"), SHIFTED, ids=[one[1] for one in SHIFTED])
def test_what_stands_is_shifted(language: str, text: str, changed: dict[str, Any]) -> None:
    notes = talk(BOOKED[language], text)
    assert values(notes) == STANDING | changed
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}


ALONE: list[tuple[str, str]] = [
    ("en", "not an hour later"),
    ("en", "I ate fish and an hour later I felt sick"),
    ("en", "one more question"),
    ("en", "one more time please"),
    ("en", "can I call you an hour later"),
    ("en", "two more or less"),
    ("de", "noch eine Frage"),
    ("de", "eine Stunde später war mir schlecht"),
    ("es", "una pregunta más"),
    ("fr", "encore une question"),
    ("zh", "再问一个问题"),
]


@pytest.mark.parametrize(("language", "text"), ALONE, ids=[one[1] for one in ALONE])
def test_what_asks_for_no_change_makes_none(language: str, text: str) -> None:
    assert values(talk(BOOKED[language], text)) == STANDING


@pytest.mark.parametrize(
    "text",
    ["an hour later", "two more people", "one day later", "eine Stunde später", "dos personas más",
     "une heure plus tard", "晚一个小时", "多两个人"],
)  # fmt: skip
def test_where_nothing_stands_nothing_is_set(text: str) -> None:
    assert values(talk(text)) == {}


def test_where_two_could_be_meant_neither_is_changed() -> None:
    trip = MemorySchema((Slot("leaves", "time"), Slot("returns", "time")))
    notes = talk(
        ("When do you leave?", "at 9 am"), ("When do you return?", "at 5 pm"), "an hour later", schema=trip
    )
    assert values(notes) == {"leaves": "09:00", "returns": "17:00"}


def test_a_moment_keeps_its_day_and_zone() -> None:
    trip = MemorySchema((Slot("when", "datetime"),))
    notes = talk("tomorrow at 3 pm", "an hour later", "one day later", schema=trip, timezone="Asia/Shanghai")
    assert values(notes) == {"when": "2026-12-02T16:00+08:00"}


def test_the_value_before_it_in_the_same_breath_is_shifted() -> None:
    assert values(talk("a table at 7 pm, no, an hour later")) == {"time": "20:00"}


def test_a_party_told_in_parts_is_no_change() -> None:
    assert values(talk("my wife and me and two more friends")) == {"party_size": 4}


@pytest.mark.parametrize(
    ("question", "answer", "time"),
    [
        ("Shall I make it an hour later?", "yes please", "20:00"),
        ("Shall I make it an hour later?", "yes, an hour later", "20:00"),
        ("Shall I make it an hour later?", "no thanks", "19:00"),
    ],
)
def test_the_agents_shift_is_a_proposal(question: str, answer: str, time: str) -> None:
    assert held(talk(BOOKED["en"], (question, answer)), "time").value == time


def test_a_shift_said_again_to_a_read_back_is_the_same_one() -> None:
    lines = (BOOKED["en"], "an hour later", ("So 8 pm, right?", "yes, an hour later"))
    assert held(talk(*lines), "time").value == "20:00"
    assert held(talk(*lines, ("8 pm, right?", "yes but an hour later")), "time").value == "21:00"


def test_an_unsure_value_stays_unsure() -> None:
    assert held(talk("maybe at 7 pm", "an hour later"), "time").confidence == "inferred"
    asked = held(talk(BOOKED["en"], "how about an hour later"), "time")
    assert (asked.value, asked.asked) == ("19:00", "20:00")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a bit later please"),
        ("de", "etwas später bitte"),
        ("es", "un poco más tarde"),
        ("fr", "un peu plus tôt"),
        ("zh", "晚一点"),
    ],
)
def test_a_vague_shift_leaves_the_time_in_doubt(language: str, text: str) -> None:
    time = held(talk(BOOKED[language], text), "time")
    assert (time.value, time.confidence) == ("19:00", "pending")
