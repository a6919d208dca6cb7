"""Values as they are said without pauses: parties, names, limits, accents, times of something else."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.tokens import tokens
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import Line, held, talk, values

PARTIES: list[tuple[str, int | None]] = [
    ("me my wife and two kids", 4),
    ("my wife my son and i", 3),
    ("it's for me my wife and our daughter", 3),
    ("the four of us plus my parents", 6),
    ("there's four of us and two kids", 6),
    ("four of us and my parents", 6),
    ("a table for two me and my wife", 2),
    ("six people me and five friends", 6),
    ("four people two adults and two kids", 4),
    ("me my wife", None),
]


@pytest.mark.parametrize(("text", "size"), PARTIES)
def test_a_party_listed_without_a_pause(text: str, size: int | None) -> None:
    assert values(talk(("How many are you?", text))).get("party_size") == size


NAMES: list[tuple[str, str, str]] = [
    ("What's your name?", "robert s m y t h e", "robert Smythe"),
    ("What's your name?", "peter m e y e r", "peter Meyer"),
    ("What's your name?", "smith s m y t h", "Smyth"),
    ("What's your name?", "robert smith s m y t h e", "robert Smythe"),
    ("What's your name?", "hargreaves h a r g r e a v e s", "Hargreaves"),
    ("What's your name?", "hill margaret hill", "margaret hill"),
    ("What's your name?", "sandra sandra okafor", "sandra okafor"),
    ("What's your name?", "Lin Lin Chen", "Lin Lin Chen"),
    ("Wie ist Ihr Name?", "anna m e y e r", "anna Meyer"),
    ("C'est à quel nom ?", "lefèvre l e f e v r e", "Lefèvre"),
]


@pytest.mark.parametrize(("agent", "answer", "name"), NAMES, ids=[one[1] for one in NAMES])
def test_a_name_spelled_or_told_again(agent: str, answer: str, name: str) -> None:
    assert values(talk((agent, answer))) == {"name": name}


ORDER = MemorySchema(
    (Slot("account", "digits", pattern=r"\d{8}"), Slot("budget", "money"), Slot("arrival_time", "time"))
)
GIVEN = ("Your account?", "four oh one two double seven three nine")

ENDS: list[tuple[str, str]] = [
    ("no it's double six three nine at the end", "40126639"),
    ("no at the end it's double six three nine", "40126639"),
    ("nein am ende sechs sechs drei neun", "40126639"),
]


@pytest.mark.parametrize(("answer", "account"), ENDS)
def test_the_end_of_a_row_is_said_right(answer: str, account: str) -> None:
    asked = "Four zero one two, seven seven three nine?"
    assert values(talk(GIVEN, (asked, answer), schema=ORDER)) == {"account": account}


LIMITS: list[tuple[str, str, dict[str, Any], str]] = [
    ("Your budget?", "not more than three hundred pounds", {"budget": 300}, "confirmed"),
    ("Ihr Budget?", "nicht mehr als dreihundert Euro", {"budget": 300}, "confirmed"),
    ("Your budget?", "we don't want to spend more than 300 euros", {"budget": 300}, "inferred"),
    ("Your budget?", "between two and three thousand pounds", {"budget": 3000}, "inferred"),
    ("What arrival time?", "not before ten pm", {"arrival_time": "22:00"}, "inferred"),
]


@pytest.mark.parametrize(("agent", "answer", "expected", "confidence"), LIMITS)
def test_a_limit_is_no_denial(agent: str, answer: str, expected: dict[str, Any], confidence: str) -> None:
    notes = talk((agent, answer), schema=ORDER)
    assert values(notes) == expected
    assert [value.confidence for value in notes.state.slots.values()] == [confidence]


EVENTS: list[tuple[str, str, dict[str, Any]]] = [
    ("What arrival time?", "my flight lands at six thirty so maybe eight in the evening",
     {"arrival_time": "20:00"}),
    ("", "my flight lands at six thirty", {}),
    ("", "i get off work at five", {}),
    ("Ankunftszeit?", "mein Zug kommt um siebzehn Uhr an", {}),
    ("", "el vuelo llega a las seis de la tarde", {}),
    ("", "mon train arrive à dix-huit heures", {}),
    ("", "我的飞机晚上六点到", {}),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "text", "expected"), EVENTS, ids=[one[1] for one in EVENTS])
def test_the_time_of_a_flight_or_shift_is_not_the_one_wanted(
    agent: str, text: str, expected: dict[str, Any]
) -> None:
    assert values(talk((agent, text), schema=ORDER)) == expected


def test_a_slot_for_the_flight_takes_its_time() -> None:
    pickup = MemorySchema((Slot("flight_time", "time", description="when the flight lands"),))
    notes = talk(("When does your flight land?", "the flight lands at six thirty pm"), schema=pickup)
    assert values(notes) == {"flight_time": "18:30"}
    assert held(notes, "flight_time").confidence == "confirmed"


PARTS: list[tuple[tuple[Line, ...], str]] = [
    (("a table for two on friday evening", ("What time?", "half seven")), "19:30"),
    (("une table vendredi soir", ("À quelle heure ?", "vers huit heures")), "20:00"),
    (("周五晚上四个人", ("几点呢？", "七点 不 七点半吧")), "19:30"),
    (("el viernes por la noche", ("¿A qué hora?", "a las nueve")), "21:00"),
    (("tomorrow morning", ("What time?", "at eight")), "08:00"),
]


@pytest.mark.parametrize(("lines", "time"), PARTS, ids=[str(one[0][0]) for one in PARTS])
def test_the_part_of_a_day_told_before_is_that_of_the_time(lines: tuple[Line, ...], time: str) -> None:
    notes = talk(*lines)
    assert held(notes, "time").value == time
    assert held(notes, "time").asked is None


PAST: list[tuple[str, str, dict[str, Any]]] = [
    ("", "i had an accident yesterday", {"incident_date": "2026-11-29"}),
    ("When did the accident happen?", "last thursday", {"incident_date": "2026-11-26"}),
    ("When did you last use the card?", "yesterday", {}),
]


@pytest.mark.parametrize(("agent", "text", "expected"), PAST)
def test_a_past_day_is_for_a_slot_whose_description_speaks_of_it(
    agent: str, text: str, expected: dict[str, Any]
) -> None:
    claim = MemorySchema((Slot("incident_date", "date", description="day of the accident or damage"),))
    assert values(talk((agent, text), schema=claim)) == expected


def test_a_past_day_fills_no_slot_for_another() -> None:
    bank = MemorySchema((Slot("transfer_date", "date"),))
    assert values(talk(("When did you last use it?", "yesterday around five"), schema=bank)) == {}


SPANISH: list[tuple[str, str, dict[str, Any]]] = [
    ("¿Alguna alergia?", "sí soy alérgica al marisco", {"allergies": ["marisco"]}),
    ("¿Alguna alergia?", "si, al marisco", {"allergies": ["marisco"]}),
    ("¿Alguna alergia?", "si fuera alérgica al marisco", {}),
    ("¿Alguna alergia?", "tomo aspirina", {}),
    ("¿Alguna alergia?", "vivo cerca", {}),
    ("¿A las nueve de la noche?", "sí", {"time": "21:00"}),
    ("Mardi ou mercredi ?", "le deuxième", {"date": "2026-12-02"}),
    ("Mardi ou mercredi ?", "rue de Lyon", {}),
]


@pytest.mark.parametrize(("agent", "text", "expected"), SPANISH, ids=[one[1] for one in SPANISH])
def test_words_that_only_an_accent_tells_apart(agent: str, text: str, expected: dict[str, Any]) -> None:
    assert values(talk((agent, text))) == expected


def test_a_space_between_chinese_words_is_a_pause() -> None:
    asked = "明天上午十点，对吗？"
    assert values(talk("明天上午十点", (asked, "不是 后天")))["date"] == "2026-12-02"


def test_where_all_chinese_characters_stand_apart_a_space_is_none() -> None:
    assert [word.stop for word in tokens("明 天 上 午 十 点")] == [""] * 6
    assert [word.stop for word in tokens("不是 后天上午")] == ["", "，", "", "", "", ""]


SAME = [
    ("At which address?", "the same as on the order"),
    ("An welche Adresse?", "dieselbe wie immer"),
    ("¿A qué dirección?", "la misma de siempre"),
    ("À quelle adresse ?", "c'est la même que la dernière fois"),
    ("送到什么地址？", "跟上次一样"),
]


@pytest.mark.parametrize(("agent", "answer"), SAME, ids=[one[1] for one in SAME])
def test_the_same_as_before_is_no_place(agent: str, answer: str) -> None:
    assert values(talk((agent, answer))) == {}


SERVICE = MemorySchema((Slot("service", values=["oil change", "brakes", "tyres"], multi=True),))

SERVICES: list[tuple[tuple[Line, ...], list[str] | None]] = [
    (("an oil change please", "yes and actually do the brakes as well"), ["oil change", "brakes"]),
    (("an oil change and the brakes", "leave out the brakes actually"), ["oil change"]),
    (("do you do tyres",), ["tyres"]),
]


@pytest.mark.parametrize(("lines", "services"), SERVICES)
def test_what_is_to_be_done_is_no_question(lines: tuple[Line, ...], services: list[str] | None) -> None:
    assert values(talk(*lines, schema=SERVICE)).get("service") == services


HOUSES: list[tuple[str, str, str, str]] = [
    ("12 Baker Street", "12 Baker Street?", "no, 14", "14 Baker Street"),
    ("twelve baker street", "Twelve Baker Street?", "no fourteen", "fourteen baker street"),
    ("Hauptstraße 12", "Hauptstraße 12, richtig?", "nein, vierzehn", "Hauptstraße vierzehn"),
    ("twelve baker street", "Twelve Baker Street?", "no fourteen baker street", "fourteen baker street"),
]


@pytest.mark.parametrize(("place", "agent", "answer", "mended"), HOUSES)
def test_the_number_of_a_house_is_said_right(place: str, agent: str, answer: str, mended: str) -> None:
    asked = "What is the address?" if not place.startswith("Haupt") else "Wie ist die Adresse?"
    assert values(talk((asked, place), (agent, answer))) == {"place": mended}


def test_a_number_alone_is_no_place() -> None:
    assert values(talk(("What is the address?", "fourteen"))) == {}


READ_BACK = "Allergic to nuts, right?"


def test_the_one_thing_of_a_list_is_put_right() -> None:
    notes = talk(("Any allergies?", "nuts"), (READ_BACK, "no, seeds"))
    assert values(notes) == {"allergies": ["seeds"]}
    assert held(notes, "allergies").confidence == "confirmed"


def test_a_no_that_may_deny_either_is_asked_about() -> None:
    notes = talk(("Any allergies?", "nuts"), (READ_BACK, "no seeds"))
    assert values(notes) == {"allergies": ["nuts"]}
    assert held(notes, "allergies").confidence == "pending"


def test_of_several_things_a_no_takes_none_away() -> None:
    notes = talk(("Any allergies?", "nuts and eggs"), ("Nuts and eggs, right?", "no, fish too"))
    assert "nuts" in values(notes)["allergies"]


TAILS: list[tuple[str, str, str]] = [
    ("five five zero one nine", "no one nine at the end", "55019"),
    ("eight eight one zero three", "no zero one three", "88013"),
    ("eight eight one zero three", "no, it's four four one seven two", "44172"),
]


@pytest.mark.parametrize(("row", "answer", "mended"), TAILS)
def test_the_end_of_a_row_without_a_pattern(row: str, answer: str, mended: str) -> None:
    notes = talk(("Your order number?", row), (f"Order {row}?", answer))
    assert values(notes) == {"order_number": mended}


def test_who_is_called_what_fills_no_name_of_the_caller() -> None:
    vet = MemorySchema((Slot("owner", "name", description="name of the owner"), Slot("pet_name", "text")))
    notes = talk(("What's your name?", "Olga Petrenko"), schema=vet)
    assert "pet_name" not in values(notes)
    assert values(talk(("What's the pet name?", "Rex"), schema=vet))["pet_name"] == "Rex"


@pytest.mark.parametrize(
    ("agent", "answer", "time", "confidence"),
    [
        ("Half past seven then?", "perfect", "07:30", "inferred"),
        ("Half past seven in the evening then?", "perfect", "19:30", "confirmed"),
        ("Half past six then?", "perfect", "18:30", "confirmed"),
    ],
)
def test_a_yes_to_either_half_of_the_day_settles_no_half(
    agent: str, answer: str, time: str, confidence: str
) -> None:
    notes = talk((agent, answer))
    assert (held(notes, "time").value, held(notes, "time").confidence) == (time, confidence)


def test_when_it_was_ordered_is_no_day_that_is_wanted() -> None:
    assert values(talk(("When did you order it?", "on the twentieth of November"))) == {}


def test_a_number_that_no_country_gives_out_is_read_back() -> None:
    asked = "Your phone number?"
    notes = talk(
        (asked, "oh one two three four five six seven eight nine one two three"), timezone="Europe/London"
    )
    assert {value.confidence for value in notes.state.slots.values()} <= {"inferred"}
    good = talk((asked, "oh seven nine one one one two three four five six"), timezone="Europe/London")
    assert held(good, "phone").confidence == "confirmed"
