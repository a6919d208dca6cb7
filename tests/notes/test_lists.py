"""Things a caller lists: what is named, what is not, and what comes in the place of what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import Line, talk, values

SAID: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    # What holds after what does not, without a pause between.
    (("not allergic to walnuts it's cashews",), {"allergies": ["cashews"]}),
    (("not allergic to walnuts but to cashews",), {"allergies": ["cashews"]}),
    (("no soy alérgico a las nueces sino a los anacardos",), {"allergies": ["anacardos"]}),
    (("ich bin nicht allergisch gegen walnüsse sondern gegen cashews",), {"allergies": ["cashews"]}),
    (("je ne suis pas allergique aux noix mais aux amandes",), {"allergies": ["amandes"]}),
    (("不是对花生过敏是对腰果过敏",), {"allergies": ["腰果"]}),
    (("i'm allergic to walnuts", "i'm not allergic to walnuts it's cashews"), {"allergies": ["cashews"]}),
    (("i'm allergic to walnuts", "no not walnuts it's cashews"), {"allergies": ["cashews"]}),
    (("soy alérgico a las nueces", "no soy alérgico a las nueces es a los anacardos"),
     {"allergies": ["anacardos"]}),
    (("我对花生过敏", "不是花生是腰果"), {"allergies": ["腰果"]}),
    (("i'm allergic to dairy but not to eggs",), {"allergies": ["dairy"]}),
    (("i'm allergic to walnuts", "it's not walnuts"), {}),
    # Who is allergic, not what to.
    (("we are four and one of us is allergic",), {"party_size": 4}),
    (("one of us is allergic",), {}),
    (("我们四个人其中一个对花生过敏",), {"party_size": 4}),
    # An answer with its fillers.
    ((("Any allergies?", "yeah um milk"),), {"allergies": ["milk"]}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), SAID, ids=[str(one[0]) for one in SAID])
def test_what_is_listed(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected
