"""All that an app may do with a call, begun at random before the last was done: it ends, nothing fails."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.errors import UsedWrongly
from pipecat_memory.testing import ManualClock

from .kit import NUMBER, opened, rest

SAID = ["my name is Wren Okafor", "a table for five", "I'm allergic to walnuts"]
PEOPLE = [
    *(Caller.phone(NUMBER), Caller.phone(NUMBER, how="verified")),
    *(Caller.account("cust-1"), Caller.account("cust-2")),
]
STEPS = [
    *("say", "say", "say", "identify", "identify", "close", "forget", "preload", "export", "another"),
    *("pause", "reply", "back", "reprocess"),
]


class App:
    """Does not wait for what it began."""

    def __init__(self, seed: int, memory: Memory, clock: ManualClock) -> None:
        self.draw = random.Random(seed)
        self.memory = memory
        self.clock = clock
        self.call = memory.call(self.draw.choice(PEOPLE), call_id="c1")
        self.begun: list[asyncio.Future[Any]] = []
        self.behind = 0.0
        """Seconds by which its clock is late."""

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        self.begun.append(asyncio.ensure_future(work))

    def say(self, call: CallMemory, t: float) -> None:
        id = self.draw.choice([None, "same"])
        text = self.draw.choice(SAID)
        call.apply(ev.UserFinal(t=t, text=text, started=max(0.0, t - 1), id=id))
        call.apply(ev.TurnEnded(t=t))

    def step(self) -> None:
        call, draw, who = self.call, self.draw, self.draw.choice(PEOPLE)
        now = max(0.0, call.elapsed - self.behind)
        match draw.choice(STEPS):
            case "say":
                self.say(call, now)
            case "identify":
                self.begin(call.identify(draw.choice([who, None])))
            case "close":
                self.begin(call.close(draw.choice(["hangup", "error"])))
            case "forget":
                self.begin(self.memory.forget(who))
            case "preload":
                self.begin(call.preload(0.0))
            case "export":
                self.begin(self.memory.export(who))
            case "another":  # perhaps the same line once more
                other = self.memory.call(who, call_id=draw.choice(["c1", "c2"]))
                self.say(other, 1.0)
                self.begin(other.close("hangup"))
            case "reprocess":
                self.begin(self.memory.reprocess())
            case "pause":
                draw.choice([call.pause, call.resume])()
            case "reply":
                call.apply(ev.ReplyStarted(t=now, reply=draw.choice("ab")))
                call.briefing()
            case _:
                self.behind = draw.choice([0.0, 3.0, 1000.0])


@pytest.mark.parametrize("seed", range(25))
async def test_whatever_is_begun_at_once_comes_to_an_end(seed: int) -> None:
    async with opened() as (memory, clock):
        app = App(seed, memory, clock)
        for _ in range(app.draw.randint(3, 25)):
            app.step()
            if app.draw.random() < 0.5:
                await asyncio.sleep(0)
            if app.draw.random() < 0.2:
                await clock.advance(app.draw.random())
        app.begin(app.call.close("hangup"))
        async with asyncio.timeout(60):
            while not all(one.done() for one in app.begun):
                await clock.next()
            await rest(memory, clock)
        faults = [one.exception() for one in app.begun]
        assert all(fault is None or isinstance(fault, UsedWrongly) for fault in faults)
        assert memory.tasks.failed == 0
        assert not memory.keeper.live
