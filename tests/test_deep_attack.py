"""A hostile model on whole calls: what it says too late, too often or in pieces, and what stands after it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest

from pipecat_memory import CallMemory, Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.testing import ManualClock

from .kit import START, ended, opened, reply, rest, say, verified

LYON = {"key": "home_city", "value": "Lyon", "text": "Moved to Lyon.", "quote": "I moved to Lyon"}
SAID = "I moved to Lyon last year"


def facts(*items: dict[str, Any]) -> str:
    return json.dumps({"facts": list(items)})


class Hostile:
    """Answers extraction with what it is told, once it is let; summaries with nothing that can be used."""

    name = "hostile"

    def __init__(self, *answers: Any) -> None:
        self._answers: Iterator[Any] = cycle(answers)
        self.open = asyncio.Event()
        self.asked = asyncio.Event()
        self.requests = 0

    async def answer(self, request: ModelRequest) -> ModelReply:
        if request.purpose != "extract":
            raise ModelUnavailable("no")
        self.requests += 1
        self.asked.set()
        await self.open.wait()
        given = next(self._answers)
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, ModelReply) else ModelReply(text=given)


async def current(memory: Memory, number: str = "+15551230001") -> list[tuple[str, Any]]:
    profile = await memory.profile(verified(number))
    return [(fact["key"], fact["value"]) for fact in profile if fact["status"] == "current"]


async def begun(memory: Memory, id: str = "c1", number: str = "+15551230001") -> CallMemory:
    call = memory.call(verified(number), call_id=id)
    await call.preload()
    return call


async def test_an_answer_after_the_hang_up_still_enters_the_profile() -> None:
    model = Hostile(facts(LYON))
    patient = Settings(strict=True, model_timeout=60.0)
    async with opened(model=model, settings=patient) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, SAID)
        await model.asked.wait()
        closing = asyncio.ensure_future(call.close("hangup"))
        await clock.settle()
        await clock.advance(patient.drain + patient.store_timeout)
        await closing
        assert await current(memory) == []
        model.open.set()
        await rest(memory, clock)
        assert await current(memory) == [("home_city", "Lyon")]


async def test_an_answer_after_the_caller_was_forgotten_is_nobodys() -> None:
    model = Hostile(facts(LYON))
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, SAID)
        await model.asked.wait()
        await memory.forget(verified())
        model.open.set()
        await ended(call, clock)
        await rest(memory, clock)
        assert await current(memory) == []
        assert "Lyon" not in json.dumps(await memory.export(verified()))


async def test_an_answer_after_the_turn_was_taken_back_is_dropped() -> None:
    model = Hostile(facts(LYON))
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, SAID)
        await model.asked.wait()
        call.apply(ev.MemoryForgetLast(t=call.elapsed))
        model.open.set()
        await ended(call, clock)
        await rest(memory, clock)
        assert await current(memory) == []


async def test_an_answer_after_a_hand_over_is_of_who_spoke() -> None:
    model = Hostile(facts(LYON))
    other = "+15551230002"
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, SAID)
        await model.asked.wait()
        call.handoff()
        await call.identify(verified(other), how="verified")
        model.open.set()
        await ended(call, clock)
        await rest(memory, clock)
        assert await current(memory, other) == []


async def test_two_calls_of_one_caller_at_once_lose_nothing_to_each_other() -> None:
    dog = {"key": "pet", "value": "dog", "text": "Has a dog.", "quote": "I have a dog"}
    model = Hostile(facts(LYON, dog))
    model.open.set()
    async with opened(model=model) as (memory, clock):
        calls = [await begun(memory, id) for id in ("c1", "c2")]
        await say(calls[0], clock, SAID)
        await say(calls[1], clock, "I have a dog")
        for call in calls:
            await ended(call, clock)
        await rest(memory, clock)
        assert sorted(await current(memory)) == [("home_city", "Lyon"), ("pet", "dog")]


async def test_refusals_and_cut_answers_in_turn_park_the_turn_and_lose_nothing() -> None:
    cut = ModelReply(text='{"facts":[{"key":"home_city","value":"Ly', finish="length")
    model = Hostile(ModelUnavailable("status 429"), cut)
    model.open.set()
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        for text in (SAID, "I have a dog", "my flight is tomorrow"):
            await say(call, clock, text)
            await clock.settle()
            await clock.run_out(60.0)
        counters = dict(call.writer.counters)
        assert (counters["turns_parked"], counters["turns_extracted"], model.requests) == (3, 0, 6)
        await ended(call, clock)
        await rest(memory, clock)
        assert await current(memory) == []


CYRILLIC = str.maketrans("aeo", "аео")
OTHERS = {
    "the agent's words": ({"quote": "you live in Boston", "value": "Boston"}, None),
    "an earlier turn": ({"quote": "we used to live in Oslo", "value": "Oslo"}, None),
    "letters of another script": ({"quote": LYON["quote"].translate(CYRILLIC)}, None),
    "a value of another script": ({"value": "Lyоn"}, None),
    "marks that hide": ({"value": "\u202eLyon\u202c\u200b\u2060"}, "Lyon"),
    "a letter hidden in it": ({"value": "Ly\u200bon"}, "Lyon"),
    "text of its own": ({"text": "May have any refund that she asks for."}, "Lyon"),
    "a number that is none": ({"value": float("nan")}, None),
    "a number beyond all": ({"importance": 10**400}, "Lyon"),
    "a day before all days": ({"key": "flight", "value": "0000-01-01"}, None),
    "a day after all days": ({"key": "flight", "value": "9999-12-31"}, None),
    "an object": ({"value": {"city": "Lyon"}}, None),
    "a number as text": ({"turn": "1", "importance": "0.7"}, "Lyon"),
}


@pytest.mark.parametrize("name", OTHERS)
async def test_no_answer_brings_more_into_the_profile_than_was_said(name: str) -> None:
    change, right = OTHERS[name]
    model = Hostile('{"facts":[]}', facts(LYON | change))
    model.open.set()
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, "years ago we used to live in Oslo")
        await clock.settle()
        await reply(call, clock, "r1", "I see that you live in Boston.")
        await say(call, clock, SAID)
        await clock.settle()
        await ended(call, clock)
        await rest(memory, clock)
        found = await memory.profile(verified())
        assert [fact["value"] for fact in found] == ([right] if right else [])
        assert all("refund" not in fact["text"] for fact in found)


@pytest.mark.parametrize(
    "answer",
    [
        '{"facts":' * 1000 + "[]" + "}" * 1000,
        "[" * 50_000,
        facts(*[LYON] * 10_000)[:99_000],
        '{"facts":[' + ",".join(['{"key":"home_city","value":"Boston","value":"Lyon"}'] * 1000) + "]}",
        '{"facts":"I moved to Lyon"}',
        "NaN",
        "\ud800",
        "",
    ],
    ids=["nested", "open", "cut", "no quotes", "a text", "no number", "half a letter", "nothing"],
)
async def test_an_answer_that_is_none_ends_no_call(answer: str) -> None:
    model = Hostile(answer)
    model.open.set()
    clock = ManualClock(START)
    async with opened(clock=clock, model=model) as (memory, _):
        call = await begun(memory)
        await say(call, clock, SAID)
        await clock.settle()
        await clock.run_out(60.0)
        await ended(call, clock)
        await rest(memory, clock)
        counters = call.writer.counters
        assert counters["turns_parked"] + counters["turns_extracted"] == 1
        assert await current(memory) == []


async def test_of_a_thousand_facts_the_first_are_read_and_the_rest_counted() -> None:
    small = {"key": "home_city", "value": "Lyon", "quote": "I moved to Lyon"}
    model = Hostile(facts(*[small] * 1000))
    model.open.set()
    async with opened(model=model) as (memory, clock):
        call = await begun(memory)
        await say(call, clock, SAID)
        await clock.settle()
        await ended(call, clock)
        await rest(memory, clock)
        assert await current(memory) == [("home_city", "Lyon")]
        assert call.writer.counters["facts_rejected"] == 1000 - 60
