"""What to say without a model: rules over the notes and the next step. No more than that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from pipecat_memory.call import CallMemory

QUESTIONS = {
    "name": "Who is speaking, please?",
    "party_size": "How many of you will there be?",
    "date": "Which day would you like to come?",
    "time": "What time would suit you?",
}
GREETING = "Hello, thank you for calling. How can I help?"
NOT_HEARD = "Sorry, I did not catch that. Could you say it again?"
APOLOGY = "Sorry, something went wrong here. "
PERSON = re.compile(r"\b(human|person|colleague|manager|somebody else|someone else)\b", re.IGNORECASE)
CANCEL = re.compile(r"\bcancel\b", re.IGNORECASE)
YES = re.compile(r"\b(yes|yeah|yep|sure|please do|go ahead|right|okay|finish|continue)\b", re.IGNORECASE)
BYE = re.compile(r"\b(bye|goodbye|that's all|that is all|nothing else|no,? thank\w*)\b", re.IGNORECASE)
ABOUT_ME = re.compile(r"\b(know about|remember|on file|what do you know|have you got)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """Words to say, or a tool to call first."""

    text: str = ""
    tool: str | None = None


def answer(call: CallMemory, messages: Sequence[Mapping[str, Any]]) -> Answer:
    """The next reply, two sentences at most.

    Args:
        call: its notes, its next step, and what the briefing says was left open.
        messages: the conversation; its last message tells whether a tool has answered.
    """
    last = messages[-1] if messages else {}
    if last.get("role") == "tool":
        return Answer(_result(str(last.get("content", ""))))
    words = str(last.get("content", "")) if last.get("role") == "user" else ""
    if not words:
        return Answer(greeting(call.greeting_name()))
    step = call.next_step()
    if step.reason == "not_heard":
        return Answer(NOT_HEARD)
    if PERSON.search(words):
        return Answer(tool="transfer")
    if CANCEL.search(words):
        return Answer(tool="cancel_booking")
    if (opened := left_open(call)) and YES.search(words):
        take_up(call, opened)
        step = call.next_step()
        return Answer(f"So we have {_table(call)}. {_ask(call, step.slot)}")
    if step.action == "call_tool":
        return Answer(tool=step.tool or "book_table")
    if step.action == "confirm" and step.slot:
        return Answer(_confirm(call, step.slot))
    if ABOUT_ME.search(words):
        return Answer(_known(call))
    if BYE.search(words):
        return Answer("Thank you for calling. Goodbye!")
    if step.action == "ask_slot" and step.slot:
        return Answer(f"{_heard(call)}{_ask(call, step.slot)}")
    return Answer(f"{_heard(call)}Is there anything else?")


def greeting(name: str | None, opened: str = "") -> str:
    """The first words: by first name where the identity allows it."""
    if name is None:
        return GREETING
    if opened:
        return f"Hello {name}, welcome back. Shall we go on with {opened}?"
    return f"Hello {name}, welcome back. How can I help?"


def left_open(call: CallMemory) -> dict[str, Any]:
    """Values of the booking that an earlier call left open; the latest tells."""
    slots = call.state["slots"]
    if any(name in slots for name in QUESTIONS if name != "name"):
        return {}
    found: dict[str, Any] = {}
    for item in call.left_open():
        found |= {name: value for name, value in item.slots.items() if name in QUESTIONS}
    return found


def take_up(call: CallMemory, values: Mapping[str, Any]) -> None:
    """The caller said yes to going on: what was open then are this call's notes now."""
    for name, value in values.items():
        call.correct(f"/slots/{name}", value, by="caller, asked at the start")


def table_of(values: Mapping[str, Any]) -> str:
    """A booking in words."""
    parts = ["a table"]
    if "party_size" in values:
        parts.append(f"for {values['party_size']}")
    if "date" in values:
        parts.append(f"on {_day(values['date'])}")
    if "time" in values:
        parts.append(f"at {_clock(values['time'])}")
    return " ".join(parts)


def _table(call: CallMemory) -> str:
    return table_of({name: slot["value"] for name, slot in call.state["slots"].items()})


def _ask(call: CallMemory, slot: str | None) -> str:
    if "name" not in call.state["slots"] and call.greeting_name() is None:
        return QUESTIONS["name"]
    return QUESTIONS.get(slot or "", "Is there anything else?")


def _heard(call: CallMemory) -> str:
    """What the last turn changed, said back so that a mishearing shows."""
    opened = call.course.ledger.open_turn
    turn = opened.number if opened else call.course.turn
    changes = [c for c in call.course.notes.changes if c.turn == turn and c.path.startswith("/slots/")]
    names = {c.path.split("/")[2] for c in changes}
    slots = call.state["slots"]
    if names & {"party_size", "date", "time"}:
        corrected = any(c.before is not None for c in changes)
        start = "All right, then it is " if corrected else "Very well, "
        return f"{start}{_table(call)}. "
    if "name" in names and "name" in slots:
        return f"Thank you, {slots['name']['value']}. "
    return ""


def _confirm(call: CallMemory, slot: str) -> str:
    held = call.state["slots"].get(slot)
    if held is None:
        known = call.course.notes.known.values.get(slot)
        return NOT_HEARD if known is None else f"Is it still {_say(slot, known)}?"
    if "asked" in held:
        return f"Is it {_say(slot, held['value'])} or {_say(slot, held['asked'])}?"
    return f"I understood {_say(slot, held['value'])}. Is that right?"


def _say(slot: str, value: Any) -> str:
    return _day(value) if slot == "date" else _clock(value) if slot == "time" else str(value)


def _known(call: CallMemory) -> str:
    slots = call.state["slots"]
    if slots and set(slots) != {"name"}:
        return f"I have {_table(call)} noted."
    opened = left_open(call)
    return f"We have {table_of(opened)} left open." if opened else "I have nothing noted for you yet."


def _result(content: str) -> str:
    try:
        result = json.loads(content)
    except ValueError:
        return APOLOGY + "Shall I try again?"
    if not isinstance(result, dict) or "error" in result:
        slots = result.get("slots", []) if isinstance(result, dict) else []
        return QUESTIONS.get(slots[0], NOT_HEARD) if slots else APOLOGY + "Shall I try again?"
    if "booked" in result:
        return f"You have {table_of(result['booked'])}. Is there anything else?"
    if "transferred" in result:
        return "I am putting you through."
    cancelled = result.get("cancelled")
    return "Your booking is cancelled." if cancelled else "I found no booking to cancel."


def _day(value: object) -> str:
    try:
        day = date.fromisoformat(str(value))
    except ValueError:
        return str(value)
    return f"{day:%A}, {day.day} {day:%B}"


def _clock(value: object) -> str:
    try:
        at = time.fromisoformat(str(value))
    except ValueError:
        return str(value)
    minutes = f":{at:%M}" if at.minute else ""
    return f"{at.hour % 12 or 12}{minutes} {'am' if at.hour < 12 else 'pm'}"
