"""What the notes hear of a turn, however long it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipecat_memory import events as ev
from pipecat_memory.calls.course import Course
from pipecat_memory.calls.hearing import NOTED, noted


def course() -> Course:
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    started = ev.CallStarted(
        t=0.0, call="c", at=at, caller="+15551230001", timezone="UTC", direction="inbound"
    )
    return Course(started)


@pytest.mark.parametrize("word", ["so ", "我想订位", "😀", "a", "é "])
def test_of_a_long_text_the_start_is_noted(word: str) -> None:
    text = word * 50_000
    kept = noted(text)
    assert text.startswith(kept)
    assert NOTED - 4 * len(word) <= len(kept.encode()) <= NOTED


def test_a_turn_of_two_minutes_is_noted_whole() -> None:
    text = "so I was thinking about it and then " * 55
    assert noted(text) == text


def test_of_long_alternatives_the_start_is_heard() -> None:
    call = course()
    words = "my name is Anna Schmidt. " + "so and then " * 8_000
    call.apply(ev.UserFinal(t=1.0, text=words, started=0.5, nbest=(words, words + " then")))
    call.apply(ev.TurnEnded(t=2.0))
    assert call.notes.state.slots["name"].value == "Anna Schmidt"
    assert call.ledger.turns[0].text == words.strip()


def test_a_call_of_many_turns_keeps_every_step_in_its_place() -> None:
    call = course()
    for turn in range(400):
        words = ("at 7 pm", "at 8 pm", "no, at 9 pm", "hello")[turn % 4]
        call.apply(ev.UserFinal(t=turn * 5.0 + 1, text=words, started=turn * 5.0))
        call.apply(ev.TurnEnded(t=turn * 5.0 + 2))
    assert call.turn == 400
    assert call.notes.state.slots["time"].value == "21:00"
    call.rollback(1)
    assert call.notes.state.slots["time"].value == "19:00"
