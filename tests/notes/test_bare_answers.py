"""An answer to a question is an answer to it: what is no thing, place or name of one's own fills nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import BOOKING, talk, values

ALLERGIES = {
    "en": "Do you have any allergies?",
    "de": "Haben Sie Allergien?",
    "es": "¿Tiene alguna alergia?",
    "fr": "Avez-vous des allergies ?",
    "zh": "您有什么过敏吗？",
}

NO_THING = [
    # Of somebody else.
    ("en", "a friend of mine hates fish"),
    ("en", "the kids are with me"),
    ("de", "eine Freundin von mir hasst Fisch"),
    ("es", "un amigo mío odia el pescado"),
    ("fr", "un ami à moi déteste le poisson"),
    ("zh", "我朋友讨厌鱼"),
    # Of something else.
    ("en", "my card is [card]"),
    ("en", "[card]"),
    ("en", "4417"),
    ("de", "meine Karte ist [card]"),
    ("es", "mi tarjeta es [card]"),
    ("fr", "ma carte c'est [card]"),
    ("zh", "我的卡号是[card]"),
    # A sentence of its own, or no answer yet.
    ("en", "I take aspirin every day"),
    ("en", "I'm in the car right now"),
    ("en", "we are all good"),
    ("en", "I need a taxi to the station"),
    ("de", "ich brauche ein Taxi"),
    ("en", "good question"),
    ("en", "hang on a second"),
    ("de", "ich nehme jeden Tag Aspirin"),
    ("de", "einen Augenblick"),
    ("es", "un segundo"),
    ("fr", "je prends de l'aspirine"),
    ("zh", "稍等我问一下"),
]


@pytest.mark.parametrize(("language", "answer"), NO_THING, ids=[one[1] for one in NO_THING])
def test_what_names_no_thing_is_none(language: str, answer: str) -> None:
    assert values(talk((ALLERGIES[language], answer))) == {}


THINGS: list[tuple[str, str, list[str]]] = [
    ("en", "yes, fish", ["fish"]),
    ("en", "peanuts and shellfish please", ["peanuts", "shellfish"]),
    ("en", "penicillin, and my daughter has none", ["penicillin"]),
    ("de", "ja, Fisch und Nüsse bitte", ["fisch", "nüsse"]),
    ("es", "sí, al pescado", ["pescado"]),
    ("fr", "oui, le poisson", ["poisson"]),
    ("zh", "鱼", ["鱼"]),
]


@pytest.mark.parametrize(("language", "answer", "things"), THINGS, ids=[one[1] for one in THINGS])
def test_a_thing_is_taken(language: str, answer: str, things: list[str]) -> None:
    assert values(talk((ALLERGIES[language], answer))) == {"allergies": things}


def test_what_others_like_is_no_preference_of_the_caller() -> None:
    asked = "Do you have any preferences?"
    assert values(talk((asked, "my husband likes it quiet"))) == {}
    assert values(talk((asked, "I'd like a window table"))) == {"preferences": ["window table"]}


PLACES: list[tuple[str, str, str | None]] = [
    ("What is the address?", "12 Baker Street tomorrow at seven please", "12 Baker Street"),
    ("What is the address?", "I'm at the station", "the station"),
    ("What is the address?", "my friend lives in Baker Street 12", "Baker Street 12"),
    ("What is the address?", "14 Baker Street, I have two bags", "14 Baker Street"),
    ("What is the address?", "I don't have it with me", None),
    ("What is the address?", "my card is [card]", None),
    ("What is the address?", "my phone is 555 123 4567", None),
    ("Where is the place?", "a friend of mine is sick", None),
    ("Where is the place?", "tomorrow at seven", None),
    ("Wie ist die Adresse?", "ich bin am Hauptbahnhof", "Hauptbahnhof"),
    ("Wie ist die Adresse?", "die habe ich nicht dabei", None),
    ("¿Cuál es la dirección?", "estoy en la estación", "la estación"),
    ("Quelle est l'adresse ?", "je suis à la gare", "la gare"),
    ("地址是哪里？", "我在火车站", "火车站"),
]


@pytest.mark.parametrize(("question", "answer", "place"), PLACES, ids=[one[1] for one in PLACES])
def test_of_an_answer_a_place_is_only_what_is_one(question: str, answer: str, place: str | None) -> None:
    assert values(talk((question, answer))).get("place") == place


NO_NAME = [
    ("What's the name?", "my card number"),
    ("What's the name?", "my wife Anna"),
    ("What's the name?", "[card]"),
    ("Wie ist der Name?", "meine Karte"),
    ("Wie ist der Name?", "meine Frau Anna"),
    ("¿A qué nombre?", "mi tarjeta"),
    ("C'est à quel nom ?", "ma carte"),
    ("请问姓名？", "我太太"),
]


@pytest.mark.parametrize(("question", "answer"), NO_NAME, ids=[one[1] for one in NO_NAME])
def test_what_is_mine_is_no_name(question: str, answer: str) -> None:
    assert values(talk((question, answer), schema=BOOKING)) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we'll be there at six", {"time": "18:00"}),
        ("wir sind um sechs da", {"time": "18:00"}),
        ("we'll be six", {"time": "18:00", "party_size": 6}),
    ],
)
def test_who_come_at_six_are_not_six(text: str, expected: dict[str, Any]) -> None:
    assert values(talk("at six in the evening", text)) == expected
