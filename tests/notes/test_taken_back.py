"""What the caller takes back without saying another value, within one call and without a model."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.lasting import lasting
from tests.notes.talk import Line, talk, values

NUTS = "I'm allergic to nuts"

GONE: list[tuple[Line, ...]] = [
    (NUTS, "that was my brother"),
    (NUTS, "sorry, that was my brother, not me"),
    (NUTS, "no, it's my brother who is allergic, not me"),
    (NUTS, "my brother is allergic to nuts, not me"),
    (NUTS, ("So you are allergic to nuts?", "no, that's my wife")),
    (NUTS, ("I have noted the nuts.", "that was my daughter")),
    (NUTS, ("Any other allergies?", "oh, that was my brother")),
    (NUTS, "that was my brother's"),
    ("soy alérgica a las nueces", "perdón, era mi hermano"),
    ("soy alérgica a las nueces", "no soy yo, es mi hermano"),
    ("ich bin allergisch gegen Nüsse", "das war mein Bruder, nicht ich"),
    ("je suis allergique aux noix", "c'était mon frère, pas moi"),
    ("我对花生过敏", "那是我哥哥，不是我"),
    ("我对花生过敏", "说错了，是我弟弟"),
]


@pytest.mark.parametrize("lines", GONE, ids=str)
def test_what_was_somebody_elses_is_gone(lines: tuple[Line, ...]) -> None:
    notes = talk(*lines)
    assert values(notes) == {}
    assert [(one.op, one.slot) for one in lasting(notes)] == [("retract", "allergies")]


KEPT: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    # Who did something else is asked for.
    ((NUTS, ("Who picks up the order?", "that was my brother")), {"allergies": ["nuts"]}),
    # It is asked, or of no one's own things.
    ((NUTS, "that was my brother?"), {"allergies": ["nuts"]}),
    (("on Friday please", "that was my brother"), {"date": "2026-12-04"}),
    # Only the last thing told, or what is named.
    (("my name is Anna Schmidt", NUTS, "that was my brother"), {"name": "Anna Schmidt"}),
    ((NUTS, "I'm allergic to soy", "nuts, that was my brother, not me"), {"allergies": ["soy"]}),
    ((NUTS, "I'm allergic to soy", "that was my brother"), {"allergies": ["nuts"]}),
    # The call is for somebody, which takes nothing back.
    ((NUTS, "it's for my brother"), {"allergies": ["nuts"]}),
]


@pytest.mark.parametrize(("lines", "expected"), KEPT, ids=str)
def test_what_was_not_meant_stays(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected


WHERE = ("Where do you live?", "Porto")
DENIED: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    ((WHERE, "No, I never lived in Porto"), {}),
    ((WHERE, ("Do you still live in Porto?", "No, I never lived in Porto")), {}),
    ((WHERE, "no I never lived in Porto"), {}),
    ((WHERE, "it's not Porto"), {}),
    ((("¿Dónde vive?", "Oporto"), "no, nunca viví en Oporto"), {}),
    ((("您住在什么地方？", "波尔图"), "我没说波尔图"), {}),
    ((WHERE, "I love Porto"), {"place": "Porto"}),
    ((WHERE, "yes, Porto"), {"place": "Porto"}),
    (("my name is Anna", "my name is not Anna"), {}),
]


@pytest.mark.parametrize(("lines", "expected"), DENIED, ids=str)
def test_a_denied_value_no_longer_stands(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected
