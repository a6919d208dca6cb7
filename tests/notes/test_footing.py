"""What is asked, supposed, reported or said of others is no statement of the caller about the caller."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import held, opened, say, talk, values

THURSDAY, FRIDAY = "2026-12-03", "2026-12-04"

NOTHING = [
    # Asked about oneself, with and without the mark
    "am I allergic to walnuts?",
    "am i allergic to walnuts",
    "is my number 415 555 0132",
    "is my number four one five five five five oh one three two?",
    "did I say Thursday?",
    "did i say thursday",
    "didn't I say Thursday?",
    "do I prefer a window seat",
    "what time did I say, seven pm?",
    "remind me, am I booked for Thursday at eight pm",
    "was my appointment on Thursday",
    "do you have me down for Thursday",
    # Asked indirectly
    "I wonder whether I said Thursday",
    "I'm not sure whether I said Thursday or Friday",
    "I don't remember if I said Thursday",
    "do you know if I'm allergic to nuts",
    "can you tell me if my number is 415 555 0132",
    # Supposed
    "if I were allergic to nuts, would you have something",
    "what if I were allergic to nuts",
    "suppose I'm allergic to nuts",
    "imagine I was allergic to nuts",
    # Of somebody else
    "my friend is allergic to nuts",
    "she said she is allergic to nuts",
    "my son can't eat eggs",
    "do you have something for someone allergic to nuts",
    # Spanish
    "¿soy alérgica a las nueces?",
    "¿dije el jueves?",
    "no sé si dije el jueves",
    "me pregunto si dije el jueves",
    "si fuera alérgico a las nueces",
    "mi amiga es alérgica a las nueces",
    "¿es mi número el 612 345 678?",
    # German
    "bin ich allergisch gegen Nüsse",
    "habe ich Donnerstag gesagt",
    "ich weiß nicht, ob ich Donnerstag gesagt habe",
    "wenn ich allergisch gegen Nüsse wäre",
    "meine Freundin ist allergisch gegen Nüsse",
    "ist meine Nummer 0171 2345678",
    # French
    "est-ce que je suis allergique aux noix",
    "je ne sais pas si j'ai dit jeudi",
    "si j'étais allergique aux noix",
    "ma femme est allergique aux noix",
    # Chinese
    "我对花生过敏吗",
    "我是不是对花生过敏",
    "我说的是周四吗",
    "我有没有说周四",
    "我的电话是13800138000吗",
    "假如我对花生过敏",
    "我朋友对花生过敏",
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_set(text: str) -> None:
    assert values(talk(text)) == {}


STATED: list[tuple[str, dict[str, Any]]] = [
    ("is Friday possible?", {"date": FRIDAY}),
    ("can I come on Friday at 7 pm?", {"date": FRIDAY, "time": "19:00"}),
    ("my wife prefers Friday", {"date": FRIDAY}),
    ("if we come on Friday, can we park", {"date": FRIDAY}),
    ("I'm allergic to nuts, is that a problem?", {"allergies": ["nuts"]}),
    ("my wife is vegan and I'm allergic to nuts", {"allergies": ["nuts"]}),
    ("my wife and I are allergic to nuts", {"allergies": ["nuts"], "party_size": 2}),
    ("what time is my booking, I need to change it to Friday", {"date": FRIDAY}),
    ("did I say Thursday? I meant Friday", {"date": FRIDAY}),
    ("Friday. Did I say Thursday?", {"date": FRIDAY}),
    ("at 11:45 am, I have a booking for 6 people", {"time": "11:45", "party_size": 6}),
    ("my name is Anna Schmidt, right?", {"name": "Anna Schmidt"}),
    ("soy alérgica a las nueces", {"allergies": ["nueces"]}),
    ("¿tienen mesa para cuatro personas el viernes?", {"date": FRIDAY, "party_size": 4}),
    ("ich bin allergisch gegen Nüsse", {"allergies": ["nüsse"]}),
    ("ob ich am Freitag kommen kann?", {"date": FRIDAY}),
    ("周五有位子吗", {"date": FRIDAY}),
    ("我对花生过敏，有没有别的菜", {"allergies": ["花生"]}),
]


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[text for text, _ in STATED])
def test_what_is_stated_beside_it_stands(text: str, expected: dict[str, Any]) -> None:
    assert values(talk(text)) == expected


@pytest.mark.parametrize("text", ["did I say Thursday?", "habe ich Donnerstag gesagt", "我说的是周四吗"])
def test_a_rival_asked_about_is_named_beside_what_stands(text: str) -> None:
    notes = say(talk("Friday please"), text)
    assert (held(notes, "date").value, held(notes, "date").asked) == (FRIDAY, THURSDAY)
    assert held(notes, "date").confidence == "confirmed"
    (question,) = notes.state.questions
    assert THURSDAY in question
    assert FRIDAY in question


@pytest.mark.parametrize("text", ["did I say Friday?", "am I allergic to nuts", "did I cancel the date"])
def test_asking_for_what_stands_changes_nothing(text: str) -> None:
    before = talk("Friday please, I'm allergic to nuts")
    after = say(before, text)
    assert (after.state, after.changes) == (before.state, before.changes)


def test_another_item_asked_about_does_not_join_the_list() -> None:
    notes = talk("I'm allergic to nuts", "am I allergic to eggs")
    assert held(notes, "allergies").value == ["nuts"]
    assert notes.state.questions == ()


def test_somebody_elses_item_does_not_join_the_list() -> None:
    notes = talk("I'm allergic to nuts", "my husband is allergic to eggs and soy")
    assert held(notes, "allergies").value == ["nuts"]


def test_what_others_say_of_the_caller_is_a_guess() -> None:
    assert held(talk("my wife says I'm allergic to nuts"), "allergies").confidence == "inferred"
    assert held(talk("have I told you that I'm allergic to nuts"), "allergies").confidence == "inferred"


def test_a_number_of_somebody_else_is_a_guess() -> None:
    assert held(talk("my wife's number is 415 555 0132"), "phone").confidence == "inferred"


def test_choices_asked_about_set_nothing() -> None:
    schema = MemorySchema((Slot("area", values=["north", "south"]), Slot("parking", "boolean")))
    assert values(say(opened(schema), "did I say the north?")) == {}
    assert values(say(opened(schema), "did I ask for parking?")) == {}
    heard = ("did i say the north", "did i say a north", "did i say the north please")
    assert values(say(opened(schema), heard[0], nbest=(heard,))) == {}
