"""What holds for any words: no error, no side effect, and saying it again adds nothing."""

from __future__ import annotations

import copy
import string
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipecat_memory.notes.book import Notes, settle
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.lasting import lasting, unfinished
from pipecat_memory.notes.next_step import next_step
from pipecat_memory.records.schema import DEFAULT_SCHEMA
from tests.notes.talk import AT, BOOKING, opened, say

WORDS = st.sampled_from(
    [
        "no",
        "yes",
        "not",
        "maybe",
        "or",
        "and",
        "Thursday",
        "Friday",
        "the",
        "fourth",
        "five",
        "people",
        "at",
        "seven",
        "pm",
        "my",
        "name",
        "is",
        "Anna",
        "Schmidt",
        "call",
        "me",
        "allergic",
        "to",
        "nuts",
        "forget",
        "the",
        "time",
        "instead",
        "of",
        "actually",
        "sorry",
        "I",
        "meant",
        "how",
        "about",
        "north",
        "south",
        "any",
        "whatever",
        "double",
        "four",
        "oh",
        "nine",
        "account",
        "number",
        "pin",
        "cancel",
        "start",
        "over",
        "?",
        ".",
        ",",
        "明天",
        "下午",
        "三点",
        "说错了",
        "不是",
        "me",
        "llamo",
        "para",
        "cuatro",
        "personas",
        "el",
        "viernes",
        "perdón",
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
ANY_TEXT = st.one_of(SENTENCES, st.text(max_size=60), st.text(string.printable, max_size=60))
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def snapshot(notes: Notes) -> Any:
    return copy.deepcopy((notes.state.report(), [c.report() for c in notes.changes]))


@SETTINGS
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=4), st.sampled_from(["speech", "typed", "dtmf"]))
def test_any_words_are_taken(lines: list[tuple[str, str]], source: Any) -> None:
    notes = opened(BOOKING)
    for turn, (agent, text) in enumerate(lines, 1):
        before = snapshot(notes)
        after = say(notes, text, agent, turn=turn, source=source, nbest=((text, agent),))
        assert snapshot(notes) == before, "hearing changes the notes before it"
        assert snapshot(
            say(notes, text, agent, turn=turn, source=source, nbest=((text, agent),))
        ) == snapshot(after)
        notes = after
    next_step(notes)
    unfinished(settle(notes, AT))
    assert all(row.quote for row in lasting(notes))


@SETTINGS
@given(SENTENCES)
def test_what_is_confirmed_and_said_again_is_one_value(text: str) -> None:
    once = say(opened(DEFAULT_SCHEMA), text, turn=1)
    sure = all(h.confidence == "confirmed" and h.asked is None for h in once.state.slots.values())
    if not sure:
        return
    again = say(once, text, turn=2)
    kept = {name: again.state.slots[name].value for name in once.state.slots if name in again.state.slots}
    assert kept == {name: once.state.slots[name].value for name in kept}


@SETTINGS
@given(SENTENCES, SENTENCES)
def test_another_voice_takes_nothing_away(first: str, second: str) -> None:
    notes = say(opened(BOOKING), first, turn=1)
    after = say(notes, second, turn=2, is_caller=False)
    for name, held in notes.state.slots.items():
        assert after.state.slots[name] == held


@SETTINGS
@given(ANY_TEXT)
def test_every_change_is_in_the_log(text: str) -> None:
    notes = say(opened(BOOKING), text, turn=1)
    logged = {change.path.split("/")[2] for change in notes.changes if change.path.startswith("/slots/")}
    assert logged == set(notes.state.slots)


def test_reprs_show_no_words() -> None:
    notes = say(opened(), "my name is Anna Schmidt on Thursday")
    heard = Heard(turn=1, text="Anna Schmidt", at=AT)
    shown = " ".join(map(repr, [notes, notes.state, notes.changes, heard, notes.grammar, lasting(notes)]))
    assert "Anna" not in shown
    assert "2026-12-03" not in shown
