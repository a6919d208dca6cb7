"""Turns as callers of a restaurant, a practice, a bank and a taxi firm say them, in five languages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import Line, held, talk, values

SAID: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    # Whose name is asked.
    ((("What's his name?", "Oliver Brown"), ("And your name?", "Kate Brown")), {"name": "Kate Brown"}),
    ((("What's your son's name?", "Oliver Brown"),), {}),
    ((("Wie heißt Ihr Sohn?", "Oliver Braun"),), {}),
    ((("您儿子叫什么名字？", "王小明"),), {}),
    # A name said twice, the second time whole.
    ((("Your name?", "this is Margaret, Margaret Hill"),), {"name": "Margaret Hill"}),
    ((("Ihr Name?", "Bergmann, Klaus Bergmann"),), {"name": "Klaus Bergmann"}),
    ((("What's it under?", "Priya Raman"),), {"name": "Priya Raman"}),
    # The end of a number is not the number, and a pronoun is no digit.
    ((("From which account?", "the one ending in 4421"),), {}),
    ((("What's your account number?", "it's the one I gave you"),), {}),
    # When something happened is no wanted day.
    ((("When did you last use it?", "yesterday around five"),), {}),
    ((("Wann haben Sie sie zuletzt benutzt?", "gestern gegen fünf"),), {}),
    ((("¿Cuándo la usó?", "ayer a las cinco"),), {}),
    ((("Quand l'avez-vous utilisée ?", "hier vers cinq heures"),), {}),
    ((("什么时候用的？", "昨天五点左右"),), {}),
    ((("¿Qué le pasa?", "tengo tos desde hace tres días"),), {}),
    # Others than the caller, and both in one breath.
    ((("Any allergies?", "my mother in law can't have gluten and I'm lactose intolerant"),),
     {"allergies": ["lactose"]}),
    ((("有什么过敏吗？", "我婆婆不能吃麸质，我乳糖不耐受"),), {"allergies": ["乳糖"]}),
    # What comes along is no party, and a chair no hour.
    ((("How many passengers?", "me and two suitcases"),), {}),
    ((("¿El viernes a las nueve de la noche?", "sí, y una trona por favor"),),
     {"date": "2026-12-04", "time": "21:00"}),
    ((("Vendredi à vingt heures ?", "oui, et une chaise haute s'il vous plaît"),),
     {"date": "2026-12-04", "time": "20:00"}),
    ((("六位今晚七点半，对吗？", "对，还要一把儿童椅"),),
     {"date": "2026-11-30", "time": "19:30", "party_size": 6}),
    # A journey is no place, and where it hurts none either.
    ((("Where to?", "I need a cab from 22 Acacia Avenue to the airport"),), {}),
    ((("您哪里不舒服？", "咳嗽三天了"),), {}),
    ((("Wo sollen wir Sie abholen?", "vor dem Kino am Markt"),), {"place": "vor dem Kino am Markt"}),
    # Times.
    ((("What time?", "lunchtime, one-ish"),), {"time": "13:00"}),
    (("mañana a las seis menos cuarto de la mañana",), {"date": "2026-12-01", "time": "05:45"}),
    ((("周三九点二十可以吗？", "可以"),), {"date": "2026-12-02", "time": "09:20"}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), SAID, ids=[str(one[0]) for one in SAID])
def test_what_is_noted(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected


@pytest.mark.parametrize(
    "question",
    [
        "is the kitchen open at ten on Sunday",
        "haben Sie am Sonntag um zehn schon offen?",
        "¿está abierto el domingo a las diez?",
        "vous êtes ouverts dimanche à dix heures ?",
        "周日十点营业吗",
    ],
)
def test_when_they_are_open_is_a_guess_at_most(question: str) -> None:
    notes = talk(question)
    assert {h.confidence for h in notes.state.slots.values()} <= {"inferred"}


def test_the_half_of_a_guess_tells_no_other_half() -> None:
    notes = talk("is the kitchen open at ten on Sunday", "for two at eight on Sunday")
    assert held(notes, "time").asked == "20:00"
