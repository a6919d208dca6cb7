"""What is put right with the marker behind it, without a marker, or in a part of a longer value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import Line, talk, values

SATURDAY = "2026-12-05"

SAID: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    # The marker after the value.
    (("my name is anna schmidt", "hanna actually"), {"name": "hanna schmidt"}),
    (("my name is Anna Schmidt", "it's Hannah, actually"), {"name": "Hannah Schmidt"}),
    (("my name is Anna Schmidt", "Hannah I mean"), {"name": "Hannah Schmidt"}),
    (("ich heiße Anna Schmidt", "hanna eigentlich"), {"name": "hanna Schmidt"}),
    (("me llamo Ana Ruiz", "Anna en realidad"), {"name": "Anna Ruiz"}),
    (("je m'appelle Anna Petit", "Hanna en fait"), {"name": "Hanna Petit"}),
    (("my name is Anna Schmidt", "great actually"), {"name": "Anna Schmidt"}),
    (("my name is Anna Schmidt", "never mind, sorry"), {"name": "Anna Schmidt"}),
    (("on Friday", "Saturday I mean"), {"date": SATURDAY}),
    (("am Freitag", "Samstag meine ich"), {"date": SATURDAY}),
    (("el viernes", "el sábado en realidad"), {"date": SATURDAY}),
    (("vendredi", "samedi, je veux dire"), {"date": SATURDAY}),
    (("周五", "周六，我是说"), {"date": SATURDAY}),
    # A bare number that is put right at once.
    (("a table for four", "six, sorry, five"), {"party_size": 5}),
    (("a table for four", "six no wait five"), {"party_size": 5}),
    # Without a marker.
    (("I'm allergic to walnuts", "no not walnuts cashews"), {"allergies": ["cashews"]}),
    (("I'm allergic to walnuts", "not walnuts any more"), {}),
    (("I'm allergic to walnuts", "not walnuts. a table for two please"), {"party_size": 2}),
    # What was, and what is now.
    (("I used to be allergic to nuts, now only dairy",), {"allergies": ["dairy"]}),
    ((("Any allergies?", "used to be nuts, but now it's eggs"),), {"allergies": ["eggs"]}),
    (("I used to be allergic to nuts but now I can eat them",), {}),
    ((("Haben Sie Allergien?", "früher gegen Nüsse, jetzt nur Milch"),), {"allergies": ["milch"]}),
    (("era alérgico a las nueces, ahora solo a la leche",), {"allergies": ["leche"]}),
    (("j'étais allergique aux noix, maintenant seulement au lait",), {"allergies": ["lait"]}),
    (("我以前对花生过敏现在只对牛奶过敏",), {"allergies": ["牛奶"]}),
    # In a part of an address.
    (("my email is jo at gmail no at outlook dot com",), {"email": "jo@outlook.com"}),
    (("my email is jo at gmail dot com, no, at outlook dot com",), {"email": "jo@outlook.com"}),
    (("my email is jo at gmail dot com", "at outlook dot com actually"), {"email": "jo@outlook.com"}),
    (("my email is jo at gmail dot com", "no, at outlook dot com"), {"email": "jo@outlook.com"}),
    (("mi correo es jo arroba gmail punto com", "no, arroba outlook punto com"),
     {"email": "jo@outlook.com"}),
    ((("What's the address?", "12 Baker Street, no, 14 Baker Street"),), {"place": "14 Baker Street"}),
    ((("What's the address?", "12 baker street sorry 14 baker street"),), {"place": "14 baker street"}),
    ((("What's the address?", "12 Baker Street, no, 14"),), {}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), SAID, ids=[str(one[0]) for one in SAID])
def test_what_is_put_right(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected
