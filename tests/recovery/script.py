"""One call as data: what was said, what a slow model answers about it, and a clock that follows it."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.clock import SystemClock

NUMBER = "+15551230001"
CALL = "c1"
START = datetime(2026, 3, 2, 10, tzinfo=UTC)


class ScriptClock(SystemClock):
    """Shows the moment that the script has come to; waits are real."""

    def __init__(self) -> None:
        self.moment = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.moment)


def _fact(key: str, value: str, quote: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, "text": "", "quote": quote, "explicit": True} | more


SAID: list[tuple[str, dict[str, Any]]] = [
    ("hello my name is Wren Okafor", {"facts": [_fact("name", "Wren Okafor", "my name is Wren Okafor")]}),
    (
        "I'm allergic to walnuts and to shellfish",
        {
            "facts": [
                _fact("allergy", "walnuts", "allergic to walnuts", op="add", kind="constraint"),
                _fact("allergy", "shellfish", "and to shellfish", op="add", kind="constraint"),
            ]
        },
    ),
    (
        "I moved away from Leeds and I live in Bristol now",
        {"facts": [_fact("home_city", "Bristol", "I live in Bristol now")]},
    ),
    (
        "I need a table for five on Friday please",
        {"facts": [], "task": "book a table", "pending_steps": ["find a table"]},
    ),
    (
        "my partner is called Sorrel by the way",
        {"facts": [_fact("partner", "Sorrel", "my partner is called Sorrel")]},
    ),
    ("no, make it six people", {"facts": [], "topic": "party size"}),
    (
        "I prefer a seat by the window",
        {"facts": [_fact("seat", "by the window", "I prefer a seat by the window", kind="preference")]},
    ),
    (
        "call me Wrennie when you ring back",
        {"facts": [_fact("preferred_name", "Wrennie", "call me Wrennie")]},
    ),
    (
        "actually I'm in Bath these days, I live in Bath",
        {"facts": [_fact("home_city", "Bath", "I live in Bath")], "pending_steps": ["send a map"]},
    ),
    (
        "I really hate loud music",
        {
            "facts": [_fact("dislikes", "loud music", "I really hate loud music", op="add")],
            "completed_steps": ["find a table"],
        },
    ),
]
"""(the caller's words, the model's answer about them), turn by turn."""

SUMMARY = {
    "text": "Wren asked for a table on Friday. Wren lives in Bath.",
    "resolved": True,
    "key_facts": ["Wren is allergic to walnuts"],
    "open_items": [],
}


def events() -> list[list[ev.Event]]:
    """The call's events, turn by turn: one turn grows by a late final, one reply is cut, one tool runs."""
    turns: list[list[ev.Event]] = []
    for number, (text, _) in enumerate(SAID, 1):
        t, reply = number * 10.0, f"r{number}"
        answer = f"Very well, I have written down number {number}."
        head, tail = text.rsplit(" ", 1)
        late = number == 7  # the last word comes when the reply has begun
        turn: list[ev.Event] = [
            ev.UserStarted(t=t),
            ev.UserFinal(t=t + 1, text=head if late else text, id=f"u{number}", started=t),
            ev.UserStopped(t=t + 1.1),
            ev.TurnEnded(t=t + 1.2),
            ev.ReplyStarted(t=t + 1.5, reply=reply),
            ev.ReplyText(t=t + 1.6, reply=reply, text=answer[:12]),
            ev.ReplyText(t=t + 1.7, reply=reply, text=answer[12:]),
        ]
        if late:
            turn.append(ev.UserFinal(t=t + 1.9, text=tail, id=f"u{number}b", started=t + 0.9))
        if number == 4:
            turn += [
                ev.ToolCalled(t=t + 1.8, id="x1", name="find_table", args={"people": 5}),
                ev.ToolReturned(t=t + 1.9, id="x1", status="ok", result={"table": 9}),
            ]
        cut = number == 5
        turn += [
            ev.ReplyHeard(t=t + 2, reply=reply, text=answer[:12].strip() if cut else answer),
            ev.ReplyEnded(t=t + 3, reply=reply, interrupted=cut, played=None if cut else 1.0),
        ]
        turns.append(turn)
    return turns


class SlowModel:
    """Answers for the turns it is asked about, one by one or several at once, after a while.

    Args:
        delay: seconds an answer takes.
    """

    name = "slow"

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.asked: list[tuple[int, ...]] = []

    async def answer(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(self.delay)
        if request.purpose == "summarise":
            return ModelReply(text=json.dumps(SUMMARY))
        self.asked.append(request.turns)
        whole: dict[str, Any] = {"facts": [], "pending_steps": [], "completed_steps": []}
        for number in request.turns:
            answer = SAID[number - 1][1]
            for key in ("facts", "pending_steps", "completed_steps"):
                whole[key] += answer.get(key, [])
            whole |= {key: answer[key] for key in ("task", "topic") if key in answer}
        return ModelReply(text=json.dumps(whole))


def caller() -> Caller:
    return Caller.phone(NUMBER, how="verified")


def begin(memory: Memory) -> CallMemory:
    """The call, begun at the script's start."""
    started = ev.CallStarted(call=CALL, at=START, caller=NUMBER, how="verified")
    return CallMemory(memory, started, caller())
