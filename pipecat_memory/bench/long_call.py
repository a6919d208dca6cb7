"""A phone call of 50 caller turns, with what a model would find in each: both memories get the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec


class Found(msgspec.Struct, frozen=True):
    """A fact that a turn holds."""

    key: str
    value: str
    quote: str
    text: str


class Said(msgspec.Struct, frozen=True):
    """What the caller said, what the agent replied, and the facts in the caller's words."""

    caller: str
    agent: str
    facts: tuple[Found, ...] = ()


class LongCall(msgspec.Struct, frozen=True):
    """The call, and what it is about."""

    task: str
    goal: str
    topic: str
    turns: tuple[Said, ...]

    def our_answer(self, turns: Sequence[int]) -> str:
        """What a model answers to this package's request about these turns (1-based)."""
        facts = [
            {
                "key": f.key,
                "value": f.value,
                "text": f.text,
                "quote": f.quote,
                "importance": 0.6,
                "turn": turn,
            }
            for turn in turns
            for f in self.turns[turn - 1].facts
        ]
        about = {"task": self.task, "goal": self.goal, "topic": self.topic}
        return json.dumps({"facts": facts, **about})

    def mem0_answer(self, turn: int) -> str:
        """What a model answers to Mem0's request after this turn, in the form that its prompt asks for."""
        found = [f.text for f in self.turns[turn - 1].facts]
        rows = [{"id": str(n), "text": text, "attributed_to": "user"} for n, text in enumerate(found)]
        return json.dumps({"memory": rows})


def long_call() -> LongCall:
    """The call."""
    path = Path(__file__).parent / "long_call.json"
    return msgspec.json.decode(path.read_bytes(), type=LongCall)
