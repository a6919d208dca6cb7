"""What is said in doubt, by another voice, or in doubtful words: it asks, waits or is a guess."""

from __future__ import annotations

import pytest

from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import BOOKING, held, opened, say, talk, values

THURSDAY, FRIDAY, SATURDAY = "2026-12-03", "2026-12-04", "2026-12-05"

UNSURE = [
    "maybe Friday would be better",
    "what about Friday",
    "I think Friday",
    "is Friday possible?",
    "Friday perhaps",
    "could be Friday",
]


@pytest.mark.parametrize("text", UNSURE)
def test_a_soft_change_of_mind_asks_and_names_both(text: str) -> None:
    notes = talk("Thursday please", text)
    assert (held(notes, "date").value, held(notes, "date").asked) == (THURSDAY, FRIDAY)
    (question,) = notes.state.questions
    assert THURSDAY in question
    assert FRIDAY in question


@pytest.mark.parametrize("text", UNSURE)
def test_an_unsure_value_alone_is_inferred(text: str) -> None:
    assert (held(talk(text), "date").value, held(talk(text), "date").confidence) == (FRIDAY, "inferred")


SETTLED = [
    ("Friday", FRIDAY),
    ("Thursday", THURSDAY),
    ("not Thursday", FRIDAY),
    ("not Friday", THURSDAY),
    ("No, Saturday", SATURDAY),
]


@pytest.mark.parametrize(("text", "expected"), SETTLED)
def test_the_answer_settles_the_question(text: str, expected: str) -> None:
    notes = say(talk("Thursday please", "maybe Friday"), text, "Thursday or Friday?")
    assert (held(notes, "date").value, held(notes, "date").asked) == (expected, None)
    assert held(notes, "date").confidence == "confirmed"
    assert notes.state.questions == ()


def test_a_rival_without_a_cue_asks_where_the_slot_asks_and_replaces_where_it_replaces() -> None:
    asks, replaces = (
        MemorySchema((Slot("day", "date", on_conflict=policy),)) for policy in ("ask", "replace")
    )
    assert held(talk("Thursday", "Friday", schema=asks), "day").asked == FRIDAY
    assert held(talk("Thursday", "Friday", schema=replaces), "day").value == FRIDAY


def test_a_question_about_nothing_is_not_answered_with_a_text() -> None:
    ours = NextStep("ask_slot", "required", slot="note")
    asked = say(opened(BOOKING), "that was it, thanks a lot", "Anything else?", asked=ours)
    assert values(asked) == {}
    told = say(opened(BOOKING), "ring twice", asked=ours)
    assert values(told) == {"note": "ring twice"}


@pytest.mark.parametrize("text", ["Thursday or Friday", "周四还是周五", "周四，还是周五"])
def test_alternatives_leave_the_question_open(text: str) -> None:
    notes = talk(text)
    assert (held(notes, "date").value, held(notes, "date").confidence) == (THURSDAY, "inferred")
    assert held(notes, "date").asked == FRIDAY


def test_repetition_is_one_value_seen_twice() -> None:
    once = talk("Thursday at seven pm")
    again = say(once, "yes, Thursday at seven pm")
    assert again.state.slots == once.state.slots
    assert again.changes == once.changes


def test_the_agents_words_set_nothing() -> None:
    notes = say(opened(), "hmm", "So a table for four on Friday at eight pm?")
    assert values(notes) == {}


def test_a_read_back_in_other_words_is_confirmed_by_yes() -> None:
    notes = talk("maybe Thursday")
    assert held(notes, "date").confidence == "inferred"
    notes = say(notes, "yes", "So that is Thursday the third of December?")
    assert held(notes, "date").confidence == "confirmed"
    notes = say(talk("maybe Thursday"), "no", "So that is Thursday the third of December?")
    assert "date" not in notes.state.slots


def test_another_voice_changes_nothing_that_stands() -> None:
    notes = say(talk("Thursday"), "no, Friday", is_caller=False)
    assert values(notes) == {"date": THURSDAY}
    assert held(notes, "date").asked is None


def test_another_voice_alone_waits_for_a_yes() -> None:
    notes = say(opened(), "Friday", is_caller=False)
    assert held(notes, "date").confidence == "pending"


def test_a_low_trust_turn_may_ask_and_never_sets() -> None:
    alone = say(opened(), "Friday", trust="low")
    assert held(alone, "date").confidence == "pending"
    rival = say(talk("Thursday"), "no, Friday", trust="low")
    assert (held(rival, "date").value, held(rival, "date").asked) == (THURSDAY, FRIDAY)
    assert rival.state.questions != ()


def test_badly_heard_words_are_a_guess() -> None:
    notes = say(opened(), "Friday", confidence=0.2)
    assert held(notes, "date").confidence == "inferred"
    kept = say(talk("Thursday"), "Friday", confidence=0.2)
    assert held(kept, "date").value == THURSDAY


def test_said_twice_a_guess_is_sure() -> None:
    notes = say(say(opened(), "Friday", confidence=0.2), "Friday", confidence=0.2)
    assert held(notes, "date").confidence == "confirmed"


def test_a_change_reopens_what_depends_on_it() -> None:
    notes = talk("Thursday at 7 pm", "no, Friday", schema=BOOKING)
    assert values(notes) == {"day": FRIDAY, "time": "19:00"}
    assert held(notes, "time").confidence == "pending"
    together = talk("Thursday at 7 pm", "no, Friday at 8 pm", schema=BOOKING)
    assert held(together, "time").confidence == "confirmed"


def test_typed_words_are_sure() -> None:
    assert held(say(opened(), "Friday", source="typed", confidence=0.1), "date").confidence == "confirmed"
