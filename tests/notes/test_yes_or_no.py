"""What a yes or no with more in it does to a read-back of one value and of several."""

from __future__ import annotations

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import held, talk, values

BOOKED = {
    "en": ("a table for four people on Friday at 7 pm", "Friday at 7 pm for four people, is that right?"),
    "de": ("ein Tisch für vier Personen am Freitag um 19 Uhr",
           "Freitag um 19 Uhr für vier Personen, stimmt das?"),
    "es": ("una mesa para cuatro personas el viernes a las siete de la tarde",
           "El viernes a las siete de la tarde para cuatro personas, ¿es correcto?"),
    "fr": ("une table pour quatre personnes vendredi à 19 heures",
           "Vendredi à 19 heures pour quatre personnes, c'est correct ?"),
    "zh": ("周五晚上七点四个人", "周五晚上七点，四个人，对吗？"),
}  # fmt: skip
STANDING = {"date": "2026-12-04", "time": "19:00", "party_size": 4}

MAYBE = {
    "en": ("maybe on Friday", "Friday, is that right?"),
    "de": ("vielleicht am Freitag", "Freitag, stimmt das?"),
    "es": ("quizás el viernes", "El viernes, ¿es correcto?"),
    "fr": ("peut-être vendredi", "Vendredi, c'est correct ?"),
    "zh": ("可能周五", "周五，对吗？"),
}

AGREES = {
    "en": ["no, that's fine", "no no it's fine", "no worries", "no problem", "no complaints",
           "no it's perfect", "mm-hm", "all good", "you bet", "why not", "I think so"],
    "de": ["nein, das passt", "nein nein, alles gut", "kein Problem", "mhm", "klar doch", "so ist es"],
    "es": ["no, está bien", "no hay problema", "no pasa nada", "ajá"],
    "fr": ["non, c'est bon", "pas de problème", "pas de souci", "hum hum"],
    "zh": ["没问题", "没关系", "嗯嗯"],
}  # fmt: skip

DENIES = {
    "en": ["not really", "that's not right", "I don't think that's right", "not exactly", "uh-uh",
           "absolutely not", "almost"],
    "de": ["nicht wirklich", "auf gar keinen Fall", "leider nein", "nicht ganz"],
    "es": ["la verdad es que no", "no exactamente", "casi"],
    "fr": ["pas vraiment", "absolument pas", "presque"],
    "zh": ["不太对", "不完全对", "绝对不行"],
}  # fmt: skip

NEITHER = {
    "en": ["yeah no", "I guess so", "I'm not sure", "no idea"],
    "de": ["ja nein", "ich weiß nicht", "jein"],
    "es": ["sí no", "no sé"],
    "fr": ["oui non", "je ne sais pas"],
    "zh": ["是的不对", "不知道", "应该是吧"],
}


def each(answers: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, answer) for language, all_of in answers.items() for answer in all_of]


@pytest.mark.parametrize(("language", "answer"), each(AGREES))
def test_it_agrees(language: str, answer: str) -> None:
    text, question = BOOKED[language]
    notes = talk(text, (question, answer))
    assert values(notes) == STANDING
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}
    text, question = MAYBE[language]
    assert held(talk(text, (question, answer)), "date").confidence == "confirmed"


@pytest.mark.parametrize(("language", "answer"), each(DENIES))
def test_it_denies(language: str, answer: str) -> None:
    text, question = BOOKED[language]
    notes = talk(text, (question, answer))
    assert values(notes) == STANDING
    assert {h.confidence for h in notes.state.slots.values()} == {"pending"}
    text, question = MAYBE[language]
    assert values(talk(text, (question, answer))) == {}


@pytest.mark.parametrize(("language", "answer"), each(NEITHER))
def test_it_does_neither(language: str, answer: str) -> None:
    text, question = BOOKED[language]
    notes = talk(text, (question, answer))
    assert values(notes) == STANDING
    assert {h.confidence for h in notes.state.slots.values()} == {"confirmed"}
    text, question = MAYBE[language]
    assert held(talk(text, (question, answer)), "date").confidence == "inferred"


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "yes except for the time"),
        ("de", "ja, bis auf die Uhrzeit"),
        ("es", "sí, menos la hora"),
        ("fr", "oui, sauf l'heure"),
        ("zh", "对，除了时间"),
    ],
)
def test_what_a_yes_leaves_out_is_taken_away(language: str, answer: str) -> None:
    text, question = BOOKED[language]
    assert values(talk(text, (question, answer))) == {"date": "2026-12-04", "party_size": 4}


@pytest.mark.parametrize("answer", ["no, that's fine", "no thanks, all good", "no I'm good"])
def test_a_friendly_no_to_an_offer_declines_it(answer: str) -> None:
    parking = MemorySchema((Slot("parking", "boolean"),))
    assert values(talk(("Would you like parking?", answer), schema=parking)) == {"parking": False}
