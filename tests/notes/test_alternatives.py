"""What the recogniser's alternatives and the app's table add up to."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.book import Notes
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import BOOKING, held, opened, say, values

NAMED = MemorySchema((Slot("name", "name"), Slot("code", "postcode")))


def test_attempts_add_up_and_a_correction_starts_anew() -> None:
    def said(notes: Notes, agent: str, *heard: str) -> Notes:
        return say(notes, heard[0], agent, nbest=(heard,))

    once = said(opened(NAMED, "Europe/London"), "What's your postcode?", "m one one a a", "n one one a a")
    twice = said(
        once, "Could you say the postcode again?", "n one one a a", "m one one a a", "m one one ay ay"
    )
    assert held(twice, "code").value in ("M1 1AA", "N1 1AA")
    assert len(twice.attempts["code"]) == 2
    anew = said(twice, "So your postcode is?", "no, s w one a one a a")
    assert held(anew, "code").value == "SW1A 1AA"


def test_the_apps_table_helps_to_hear() -> None:
    names = ["Maria Lopez", "Mario Lobos"]
    notes = opened(NAMED, candidates=lambda slot: names if slot == "name" else [])
    notes = say(
        notes, "maria lopes", "What's your name?", nbest=(("maria lopes", "mario lopes", "maria lopez"),)
    )
    assert held(notes, "name").value == "Maria Lopez"


NOISY: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
    # What few alternatives hold counts where it was asked for, or anything was.
    ("", "Which area?", ("the mouth", "the south", "the south please", "the south"), {"area": "south"}),
    ("", "Which area?", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {"area": "south"}),
    ("", "How may I help you?", ("uh mouth please", "a mouse please", "uh south please"), {"area": "south"}),
    ("", "Shall I book it?", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {}),
    ("", "", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {}),
    # Where a value stands, it takes more than that.
    ("the north please", "Which area?", ("the mouth", "a mouse", "the south"), {"area": "north"}),
    # What the agent said is not there may be given up.
    ("the north please", "Sorry, we have nothing in the north.", ("mouth", "uh", "south"), {"area": "south"}),
    ("the north please", "There are no tables in the north.", ("mouth", "uh", "south"), {"area": "south"}),
    ("the north please", "There are no tables in the north.", ("anywhere", "any wear"), {"area": "any"}),
    ("the north please", "There are no tables in the north.", ("thank you", "thanks"), {"area": "north"}),
    ("the north please", "The north is not cheap. All right?", ("mouth", "uh", "south"), {"area": "north"}),
    ("el norte", "No hay mesas en el norte.", ("la sur", "el sol", "el sur"), {"area": "south"}),
    ("北边", "北边没有了。", ("男变", "难", "南边"), {"area": "north"}),
    ("北边", "没有北边的位子。", ("男变", "难", "南边"), {"area": "south"}),
    # A "no" that only some alternatives hold denies nothing; one that most hold does.
    ("the north please", "", ("no no the north", "know the north", "the north"), {"area": "north"}),
    ("the north please", "", ("not the north", "not the nor", "not in the north", "the north"), {}),
]  # fmt: skip


SIDES = MemorySchema(
    (
        Slot(
            "area",
            values=["north", "south", "any"],
            synonyms={"north": ["el norte", "北边"], "south": ["el sur", "南边"]},
        ),
    )
)


@pytest.mark.parametrize(("before", "agent", "heard", "expected"), NOISY)
def test_alternatives_of_the_recogniser_vote(
    before: str, agent: str, heard: tuple[str, ...], expected: dict[str, Any]
) -> None:
    notes = say(opened(SIDES), before) if before else opened(SIDES)
    assert values(say(notes, heard[0], agent, nbest=(heard,))) == expected


def test_few_alternatives_are_a_best_guess_only() -> None:
    lone = ("the mouth", "a mouse", "the mouse", "the house", "the south")
    assert held(say(opened(BOOKING), lone[0], "Which area?", nbest=(lone,)), "area").confidence == "inferred"


NO_NORTH = "I'm sorry, we have no tables in the north."


@pytest.mark.parametrize(
    ("agent", "text", "confidence"),
    [
        (NO_NORTH, "how about what the old town", "pending"),
        ("I'm sorry, we have no tables in the centre.", "how about another what area", "pending"),
        ("The north is lovely.", "change the area to something else", "pending"),
        ("The north is lovely.", "another what something else", "confirmed"),
        (NO_NORTH, "thank you", "confirmed"),
        (NO_NORTH, "what about other times", "confirmed"),
        ("The north is lovely.", "how about what the old town", "confirmed"),
        ("I'm sorry, we have no tables in the centre.", "how about what the old town", "confirmed"),
    ],
)
def test_a_suggestion_not_caught_leaves_what_was_refused_in_doubt(
    agent: str, text: str, confidence: str
) -> None:
    notes = say(opened(BOOKING), "in the north please")
    assert held(say(notes, text, agent), "area").confidence == confidence
