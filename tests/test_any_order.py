"""Calls in random orders: an export, and a replay of the journal, tell what the live call knew."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.records.caller import Scope
from pipecat_memory.replay import replay
from pipecat_memory.report import call_report
from pipecat_memory.testing import CallSimulator, ManualClock

from .kit import NUMBER, ended, opened

SAID = [
    *("my name is Wren Okafor", "a table for five please", "no, make it six", "tomorrow at seven", "yes"),
    *(
        "no, Thursday",
        "I'm allergic to walnuts",
        "forget that please",
        "call me on 555 123 4567",
        "never mind",
    ),
]
REPLIES = ["How many people?", "Thank you Wren, anything else?", "So that is five on Thursday?"]
PEOPLE = [
    *(Caller.phone(NUMBER, how=how) for how in ("number", "claimed", "verified")),
    *(Caller.account("cust-1"), Caller.account("cust-2"), None),
]
STEPS = [
    *("say", "say", "say", "late", "typed", "keyed", "promoted", "reply", "reply", "cut", "tool", "returned"),
    *("pause", "resume", "forget", "roll_back", "correct", "party", "turn_end", "identify", "identify"),
]


class Line:
    """One call, told at random."""

    def __init__(self, seed: int, memory: Memory, clock: ManualClock) -> None:
        self.draw = random.Random(seed)
        self.memory = memory
        self.clock = clock
        self.call = memory.call(self.draw.choice([who for who in PEOPLE if who]), call_id="c1")
        self.simulator = CallSimulator(self.call, clock)
        self.since = 0.0
        self.left: set[str | None] = set()
        """Who was on the line and left it: an export has what they said before they came again, too."""
        self.tools: list[str] = []

    async def step(self, kind: str) -> None:
        call, draw, text = self.call, self.draw, self.draw.choice(SAID)
        await self.clock.advance(0.02 + draw.random())
        match kind:
            case "say":
                await self.simulator.say(text, seconds=draw.random())
            case "late":
                started = max(self.since + 0.001, call.elapsed - 5 * draw.random())
                call.apply(ev.UserFinal(t=call.elapsed, started=started, text=text))
            case "typed":
                call.apply(ev.UserTyped(t=call.elapsed, text=text))
            case "keyed":
                call.apply(ev.Dtmf(t=call.elapsed, digits="12", done=True))
            case "promoted":
                call.apply(ev.UserStarted(t=call.elapsed))
                call.apply(ev.UserPartial(t=call.elapsed, text="I want the"))
                call.apply(ev.UserStopped(t=call.elapsed))
                call.apply(ev.UserFinal(t=call.elapsed, text=""))
                call.apply(ev.TurnEnded(t=call.elapsed))
            case "reply" | "cut":
                words = draw.choice(REPLIES)
                heard = " ".join(words.split()[: draw.randrange(4)]) if kind == "cut" else None
                await self.simulator.reply(words, heard=heard)
            case "tool":
                self.tools.append(f"t{call.elapsed}")
                call.apply(ev.ToolCalled(t=call.elapsed, id=self.tools[-1], name="look_up", args={"q": 1}))
            case "returned" if self.tools:
                call.apply(ev.ToolReturned(t=call.elapsed, id=self.tools.pop(), status="ok", result={"n": 3}))
            case "roll_back":
                call.rollback(draw.randint(0, call.course.turn))
            case "correct":
                call.correct("/slots/party_size", draw.choice([3, 9]), by="operator")
            case "party":
                call.apply(ev.Party(t=call.elapsed, event="joined", role="other", speaker="S2"))
            case "identify":
                await self.identify(draw.choice(PEOPLE))
            case "turn_end":
                call.apply(ev.TurnEnded(t=call.elapsed))
            case "pause" | "resume" | "forget":
                {"pause": call.pause, "resume": call.resume, "forget": call.forget_last}[kind]()
            case _:
                pass

    async def identify(self, who: Caller | None) -> None:
        before = self.call.caller
        named = asyncio.ensure_future(self.call.identify(who))
        await self.clock.settle()
        while not named.done():
            await self.clock.next()
        await named
        if self.call.course.parted is not None and self.call.course.parted > self.since:
            self.since = self.call.course.parted
            self.left.add(before.id)
            self.tools = []  # what began with somebody else is not this one's

    async def check(self) -> None:
        """The live call against its export."""
        if self.call.caller.known and self.call.caller.id not in self.left:
            await self.clock.settle()
            await self.call.kept.durable()
            (exported,) = (await self.memory.export(self.call.caller))["calls"]
            whole = self.call.course.parted is None
            assert shown(exported, 0.0, whole=whole) == shown(live(self.call), self.since, whole=whole)

    async def retold(self) -> None:
        """The live call against a replay of its journal, where one person was on the line."""
        call = self.call
        if not call.caller.known or call.course.parted is not None:
            return
        file = await self.memory.archive.file(Scope("default", call.caller.id or "", ""))
        assert file is not None
        started = {"type": "call_started", "call": "c1", "at": call.kept.meta.at, "caller": call.caller.id}
        lines = [started | {"how": "verified", "timezone": "UTC", "direction": "inbound"}]
        lines += [json.loads(one.blob) for one in await file.journal("c1") if one.kind == "event"]
        report = await replay([json.dumps(line) for line in lines], embedder=None)
        assert report["errors"] == []
        assert shown(report["calls"][0], 0.0, whole=True) == shown(live(call), 0.0, whole=True)


def live(call: CallMemory) -> dict[str, Any]:
    return call_report(call, None)


def shown(report: dict[str, Any], since: float, *, whole: bool) -> dict[str, Any]:
    """History, slots and tools; of a call that changed hands only what is of who is there."""
    slots = report["state"]["slots"]
    if whole:
        return {"history": report["history"], "slots": slots, "tools": report["tools"]}
    items = [item for item in report["history"] if item["started"] >= since]
    history = [{name: value for name, value in item.items() if name != "turn"} for item in items]
    return {"history": history, "slots": {name: slot["value"] for name, slot in slots.items()}}


async def told(seed: int) -> None:
    async with opened() as (memory, clock):
        line = Line(seed, memory, clock)
        await line.call.preload()
        for _ in range(12):
            await line.step(line.draw.choice(STEPS))
            await line.check()
        await ended(line.call, clock)
        await line.check()
        await line.retold()


@pytest.mark.parametrize("seed", range(30))
async def test_the_export_and_a_replay_tell_what_the_call_knew(seed: int) -> None:
    await told(seed)
