"""What the agent offers, in questions and statements, and what of it the caller picks, takes or refuses."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.next_step import next_step
from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import Line, held, opened, say, talk, values

TABLE = MemorySchema(
    (
        Slot("date", "date"),
        Slot("time", "time"),
        Slot("guests", "quantity"),
        Slot("seating", values=["bar", "terrace", "window"]),
        Slot("highchair", "boolean", description="whether a high chair is needed"),
        Slot("block_card", "boolean"),
        Slot("card", values=["debit card", "credit card"]),
        Slot("amount", "money"),
    )
)
EVENING = "tomorrow at seven thirty in the evening"

PICKED: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    ((("Two fifteen or three thirty?", "uh two fifteen"),), {"time": "14:15"}),
    (
        (EVENING, ("We're full at seven thirty. I have six fifteen or nine.", "oh um nine then")),
        {"date": "2026-12-01", "time": "21:00"},
    ),
    (
        (EVENING, ("I have six fifteen or nine. Which would you prefer?", "the first one")),
        {"date": "2026-12-01", "time": "18:15"},
    ),
    (
        (("We have Thursday at ten twenty or Friday at nine.", "Friday's better"),),
        {"date": "2026-12-04", "time": "09:00"},
    ),
    (
        (("Jeudi à dix heures ou vendredi à quatorze heures ?", "vendredi"),),
        {"date": "2026-12-04", "time": "14:00"},
    ),
    ((("Bar or terrace?", "the bar. no the other one"),), {"seating": "terrace"}),
    ((("Bar or terrace?", "the bar no the other one"),), {"seating": "terrace"}),
    (("the bar please", ("We have the bar or the terrace, which one?", "the other one")),
     {"seating": "terrace"}),
    # Of three it is not told which.
    ((("Bar, window or terrace?", "the other one"),), {}),
    ((("What time?", "around half past seven in the evening or no make it eight"),), {"time": "20:00"}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), PICKED, ids=[str(one[0][-1]) for one in PICKED])
def test_one_of_those_offered_is_picked(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    notes = talk(*lines, schema=TABLE)
    assert values(notes) == expected
    assert {value.confidence for value in notes.state.slots.values()} <= {"confirmed"}


DROP_OFF = MemorySchema((Slot("when", "datetime"),))


@pytest.mark.parametrize("answer", ["yes", "yes, and check the tyres please"])
def test_a_yes_takes_the_half_of_the_day_that_was_read_back(answer: str) -> None:
    notes = talk("friday at nine", ("Friday at nine am?", answer), schema=DROP_OFF)
    assert held(notes, "when").value.startswith("2026-12-04T09:00")
    assert held(notes, "when").confidence == "confirmed"


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        ("Fifty euros?", "no five hundred"),
        ("Fünfzig Euro?", "nein fünfhundert"),
        ("¿Cincuenta euros?", "no quinientos"),
        ("Fifty euros?", "no, five hundred euros"),
    ],
)
def test_a_no_and_what_stands_keeps_what_stands(agent: str, answer: str) -> None:
    notes = talk("I'd like to send 500 euros", (agent, answer), schema=TABLE)
    assert values(notes) == {"amount": 500}


YES_NO: list[tuple[str, str, dict[str, Any]]] = [
    ("Do you need a high chair?", "no no we don't need one", {"highchair": False}),
    ("Shall I block the card?", "yes block it please", {"block_card": True}),
    ("Debit or credit card?", "the debit card", {"card": "debit card"}),
    ("Is the highchair for a baby?", "yes", {"highchair": True}),
    ("Would you like a newspaper?", "yes", {}),
]


@pytest.mark.parametrize(("agent", "answer", "expected"), YES_NO)
def test_a_yes_or_no_slot_is_asked_for_by_its_words(
    agent: str, answer: str, expected: dict[str, Any]
) -> None:
    assert values(talk((agent, answer), schema=TABLE)) == expected


ROOM = MemorySchema((Slot("arrival", "date", required=True), Slot("email", "email")))


@pytest.mark.parametrize("answer", ["yes", "no", "no, with a v"])
def test_our_own_step_is_no_question_that_was_not_asked(answer: str) -> None:
    guess = talk("maybe on Friday", schema=ROOM)
    step = next_step(guess)
    assert (step.action, step.slot) == ("confirm", "arrival")
    after = say(guess, answer, "Would you like a sea view?", asked=step)
    assert after.state.slots == guess.state.slots


@pytest.mark.parametrize("agent", ["Is that right?", "Friday it is, correct?", "Stimmt das?", ""])
def test_our_own_step_is_answered_where_the_question_says_no_more(agent: str) -> None:
    guess = talk("maybe on Friday", schema=ROOM)
    after = say(guess, "yes", agent, asked=next_step(guess), language="en")
    assert held(after, "arrival").confidence == "confirmed"


METER = MemorySchema((Slot("reading", "number", required=True, description="what the meter says"),))
ASKED = NextStep("ask_slot", "required", slot="reading")


@pytest.mark.parametrize("agent", ["No rush.", "Take your time.", "Of course.", "What does the meter say?"])
def test_a_word_between_leaves_our_question_open(agent: str) -> None:
    notes = say(opened(METER), "it says forty five thousand three hundred and twelve", agent, asked=ASKED)
    assert values(notes) == {"reading": 45312}


def test_a_question_in_the_words_of_a_description_asks_for_its_slot() -> None:
    order = MemorySchema((Slot("quantity", "quantity", description="how many packs"), Slot("time", "time")))
    notes = talk(("How many packs was it?", "two no three actually my wife needs one as well"), schema=order)
    assert values(notes) == {"quantity": 3}


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        ("Tomorrow for three, Schneider. Right?", "yes great"),
        ("Also morgen für drei, Schneider. Passt das?", "ja passt"),
        ("Demain pour trois, Schneider, c'est ça ?", "oui parfait"),
    ],
)
def test_more_of_a_yes_is_no_name(agent: str, answer: str) -> None:
    schema = MemorySchema((Slot("name", "name"), Slot("date", "date")))
    notes = talk("my name is Schneider", (agent, answer), schema=schema)
    assert values(notes)["name"] == "Schneider"
    assert held(notes, "name").asked is None
