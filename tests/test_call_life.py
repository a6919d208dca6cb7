"""The life of a call under odd orders: named twice, in a pause, while it is read for, as it ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.ledger.effects import Rejected

from .kit import NUMBER, ended, opened, reply, rest, say, verified

ANA, BEA, CID = (Caller.account(f"cust-{number}") for number in (1, 2, 3))
WEAK = Caller.phone(NUMBER)


async def words(memory: Memory, who: Caller) -> list[str]:
    calls = (await memory.export(who))["calls"]
    return [item["text"] for call in calls for item in call["history"] if item["role"] == "user"]


async def facts(memory: Memory, who: Caller) -> list[Any]:
    return [fact["value"] for fact in await memory.profile(who)]


@pytest.mark.parametrize("first", [WEAK, ANA])
async def test_who_is_named_twice_at_once_is_the_last_named(first: Caller) -> None:
    async with opened() as (memory, clock):
        call = memory.call(first, call_id="c1")
        await say(call, clock, "I prefer a window seat")
        named = asyncio.gather(call.identify(BEA), call.identify(CID), call.identify(CID))
        await rest(memory, clock)
        await named
        await say(call, clock, "I'm allergic to walnuts")
        await ended(call, clock)
        assert call.caller == CID
        before = ["I prefer a window seat"]
        assert await words(memory, first) == (before if first is ANA else [])
        assert await words(memory, BEA) == ([] if first is ANA else before)
        assert await words(memory, CID) == ["I'm allergic to walnuts"]
        assert not memory.keeper.live


@pytest.mark.parametrize("first", [WEAK, ANA])
async def test_who_is_named_in_a_pause_is_told_nothing_of_it(first: Caller) -> None:
    async with opened() as (memory, clock):
        call = memory.call(first, call_id="c1")
        call.pause()
        await say(call, clock, "I prefer a window seat")
        await call.identify(BEA)
        await rest(memory, clock)
        await say(call, clock, "I have a dog")
        call.resume()
        await say(call, clock, "I'm allergic to walnuts")
        await ended(call, clock)
        assert await words(memory, first) == []
        assert await words(memory, BEA) == ["I'm allergic to walnuts"]


@pytest.mark.parametrize("first", [WEAK, ANA, None])
async def test_who_is_named_while_another_is_read_for_is_told_their_own(first: Caller | None) -> None:
    async with opened() as (memory, clock):
        for who, said in ((ANA, "I prefer a window seat"), (BEA, "I'm allergic to walnuts")):
            await say(earlier := memory.call(who, call_id=f"e-{who.id}"), clock, said)
            await ended(earlier, clock)
        call = memory.call(first, call_id="c1")
        loading = asyncio.ensure_future(call.preload(2.0))
        await asyncio.sleep(0)
        named = asyncio.ensure_future(call.identify(BEA))
        await rest(memory, clock)
        await asyncio.gather(loading, named)
        told = call.briefing().text
        assert "walnuts" in told
        assert "window" not in told


@pytest.mark.parametrize("first", [WEAK, ANA])
async def test_who_is_named_as_the_call_ends_has_what_is_theirs(first: Caller) -> None:
    async with opened() as (memory, clock):
        call = memory.call(first, call_id="c1")
        await say(call, clock, "I prefer a window seat")
        named = asyncio.ensure_future(call.identify(BEA))
        closing = asyncio.ensure_future(call.close("hangup"))
        await rest(memory, clock)
        await asyncio.gather(named, closing)
        assert await words(memory, ANA if first is ANA else BEA) == ["I prefer a window seat"]
        assert await words(memory, BEA if first is ANA else WEAK) == []
        assert not memory.keeper.live


async def test_who_is_named_by_the_same_key_written_otherwise_is_the_same() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I prefer a window seat")
        await call.identify(Caller.phone("+1 (555) 123-0001", how="verified"))
        await rest(memory, clock)
        assert not call.identity.left
        assert "window seat" in call.briefing().text + str(call.state)
        await ended(call, clock)
        assert await facts(memory, verified()) == ["window seat"]


async def test_what_a_model_finds_after_the_hand_over_is_of_who_said_it() -> None:
    async def model(request: ModelRequest) -> str:
        if request.purpose == "extract":
            await clock.sleep(5.0)
        fact = {"key": "pet", "value": "dog", "text": "dog", "quote": "I have a dog"}
        found = [fact] if "I have a dog" in request.text else []
        return json.dumps({"facts": found, "topic": "dogs", "text": "They talked.", "resolved": True})

    async with opened(model=model) as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "I have a dog")
        named = asyncio.ensure_future(call.identify(BEA))
        await clock.advance(6.0)
        await named
        assert "dog" not in str(call.state) + call.briefing().text
        await rest(memory, clock)
        assert await facts(memory, ANA) == ["dog"]
        await ended(call, clock)
        assert "dog" not in str(await memory.export(BEA))


async def test_a_line_that_drops_after_a_hand_over_goes_on_with_who_was_there() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "I prefer a window seat")
        await call.identify(BEA)
        await rest(memory, clock)
        await say(call, clock, "I have a dog")
        await ended(call, clock, "crash")
        await clock.advance(5.0)
        again = memory.call(BEA, call_id="c1")
        await again.preload()
        assert "window" not in again.briefing().text
        await say(again, clock, "I'm allergic to walnuts")
        await ended(again, clock)
        assert await words(memory, BEA) == ["I have a dog", "I'm allergic to walnuts"]
        assert await words(memory, ANA) == ["I prefer a window seat"]
        assert not memory.keeper.live


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_call_ends_once(at_once: bool) -> None:
    async with opened() as (memory, clock):
        told: list[str] = []
        call = memory.call(ANA, call_id="c1")
        call.listen(lambda name, _: told.append(name))
        await say(call, clock, "I prefer a window seat")
        first = asyncio.ensure_future(call.close("hangup"))
        if not at_once:
            await rest(memory, clock)
        second = asyncio.ensure_future(call.close("error"))
        await rest(memory, clock)
        assert (await first) is (await second) is not None
        assert call.course.ended == "hangup"
        assert told.count("summary") == 1
        assert len((await memory.export(ANA))["calls"]) == 1


@pytest.mark.parametrize("who", [ANA, None])
async def test_a_call_may_end_while_it_is_read_for(who: Caller | None) -> None:
    async with opened() as (memory, clock):
        call = memory.call(who, call_id="c1")
        loading = asyncio.ensure_future(call.preload(2.0))
        await asyncio.sleep(0)
        await ended(call, clock)
        assert await loading
        assert not memory.keeper.live


@pytest.mark.parametrize("first", [WEAK, ANA])
@pytest.mark.parametrize("then", [BEA, None])
async def test_a_call_that_is_not_to_be_remembered_leaves_nothing_with_anybody(
    first: Caller, then: Caller | None
) -> None:
    async with opened() as (memory, clock):
        call = memory.call(first, call_id="c1", remember=False)
        await say(call, clock, "I prefer a window seat")
        await call.identify(then)
        await rest(memory, clock)
        call.apply(ev.UserFinal(t=call.elapsed, started=0.5, text="I have a dog"))
        await say(call, clock, "I'm allergic to walnuts")
        await ended(call, clock)
        for who in (first, BEA):
            assert await memory.export(who) == {"calls": [], "profiles": {}}


async def test_who_is_forgotten_after_they_left_the_line_stays_forgotten() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "I prefer a window seat")
        await call.identify(BEA)
        await rest(memory, clock)
        assert (await memory.forget(ANA))["erased"]
        call.apply(ev.UserFinal(t=call.elapsed, started=0.5, text="I have a dog"))
        await say(call, clock, "I'm allergic to walnuts")
        await ended(call, clock)
        assert await memory.export(ANA) == {"calls": [], "profiles": {}}
        assert await facts(memory, BEA) == ["walnuts"]


async def test_who_is_forgotten_in_the_call_leaves_nothing_to_who_comes_next() -> None:
    async with opened() as (memory, clock):
        call: CallMemory = memory.call(WEAK, call_id="c1")
        await say(call, clock, "I prefer a window seat")
        await reply(call, clock, "r1", "A window seat, very well.")
        await memory.forget(WEAK)
        await call.identify(BEA)
        await rest(memory, clock)
        await say(call, clock, "I'm allergic to walnuts")
        await ended(call, clock)
        assert await words(memory, BEA) == ["I'm allergic to walnuts"]
        assert await facts(memory, BEA) == ["walnuts"]
        assert "window" not in str(await memory.export(BEA))


@pytest.mark.parametrize(
    "broken",
    [
        ev.UserFinal(t=cast("float", None), text="hi"),
        ev.UserFinal(t=cast("float", "1"), text="hi"),
        ev.UserFinal(t=1.0, text=cast("str", None)),
        ev.UserFinal(t=1.0, text="hi", started=cast("float", "x")),
        ev.UserTyped(t=1.0, text=cast("str", 7)),
        ev.TurnEnded(t=cast("float", [])),
        ev.ReplyEnded(t=1.0, reply="r", interrupted=False, played=cast("float", "x")),
    ],
)
@pytest.mark.parametrize("paused", [False, True])
async def test_an_event_of_wrong_types_is_refused_and_no_more(broken: ev.Event, paused: bool) -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await call.preload()
        if paused:
            call.pause()
        assert [type(effect) for effect in call.apply(broken)] == [Rejected]
        call.resume()
        call.apply(broken)
        await say(call, clock, "I have a dog")
        await ended(call, clock)
        assert await words(memory, ANA) == ["I have a dog"]
