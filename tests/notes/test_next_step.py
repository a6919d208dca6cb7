"""The next step, the guard before a tool, and what outlives the call."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from pipecat_memory.errors import UsedWrongly
from pipecat_memory.notes.book import Notes, correct, patch
from pipecat_memory.notes.guard import refusal, unconfirmed
from pipecat_memory.notes.lasting import lasting, unfinished
from pipecat_memory.notes.next_step import next_step
from pipecat_memory.notes.patch import DeepPatch
from pipecat_memory.records.turn import ToolRecord
from tests.notes.talk import AT, BOOKING, opened, say, talk

DONE = ("my name is Anna Schmidt", "Thursday at 7 pm")


def booking(*lines: str | tuple[str, str]) -> Notes:
    return talk(*lines, schema=BOOKING)


STEPS: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    ((), {"action": "ask_slot", "slot": "name", "reason": "required"}),
    (("my name is Anna Schmidt",), {"action": "ask_slot", "slot": "day", "reason": "required"}),
    (("my name is Anna Schmidt", "maybe Friday"),
     {"action": "confirm", "slot": "day", "reason": "heard_unsurely"}),
    (("Thursday", "maybe Friday"), {"action": "confirm", "slot": "day", "reason": "two_values"}),
    (("Thursday at 7 pm", "no, Friday"), {"action": "confirm", "slot": "time", "reason": "waits_for_yes"}),
    (DONE, {"action": "call_tool", "reason": "slots_confirmed",
            "args": {"name": "Anna Schmidt", "day": "2026-12-03", "time": "19:00"}}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), STEPS)
def test_next(lines: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert next_step(booking(*lines)).report() == expected


def test_what_was_not_heard_comes_first() -> None:
    assert next_step(opened(BOOKING), missed=True).report() == {"action": "confirm", "reason": "not_heard"}


def test_an_app_without_required_slots_just_answers() -> None:
    assert next_step(talk("Thursday")).action == "answer"


@pytest.mark.parametrize(
    ("slot", "word"), [("name", "letter"), ("day", "day of the week"), ("account", "pairs")]
)
def test_the_hint_says_how_to_ask_back(slot: str, word: str) -> None:
    notes = say(opened(BOOKING), "it's maybe Friday and my account is maybe 440921", confidence=0.1)
    notes = say(notes, "maybe my name is Anna Schmidt")
    for name in ("name", "day", "account"):
        if name != slot:
            state = notes.state
            kept = {n: h for n, h in state.slots.items() if n == slot}
            notes = type(notes)(type(state)(slots=kept), (), notes.schema, notes.timezone, notes.grammar)
    step = next_step(notes)
    assert step.slot == slot
    assert word in (step.hint or "")


def tool(name: str, status: Any, turn: int) -> ToolRecord:
    return ToolRecord("t1", name, {}, 1.0, turn, status)


def test_a_guarded_tool_is_proposed_once() -> None:
    notes, guards = booking(*DONE), {"book_table": ("name", "day")}
    step = next_step(notes, guards=guards)
    assert (step.action, step.tool) == ("call_tool", "book_table")
    assert step.args == {"name": "Anna Schmidt", "day": "2026-12-03"}
    assert next_step(notes, guards=guards, tools=[tool("book_table", "ok", 2)]).action == "answer"
    assert next_step(notes, guards=guards, tools=[tool("book_table", "error", 2)]).action == "call_tool"
    changed = say(notes, "no, Friday at 7 pm")
    assert next_step(changed, guards=guards, tools=[tool("book_table", "ok", 2)]).action == "call_tool"
    assert next_step(notes, tools=[tool("anything", "ok", 2)]).action == "answer"


def test_a_tool_that_ran_before_a_person_mended_its_slot_is_due_again() -> None:
    notes, guards = booking(*DONE), {"book_table": ("name", "day")}
    mended = correct(notes, "/slots/day", "2026-12-04", by="desk", at=AT + timedelta(seconds=40), turn=2)
    for called, action in ((30.0, "call_tool"), (40.0, "answer"), (50.0, "answer")):
        record = ToolRecord("t1", "book_table", {}, called, 2, "ok")
        assert next_step(mended, guards=guards, tools=[record], began=AT).action == action
        assert next_step(mended, tools=[record], began=AT).action == action
        assert next_step(notes, guards=guards, tools=[record], began=AT).action == "answer"


def test_the_guard_opens_for_confirmed_slots_only() -> None:
    notes = booking("my name is Anna Schmidt", "maybe Friday")
    assert unconfirmed(notes, ("name", "day", "time")) == ("day", "time")
    assert unconfirmed(say(notes, "Friday"), ("name", "day")) == ()
    rival = say(say(notes, "Friday"), "maybe Thursday")
    assert unconfirmed(rival, ("day",)) == ("day",)
    with pytest.raises(UsedWrongly):
        unconfirmed(notes, ("nothing",))


def test_the_refusal_tells_the_model_what_to_do_and_no_value() -> None:
    notes = booking("Thursday at 7 pm", "maybe Friday")
    text = refusal(notes, unconfirmed(notes, ("name", "day")))
    assert "ask the caller for the name" in text
    assert "which day is right" in text
    assert "2026" not in text


def test_slots_about_the_person_outlast_the_call() -> None:
    words = "my name is Anna Schmidt and I'm allergic to peanuts and shellfish"
    notes = talk(words, "a table for four on Thursday", "I prefer a window seat")
    rows = [(row.key, row.kind, row.value, row.op, row.turn, row.quote) for row in lasting(notes)]
    assert rows == [
        ("name", "fact", "Anna Schmidt", "set", 1, words),
        ("allergy", "constraint", "peanuts", "add", 1, words),
        ("allergy", "constraint", "shellfish", "add", 1, words),
        ("preference", "preference", "window seat", "add", 3, "I prefer a window seat"),
    ]


def test_pending_and_secret_values_do_not_last() -> None:
    assert lasting(say(opened(), "my name is Anna", trust="low")) == []
    assert lasting(talk("my pin is 4409", schema=BOOKING)) == []


def test_what_is_unfinished_says_what_and_when() -> None:
    notes = patch(talk("Thursday at 7 pm"), DeepPatch(pending_steps=("book the table",)), 1, AT)
    assert [item.title for item in unfinished(notes)] == ["book the table (2026-12-03 19:00)"]
    rival = talk("Thursday", "maybe Friday")
    assert [item.title for item in unfinished(rival)] == ["confirm date: 2026-12-03 or 2026-12-04"]
    broken = talk("a table for four people on Thursday at 7 pm")
    assert unfinished(broken, "completed") == []
    (item,) = unfinished(broken, "abandoned")
    assert (item.title, item.due) == ("date 2026-12-03, time 19:00, party size 4", "2026-12-03")
    assert item.slots == {"date": "2026-12-03", "time": "19:00", "party_size": 4}
    (asked,) = unfinished(say(broken, "maybe Friday"))
    assert asked.slots == {"date": "2026-12-03", "time": "19:00", "party_size": 4}
    assert [i.title for i in unfinished(booking("Thursday"))] == ["day 2026-12-03"]
