"""A yes or no to what the agent read back or offered: what it takes, what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import held, talk, values

FRIDAY, SATURDAY = "2026-12-04", "2026-12-05"
TUESDAY, WEDNESDAY, THURSDAY = "2026-12-01", "2026-12-02", "2026-12-03"

Line = str | tuple[str, str]

BOOKED = {
    "en": "my name is Ana Ruiz, a table Friday at 7 pm for four people",
    "de": "mein Name ist Ana Ruiz, ein Tisch am Freitag um 19 Uhr für vier Personen",
    "es": "mi nombre es Ana Ruiz, una mesa el viernes a las siete de la tarde para cuatro personas",
    "fr": "je m'appelle Ana Ruiz, une table vendredi à 19 heures pour quatre personnes",
    "zh": "我叫王芳，周五晚上七点，四个人",
}
READ_BACK = {
    "en": "Ana Ruiz, Friday at 7 pm for four people?",
    "de": "Ana Ruiz, Freitag um 19 Uhr für vier Personen?",
    "es": "¿Ana Ruiz, viernes a las siete de la tarde para cuatro personas?",
    "fr": "Ana Ruiz, vendredi à 19 heures pour quatre personnes ?",
    "zh": "王芳，周五晚上七点，四个人，对吗？",
}
WINDOW = {
    "en": "Friday at 7 pm for four people, and would you like a window seat?",
    "de": "Freitag um 19 Uhr für vier Personen, und möchten Sie einen Fensterplatz?",
    "es": "¿Viernes a las siete de la tarde para cuatro personas, y quiere mesa junto a la ventana?",
    "fr": "Vendredi à 19 heures pour quatre personnes, et voulez-vous une place près de la fenêtre ?",
    "zh": "周五晚上七点，四个人，需要靠窗的座位吗？",
}
LANGUAGES = ("en", "de", "es", "fr", "zh")


def booked(language: str) -> dict[str, Any]:
    name = "王芳" if language == "zh" else "Ana Ruiz"
    return {"name": name, "date": FRIDAY, "time": "19:00", "party_size": 4}


REPLACED: list[tuple[str, str, dict[str, Any]]] = [
    ("en", "no, for six", {"party_size": 6}),
    ("en", "no, Saturday", {"date": SATURDAY}),
    ("en", "no, I said five", {"party_size": 5}),
    ("en", "no, at eight", {"time": "20:00"}),
    ("en", "no, Saturday, and make it three", {"date": SATURDAY, "party_size": 3}),
    # A yes to the rest, and what is wrong stated plainly.
    ("en", "friday yes but eight pm", {"time": "20:00"}),
    ("en", "yes except it's eight pm", {"time": "20:00"}),
    ("en", "the time is right but it's saturday", {"date": SATURDAY}),
    ("en", "almost it's five people", {"party_size": 5}),
    ("en", "no eight pm", {"time": "20:00"}),
    ("de", "ja aber um zwanzig Uhr", {"time": "20:00"}),
    ("es", "no a las nueve de la noche", {"time": "21:00"}),
    ("fr", "oui mais à vingt heures", {"time": "20:00"}),
    ("zh", "对但是八点", {"time": "20:00"}),
    ("de", "nein, für sechs", {"party_size": 6}),
    ("de", "nein, Samstag", {"date": SATURDAY}),
    ("de", "nein, Samstag, und machen Sie drei daraus", {"date": SATURDAY, "party_size": 3}),
    ("es", "no, para seis", {"party_size": 6}),
    ("es", "no, el sábado", {"date": SATURDAY}),
    ("es", "no, el sábado, y que sean tres", {"date": SATURDAY, "party_size": 3}),
    ("fr", "non, pour six", {"party_size": 6}),
    ("fr", "non, samedi", {"date": SATURDAY}),
    ("fr", "non, samedi, et mettez trois", {"date": SATURDAY, "party_size": 3}),
    ("zh", "不，六个人", {"party_size": 6}),
    ("zh", "不对，周六", {"date": SATURDAY}),
    ("zh", "不，周六，改成三个人", {"date": SATURDAY, "party_size": 3}),
]


@pytest.mark.parametrize(("language", "answer", "changed"), REPLACED, ids=[one[1] for one in REPLACED])
def test_a_no_with_a_replacement_changes_only_that(
    language: str, answer: str, changed: dict[str, Any]
) -> None:
    notes = talk(BOOKED[language], (READ_BACK[language], answer))
    assert values(notes) == booked(language) | changed
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}


@pytest.mark.parametrize(
    ("language", "answer"),
    [("en", "no"), ("en", "no, that's wrong"), ("de", "nein"), ("es", "no"), ("fr", "non"), ("zh", "不对")],
)
def test_a_bare_no_to_several_values_makes_each_wait_for_a_yes(language: str, answer: str) -> None:
    notes = talk(BOOKED[language], (READ_BACK[language], answer))
    assert values(notes) == booked(language)
    assert {h.confidence for h in notes.state.slots.values()} == {"pending"}
    assert len(notes.state.questions) == 4


def test_a_no_to_a_misread_name_keeps_the_name() -> None:
    said = talk("my name is john carter", ("Your name is Joan Carter, is that right?", "no john carter"))
    assert values(said) == {"name": "john carter"}
    denied = talk("my name is john carter", ("Your name is John Carter, is that right?", "no john carter"))
    assert values(denied) == {}


@pytest.mark.parametrize(
    ("answer", "expected"), [("i don't think so", False), ("no need", False), ("i think so yeah", True)]
)
def test_a_thought_is_an_answer(answer: str, expected: bool) -> None:
    parking = MemorySchema((Slot("parking", "boolean"),))
    assert values(talk(("Do you need parking?", answer), schema=parking)) == {"parking": expected}


def test_a_no_that_names_a_slot_concerns_that_slot() -> None:
    notes = talk(BOOKED["en"], (READ_BACK["en"], "no, the time is wrong"))
    assert values(notes) == {"name": "Ana Ruiz", "date": FRIDAY, "party_size": 4}
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}


def test_a_no_to_one_value_takes_it_away() -> None:
    assert values(talk("Friday at 7 pm", ("Is Friday right?", "no"))) == {"time": "19:00"}


@pytest.mark.parametrize(
    ("language", "answer"), [("en", "no"), ("de", "nein"), ("es", "no"), ("fr", "non"), ("zh", "不用")]
)
def test_a_no_to_a_second_question_concerns_only_that(language: str, answer: str) -> None:
    notes = talk(BOOKED[language], (WINDOW[language], answer))
    assert values(notes) == booked(language)
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "no no, yes that's right"),
        ("en", "no, that's right"),
        ("de", "nein nein, ja stimmt"),
        ("es", "no no, sí, eso es"),
        ("fr", "non non, oui c'est ça"),
        ("zh", "不不，对的"),
    ],
)
def test_a_no_that_is_taken_back_is_a_yes(language: str, answer: str) -> None:
    notes = talk(BOOKED[language], (READ_BACK[language], answer))
    assert values(notes) == booked(language)
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}


def test_a_word_of_agreement_inside_the_answer_does_not_undo_the_no() -> None:
    notes = talk("a table for four people", ("For four people?", "no, exactly five"))
    assert values(notes) == {"party_size": 5}


def test_is_that_right_asks_of_the_sentence_before_it() -> None:
    notes = talk("Friday at 7 pm", ("So that's Friday at 7 pm. Is that right?", "no"))
    assert {h.confidence for h in notes.state.slots.values()} == {"pending"}


CONFLICT = {
    "en": ("book Tuesday", "maybe Wednesday?", "Should I change Tuesday to Wednesday?", "yes", "no"),
    "de": ("Dienstag bitte", "vielleicht Mittwoch?", "Soll ich Dienstag auf Mittwoch ändern?", "ja", "nein"),
    "es": ("el martes", "¿quizás el miércoles?", "¿Cambio el martes al miércoles?", "sí", "no"),
    "fr": ("mardi, s'il vous plaît", "peut-être mercredi ?", "Je change mardi pour mercredi ?", "oui", "non"),
    "zh": ("周二", "也许周三？", "要把周二改成周三吗？", "是的", "不用"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_yes_and_no_settle_what_is_asked(language: str) -> None:
    one, rival, question, yes, no = CONFLICT[language]
    assert held(talk(one, rival), "date").asked == WEDNESDAY
    changed = held(talk(one, rival, (question, yes)), "date")
    assert (changed.value, changed.confidence, changed.asked) == (WEDNESDAY, "confirmed", None)
    kept = held(talk(one, rival, (question, no)), "date")
    assert (kept.value, kept.confidence, kept.asked) == (TUESDAY, "confirmed", None)


SETTLED: list[tuple[str, str, str]] = [
    ("Wednesday instead of Tuesday?", "yes please", WEDNESDAY),
    ("Should I keep Tuesday rather than Wednesday?", "yes", TUESDAY),
    ("Wednesday then?", "no", TUESDAY),
    ("Should I change Tuesday to Wednesday?", "no, Thursday", THURSDAY),
]


@pytest.mark.parametrize(("question", "answer", "expected"), SETTLED, ids=[one[0] for one in SETTLED])
def test_what_is_asked_is_settled(question: str, answer: str, expected: str) -> None:
    date = held(talk("book Tuesday", "maybe Wednesday?", (question, answer)), "date")
    assert (date.value, date.confidence, date.asked) == (expected, "confirmed", None)


def test_a_yes_to_two_alternatives_settles_nothing() -> None:
    date = held(talk("book Tuesday", "maybe Wednesday?", ("Tuesday or Wednesday?", "yes")), "date")
    assert (date.value, date.asked) == (TUESDAY, WEDNESDAY)


OFFERS: list[tuple[tuple[Line, ...], str]] = [
    (("at 7 pm", ("8 pm is free, is that ok?", "yes")), "20:00"),
    (("at 7 pm", ("8 pm is free, is that ok?", "no")), "19:00"),
    (("at 7 pm", ("We have no table at 7 pm, but 8 pm is free. Shall I book that?", "yes please")), "20:00"),
    (("at 7 pm", ("7 pm is full. Would 8 pm work?", "sure")), "20:00"),
    (("at 7 pm", ("The kitchen closes at 10 pm, is that ok?", "yes")), "19:00"),
    (("at 7 pm", ("8 pm is free, is that ok?", "yes, 8 pm")), "20:00"),
    (("at 7 pm", ("8 pm is free, would that work?", "eight is fine")), "20:00"),
    (("at 7 pm", ("8 pm is free, is that ok?", "no, 9 pm")), "21:00"),
    (("um 19 Uhr", ("20 Uhr ist frei, passt das?", "ja")), "20:00"),
    (("um 19 Uhr", ("20 Uhr ist frei, passt das?", "ja, um 20 Uhr")), "20:00"),
    (("a las siete de la tarde", ("A las ocho de la tarde está libre, ¿le va bien?", "sí")), "20:00"),
    (("à 19 heures", ("20 heures est libre, ça vous va ?", "oui")), "20:00"),
    (("晚上七点", ("晚上八点有空，可以吗？", "可以")), "20:00"),
]


@pytest.mark.parametrize(("lines", "expected"), OFFERS, ids=[str(one[0]) for one in OFFERS])
def test_what_the_agent_offers_instead_needs_a_yes(lines: tuple[Line, ...], expected: str) -> None:
    time = held(talk(*lines), "time")
    assert (time.value, time.confidence, time.asked) == (expected, "confirmed", None)


@pytest.mark.parametrize(
    ("said", "read_back", "date"),
    [
        ("Friday next week", "So that's Friday, right?", "2026-12-11"),
        ("on the 18th of March", "The 18th, is that right?", "2027-03-18"),
    ],
)
def test_a_day_read_back_in_part_is_the_day_that_stands(said: str, read_back: str, date: str) -> None:
    assert held(talk(said, (read_back, "yes")), "date").value == date


PICKED: list[tuple[str, str, str, str]] = [
    ("May 3rd or May 4th?", "the second one", "date", "2027-05-04"),
    ("Which one, May 3rd or May 4th?", "the first", "date", "2027-05-03"),
    ("Tuesday or Wednesday?", "the first one", "date", TUESDAY),
    ("Tuesday or Wednesday?", "the latter, please", "date", WEDNESDAY),
    ("Tuesday, Wednesday or Thursday?", "the last one", "date", THURSDAY),
    ("At 7 pm or at 8 pm?", "the second one", "time", "20:00"),
    ("At 8 pm or at 7 pm?", "the later one", "time", "20:00"),
    ("Dienstag oder Mittwoch?", "der erste", "date", TUESDAY),
    ("Dienstag oder Mittwoch?", "das zweite", "date", WEDNESDAY),
    ("Um 19 Uhr oder um 20 Uhr?", "der frühere", "time", "19:00"),
    ("¿El martes o el miércoles?", "el primero", "date", TUESDAY),
    ("¿El martes o el miércoles?", "el segundo", "date", WEDNESDAY),
    ("Mardi ou mercredi ?", "le premier", "date", TUESDAY),
    ("Mardi ou mercredi ?", "le deuxième", "date", WEDNESDAY),
    ("周二还是周三？", "第一个", "date", TUESDAY),
    ("周二还是周三？", "第二个", "date", WEDNESDAY),
]


@pytest.mark.parametrize(
    ("question", "answer", "slot", "expected"), PICKED, ids=[f"{one[0]} {one[1]}" for one in PICKED]
)
def test_one_of_the_alternatives_is_picked_by_its_place(
    question: str, answer: str, slot: str, expected: str
) -> None:
    notes = talk((question, answer))
    assert values(notes) == {slot: expected}
    assert held(notes, slot).confidence == "confirmed"


def test_the_first_is_a_day_where_nothing_is_to_pick_from() -> None:
    assert values(talk(("Which day would you like?", "the first"))) == {"date": "2026-12-01"}


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("can i give you that later", None),
        ("it's 14 baker street", "14 baker street"),
        ("please use 14 baker street", "use 14 baker street"),
    ],
)
def test_a_question_back_is_no_answer(answer: str, place: str | None) -> None:
    assert values(talk(("What's your address?", answer))).get("place") == place
