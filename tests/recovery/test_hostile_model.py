"""Random calls with a model that is slow, cut, garbled, away or padded: in the end nothing is missing.

Once the model answers again and the calls were finished, each profile is what an honest one would have left.
"""

from __future__ import annotations

import asyncio
import json
import re
from random import Random
from typing import Any

import pytest

from pipecat_memory import Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.testing import ManualClock

from ..kit import verified
from ..writing.scene import fact
from .test_jobs import processes, work

TOLD = {
    "I live in Lisbon": ("home_city", "Lisbon", "set"),
    "I moved to Porto": ("home_city", "Porto", "set"),
    "Ich wohne in Bremen": ("home_city", "Bremen", "set"),
    "I work at Novatel": ("employer", "Novatel", "set"),
    "trabajo en Iberia": ("employer", "Iberia", "set"),
    "I play the cello": ("hobby", "cello", "add"),
    "I also play chess": ("hobby", "chess", "add"),
    "I drive a Volvo": ("car", "Volvo", "set"),
    "I study biology": ("field_of_study", "biology", "set"),
    "my daughter is called Mina": ("daughter_name", "Mina", "set"),
}
GARBLED = (
    "",
    "null",
    "I can't help with that.",
    "[" * 3000,
    '{"a":' * 3000,
    '\ud800{"facts":[',
    "<think>" * 99,
)
ONE = re.compile(r"> \[(\d+)\] CALLER[^:]*: (.*)")


def found_in(asked: str) -> list[dict[str, Any]]:
    """The facts of the turns of a request, as an honest model gives them."""
    return [
        fact(key, value, quote, op=op, explicit=True, turn=int(number))
        for number, words in ONE.findall(asked)
        for quote, (key, value, op) in TOLD.items()
        if quote in words
    ]


class Whim:
    """Answers as the dice fall; honest once it is told to be."""

    name = "whim"

    def __init__(self, dice: Random, clock: ManualClock, *, honest: bool) -> None:
        self.honest = honest
        self._dice, self._clock = dice, clock

    async def answer(self, request: ModelRequest) -> ModelReply:
        facts, dice = found_in(request.text), self._dice
        if request.purpose != "extract":
            return ModelReply(text=json.dumps({"text": "They talked.", "resolved": True}))
        if self.honest:
            return ModelReply(text=json.dumps({"facts": facts}))
        await self._clock.sleep(dice.choice((0.0, 0.0, 0.1, 3.0, 7.9, 20.0)))
        whole = json.dumps({"facts": facts})
        match dice.choice(
            ("well",) * 3 + ("away", "breaks", "gives up", "garbled", "cut", "short", "padded")
        ):
            case "away":
                raise ModelUnavailable("status 429")
            case "breaks":
                raise RuntimeError
            case "gives up":
                raise asyncio.CancelledError
            case "garbled":
                return ModelReply(text=dice.choice(GARBLED))
            case "cut":
                return ModelReply(text=whole[: len(whole) // 2], finish="length")
            case "short":
                return ModelReply(text=whole[: -dice.randint(4, 60)])
            case "padded":
                lies = [fact(f["key"], "Evil", f["quote"], turn=f["turn"]) for f in facts]
                padded = [*facts, *facts, *lies, fact("pet", "cat", "I have a cat", turn=99)]
                dice.shuffle(padded)
                return ModelReply(text=f"```json\n{json.dumps({'facts': padded})}\n```", tokens_in=-5)
            case _:
                return ModelReply(text=whole)


async def left_by(seed: int, *, honest: bool) -> list[list[tuple[Any, ...]]]:
    """What the profiles of two callers hold in the end."""
    dice = Random(seed)
    async with processes(2) as (clock, _, (memory, worker)):
        model = Whim(Random(seed), clock, honest=honest)
        mode = dice.choice(("per_turn", "per_turn", "window", "per_call"))
        for process in (memory, worker):
            process.model, process.extraction = model, mode
            process.settings = Settings(strict=True, drain=dice.choice((0.5, 2.5)), extraction_window=3)
        callers = [verified(f"+1555123000{number}") for number in range(2)]
        for number in range(dice.randint(1, 3)):
            await one_call(memory, clock, dice, f"c{number}", callers)
        while memory.busy:
            await clock.next()
        model.honest = True
        await clock.advance(60.0)
        await work(worker, clock)
        assert await work(worker, clock) == {"settled": 0, "held": 0, "parked": 0}
        profiles = [await worker.profile(caller) for caller in callers]
    return [
        sorted((f["key"], f["value"], f["status"], *f["source"].values(), f["seen"]) for f in profile)
        for profile in profiles
    ]


async def one_call(memory: Memory, clock: ManualClock, dice: Random, id: str, callers: list[Any]) -> None:
    """A call of a few turns: some grow late, some are taken back, and the line may change hands."""
    call = memory.call(dice.choice(callers), call_id=id)
    sayings = dice.sample(list(TOLD), len(TOLD))
    for number in range(dice.randint(1, 6)):
        words = " and ".join(sayings.pop() for _ in range(1 + (dice.random() < 0.3)))
        started, grows = call.elapsed, dice.random() < 0.2
        await clock.advance(dice.choice((0.3, 1.0, 4.0)))
        said = words if not grows else words.rsplit(" ", 1)[0]
        call.apply(ev.UserFinal(t=call.elapsed, text=said, started=started, id=f"{id}-{number}"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await clock.settle()
        if grows:
            await clock.advance(dice.choice((0.01, 0.4)))
            call.apply(ev.UserFinal(t=call.elapsed, text=words, started=started, id=f"{id}-{number}"))
        elif dice.random() < 0.1:
            call.apply(ev.MemoryForgetLast(t=call.elapsed))
        elif dice.random() < 0.1:
            memory.tasks.spawn(call.identify(dice.choice(callers)), "handed over")
            await clock.settle()
    closing = memory.tasks.spawn(call.close(dice.choice(("hangup", "bot_ended", "error"))), "close")
    await clock.settle()
    while not closing.done():
        await clock.next()


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.long if seed >= 12 else ()) for seed in range(150)]
)
async def test_a_hostile_model_costs_no_fact_and_brings_none(seed: int) -> None:
    assert await left_by(seed, honest=False) == await left_by(seed, honest=True)
