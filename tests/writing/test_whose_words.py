"""Whose a fact is and what it says: what small models get wrong of it, and what must not come of that."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import DEFAULT_SCHEMA
from pipecat_memory.writing.extract import request_for
from pipecat_memory.writing.scene import Scene

from .scene import AT, CallStarted, fact, history, judged, turn_of

NUMBER = "five five five one two three four five six seven"


@pytest.mark.parametrize(
    ("said", "key", "value", "subject", "whose"),
    [
        ("I moved to Penrith in October", "home_city", "Penrith", "other: Odalys", "caller"),
        ("tell the fitter that I'm allergic to latex", "allergy", "latex", "other: fitter", "caller"),
        ("ich vertrage keine Nüsse", "allergy", "nuts", "other: Samstag", "caller"),
        ("tomo pastillas para la tensión", "medication", "pastillas", "other:", "caller"),
        ("I don't eat pork", "dislikes", "pork", "other: caller", "caller"),
        ("I use a wheelchair", "mobility_aid", "wheelchair", "other: me", "caller"),
        ("I use a wheelchair", "mobility_aid", "wheelchair", "the caller", "caller"),
        ("Ana hates fish and I'm diabetic", "dislikes", "fish", "other: Ana", "other: ana"),
        ("Ana hasst Fisch und ich bin Diabetiker", "dislikes", "fish", "other: Ana", "other: ana"),
        ("I can't let her eat nuts", "allergy", "nuts", "other: Ana", "other: ana"),
        ("I know that Tom hates fish", "dislikes", "fish", "other: Tom", "other: tom"),
        ("I have a brother who can't eat walnuts", "allergy", "walnuts", "other: brother", "other: brother"),
        ("he can't eat walnuts", "allergy", "walnuts", "other: brother", "other: brother"),
    ],
)
def test_who_says_it_of_nobody_else_says_it_of_himself(
    said: str, key: str, value: str, subject: str, whose: str
) -> None:
    (result,) = judged(turn_of(said), [fact(key, value, said, subject=subject)])
    assert [claim.subject for claim in result.claims] == [whose]


@pytest.mark.parametrize(
    ("said", "value", "quote"),
    [
        (
            "prefiero que me atienda la doctora, no el doctor joven",
            "doctor joven",
            "prefiero que me atienda el doctor joven",
        ),
        ("quiero hablar con Ana no con Luis", "Luis", "quiero hablar con Luis"),
        ("I'd like the seat by the window not the aisle", "aisle", "I'd like the seat by the aisle"),
        ("ich möchte am Fenster sitzen nicht am Gang", "Gang", "ich möchte am Fenster am Gang"),
    ],
)
def test_a_quote_without_its_not_is_none(said: str, value: str, quote: str) -> None:
    (result,) = judged(turn_of(said), [fact("wants", value, quote)])
    assert not result.claims
    (result,) = judged(turn_of(said), [fact("wants", value, said)])
    assert not result.claims


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("prefiero la doctora, no el doctor joven", "prefiero la doctora, no el doctor joven"),
        ("quiero el rojo, no el azul", "quiero el rojo, no el azul"),
        ("vivo en Toro, no, en Zamora", "vivo en Zamora"),
        ("para cuatro, no, perdón, cinco", "para cinco"),
        ("for four, no, five", "for five"),
    ],
)
def test_what_may_be_a_denial_is_shown_as_it_was_said(said: str, shown: str) -> None:
    started = CallStarted(call="c", at=AT, caller="+15551230001", timezone="UTC")
    request = request_for([turn_of(said)], Scene(started=started, schema=DEFAULT_SCHEMA))
    assert request.text.splitlines()[-1] == f"> [2] CALLER: {shown}"


@pytest.mark.parametrize(
    ("question", "answer", "subject", "stands"),
    [
        ("Are you still allergic to nuts?", "yes", "caller", True),
        ("Is your brother still allergic to nuts?", "yes", "caller", False),
        ("Is your brother still allergic to nuts?", "yes", "brother", True),
        ("You are not allergic to nuts, are you?", "yes", "caller", False),
        ("If you were allergic to nuts, would you tell us?", "yes", "caller", False),
        ("Ist Ihr Bruder gegen Nüsse allergisch?", "ja", "caller", False),
        ("¿Su hermano es alérgico a las nueces?", "sí", "caller", False),
        ("您朋友对坚果过敏吗？", "对", "caller", False),
    ],
)
def test_a_yes_agrees_to_what_was_asked_of_whom(
    question: str, answer: str, subject: str, stands: bool
) -> None:
    value = "坚果" if "坚果" in question else "nuts"
    (result,) = judged(
        turn_of(answer),
        [fact("allergy", value, answer, subject=subject)],
        before=history(("assistant", question)),
    )
    assert bool(result.claims) is stands


@pytest.mark.parametrize(
    ("said", "answer", "stands"),
    [
        (
            "I'm calling about the invoice",
            fact("smoker", True, "", text="I'm calling about the invoice"),
            False,
        ),
        ("llamo por la factura", fact("smoker", True, "", text="Call about something else"), False),
        ("soy vegetariana", fact("vegetarian", True, "", text="Es vegetariana"), True),
        ("write me an e-mail", fact("email", "yes", "", text="Write me an email."), False),
        ("call me on my phone", fact("phone", True, "", text="Call me."), False),
        ("I'm calling about my boiler", fact("topic", "boiler", "", text="Boiler"), False),
        ("我想订一个房间", fact("room_type", "single", "", text="我想订一个房间"), False),
        ("my email is n dot ray at example dot org", fact("email", "n dot ray at example dot org", ""), True),
    ],
)
def test_what_a_value_says_was_said(said: str, answer: dict[str, Any], stands: bool) -> None:
    (result,) = judged(turn_of(said), [answer | {"quote": said}])
    assert bool(result.claims) is stands


def test_an_address_and_a_number_are_kept_as_they_are_written() -> None:
    said = "n dot ray at example dot org and my number is five five five one two three four five six seven"
    answer = [
        fact("email", "n dot ray at example dot org", "n dot ray at example dot org"),
        fact("phone", NUMBER, f"my number is {NUMBER}"),
    ]
    (result,) = judged(turn_of(said), answer)
    assert [claim.value for claim in result.claims] == ["n.ray@example.org", "5551234567"]
