"""A writer with a scripted model, as its tests sit at it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipecat_memory.config import Settings
from pipecat_memory.events import CallStarted
from pipecat_memory.records.schema import DEFAULT_SCHEMA
from pipecat_memory.records.turn import HistoryItem, Turn
from pipecat_memory.stores.caller_file import Gauge
from pipecat_memory.testing import ManualClock, ScriptedAnswer, ScriptedModel
from pipecat_memory.writing.aside import Aside
from pipecat_memory.writing.extract import ExtractionResult
from pipecat_memory.writing.pace import Mode
from pipecat_memory.writing.writer import Writer

from .scene import AT, fact, turn_of

NOTHING = '{"facts":[]}'


def city(name: str) -> str:
    return json.dumps({"facts": [fact("home_city", name, f"I live in {name}")]})


def lives(name: str, number: int) -> Turn:
    return turn_of(f"I live in {name}", number)


@dataclass
class Desk:
    """A writer, its clock, its script and what it delivered."""

    clock: ManualClock
    model: ScriptedModel
    writer: Writer
    results: list[ExtractionResult] = field(default_factory=list[ExtractionResult])

    def script(self, turn: int, text: str, **more: Any) -> None:
        self.model.add(ScriptedAnswer("c", "extract", text, turn, **more))

    def hear(self, *turns: Turn, before: Sequence[HistoryItem] = ()) -> None:
        for turn in turns:
            self.writer.turn(turn, before)

    @property
    def delivered(self) -> list[tuple[int, list[Any]]]:
        return [(r.turn.number, [claim.value for claim in r.claims]) for r in self.results]

    @property
    def asked(self) -> list[tuple[int, ...]]:
        return [request.turns for request in self.model.requests]


def desk(mode: Mode = "per_turn", **settings: Any) -> Desk:
    gauge = Gauge()
    clock = ManualClock(AT, pending=lambda: gauge.out)
    model = ScriptedModel(clock)
    found: list[ExtractionResult] = []
    writer = Writer(
        "c",
        model,
        clock,
        Settings(**settings),
        mode,
        found.append,
        started=CallStarted(call="c", at=AT, caller="+15551230001"),
        schema=DEFAULT_SCHEMA,
        aside=Aside(gauge),
    )
    return Desk(clock, model, writer, found)
