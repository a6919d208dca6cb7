"""What the caller says is not so: never a value, never a fact, and what was said before goes."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.lasting import lasting
from tests.notes.talk import talk, values

Line = str | tuple[str, str]

NOTHING: list[Line] = [
    "I have no allergies",
    "no known allergies",
    "I have no food allergies",
    "I've no allergies at all",
    "I don't have any allergies",
    "I'm not allergic to anything",
    "ich habe keine Allergien",
    "ich habe keine bekannten Allergien",
    "ich bin gegen nichts allergisch",
    "no tengo alergias",
    "no tengo ninguna alergia",
    "sin alergias",
    "je n'ai pas d'allergies",
    "je n'ai aucune allergie",
    "我没有过敏",
    "我没有食物过敏",
    "我对什么都不过敏",
    "我是过敏体质",
    ("Do you have any allergies?", "none"),
    ("Do you have any allergies?", "none at all"),
    ("Do you have any allergies?", "nope, none"),
    ("Do you have any allergies?", "no allergies"),
    ("Do you have any allergies?", "not that I know of"),
    ("Do you have any allergies?", "no, nothing"),
    ("Do you have any allergies?", "no I don't"),
    ("Do you have any allergies?", "no, I'm not"),
    ("Do you have any allergies?", "yes, I do"),
    ("Do you have any allergies?", "yes I have"),
    ("Haben Sie Allergien?", "keine"),
    ("Haben Sie Allergien?", "nein, keine"),
    ("Haben Sie Allergien?", "nicht dass ich wüsste"),
    ("Haben Sie Allergien?", "ja, habe ich"),
    ("¿Tiene alguna alergia?", "ninguna"),
    ("¿Tiene alguna alergia?", "ninguna que yo sepa"),
    ("¿Tiene alguna alergia?", "sí, tengo"),
    ("Avez-vous des allergies ?", "aucune"),
    ("Avez-vous des allergies ?", "pas que je sache"),
    ("Avez-vous des allergies ?", "oui, j'en ai"),
    ("您有过敏吗？", "没有"),
    ("您有过敏吗？", "不过敏"),
    ("您有过敏吗？", "没有过敏"),
    ("您有过敏吗？", "有的"),
]


@pytest.mark.parametrize("line", NOTHING, ids=str)
def test_words_that_name_no_thing_set_nothing(line: Line) -> None:
    notes = talk(line)
    assert values(notes) == {}
    assert lasting(notes) == []


NAMED: list[tuple[Line, list[str]]] = [
    ("I'm allergic to nuts", ["nuts"]),
    ("don't forget I'm allergic to nuts", ["nuts"]),
    ("no, I'm allergic to nuts", ["nuts"]),
    ("no I'm allergic to nuts", ["nuts"]),
    ("no, soy alérgica a las nueces", ["nueces"]),
    ("n'oubliez pas que je suis allergique aux noix", ["noix"]),
    ("vergessen Sie nicht, ich bin allergisch gegen Nüsse", ["nüsse"]),
    ("别忘了我对坚果过敏", ["坚果"]),
    ("I'm allergic to nuts. Oh sorry, and I'm allergic to eggs", ["nuts", "eggs"]),
    (("Do you have any allergies?", "I do, yes, nuts"), ["nuts"]),
    (("Haben Sie Allergien?", "ja, Nüsse"), ["nüsse"]),
    (("¿Tiene alguna alergia?", "sí, a las nueces"), ["nueces"]),
    (("Avez-vous des allergies ?", "oui, aux noix"), ["noix"]),
    (("您有过敏吗？", "有，花生"), ["花生"]),
    # Put right in the same breath.
    ("I'm allergic to nuts, no wait, to seeds", ["seeds"]),
    ("I'm allergic to nuts, sorry, seeds", ["seeds"]),
    ("I'm allergic to nuts. No, I'm allergic to seeds", ["seeds"]),
    ("I'm allergic to eggs and nuts, no wait, seeds", ["eggs", "seeds"]),
    ("ich bin allergisch gegen Nüsse, nein warte, gegen Samen", ["samen"]),
    ("soy alérgica a las nueces, no, perdón, a las semillas", ["semillas"]),
    ("je suis allergique aux noix, non pardon, aux graines", ["graines"]),
    ("我对坚果过敏，不对，对种子过敏", ["种子"]),
    # One named, one denied.
    ("I'm allergic to nuts but not to eggs", ["nuts"]),
    ("I'm allergic to nuts, not seeds", ["nuts"]),
    ("I'm allergic to nuts and not to eggs", ["nuts"]),
    ("I'm not allergic to nuts, I'm allergic to cashews", ["cashews"]),
]


@pytest.mark.parametrize(("line", "expected"), NAMED, ids=[str(one[0]) for one in NAMED])
def test_only_what_is_named_is_listed(line: Line, expected: list[str]) -> None:
    assert values(talk(line)) == {"allergies": expected}


DENIED: list[tuple[str, str]] = [
    ("I'm not allergic to nuts", "nuts"),
    ("I'm no longer allergic to nuts", "nuts"),
    ("I used to be allergic to milk", "milk"),
    ("I was allergic to milk as a child", "milk"),
    ("I don't have a nut allergy", "nut"),
    ("ich bin nicht mehr allergisch gegen Nüsse", "nüsse"),
    ("ich war früher gegen Milch allergisch", "milch"),
    ("no soy alérgica a las nueces", "nueces"),
    ("ya no soy alérgica a las nueces", "nueces"),
    ("antes era alérgica a la leche", "leche"),
    ("je ne suis pas allergique aux noix", "noix"),
    ("je ne suis plus allergique aux noix", "noix"),
    ("j'étais allergique au lait avant", "lait"),
    ("我对坚果不过敏", "坚果"),
    ("我对坚果已经不过敏了", "坚果"),
    ("我以前对牛奶过敏", "牛奶"),
]


@pytest.mark.parametrize(("said", "value"), DENIED, ids=[one[0] for one in DENIED])
def test_what_is_denied_is_taken_back_across_calls(said: str, value: str) -> None:
    notes = talk(said)
    assert values(notes) == {}
    assert [(one.op, one.key, one.value) for one in lasting(notes)] == [("retract", "allergy", value)]


REPLACED: list[tuple[tuple[str, str], str, str]] = [
    (("I'm allergic to walnuts", "sorry, I'm not allergic to walnuts, it's cashews"), "walnuts", "cashews"),
    (
        (
            "ich bin allergisch gegen Walnüsse",
            "Entschuldigung, ich bin nicht allergisch gegen Walnüsse, sondern gegen Cashews",
        ),
        "walnüsse",
        "cashews",
    ),
    (
        ("soy alérgica a las nueces", "perdón, no soy alérgica a las nueces, es a los anacardos"),
        "nueces",
        "anacardos",
    ),
    (
        ("je suis allergique aux noix", "pardon, je ne suis pas allergique aux noix, c'est aux amandes"),
        "noix",
        "amandes",
    ),
    (("我对核桃过敏", "不好意思，我不是对核桃过敏，是对腰果过敏"), "核桃", "腰果"),
]


@pytest.mark.parametrize(("lines", "gone", "kept"), REPLACED, ids=[one[0][1] for one in REPLACED])
def test_one_is_denied_and_the_other_takes_its_place(lines: tuple[str, str], gone: str, kept: str) -> None:
    notes = talk(*lines)
    assert values(notes) == {"allergies": [kept]}
    told: dict[str, Any] = {one.value: one.op for one in lasting(notes)}
    assert told == {kept: "add", gone: "retract"}


def test_a_preference_for_none_of_a_thing_is_one() -> None:
    assert values(talk("I prefer no meat")) == {"preferences": ["no meat"]}
