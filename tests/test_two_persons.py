"""Two persons who both proved who they are, one after the other on one line: each keeps their own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.replay import replay

from .kit import ended, opened, reply, rest, say

PIN = {"version": 1, "slots": [{"name": "pin", "type": "digits", "secret": True, "description": "PIN"}]}
ANA, BEA = Caller.account("cust-1"), Caller.account("cust-2")


async def held(memory: Memory, caller: Caller) -> tuple[list[str], list[Any], str]:
    """What a caller's file holds: words, facts, and everything as one text."""
    export = await memory.export(caller)
    said = [i["text"] for c in export["calls"] for i in c["history"] if i["role"] == "user"]
    return said, [f["value"] for f in await memory.profile(caller)], str(export)


async def handed(memory: Memory, clock: Any, call: CallMemory, then: Caller) -> None:
    await call.preload()
    await say(call, clock, "my name is Ana Ruiz and I prefer a window seat")
    await reply(call, clock, "r1", "Thank you, Ana.")
    await call.identify(then)
    await rest(memory, clock)


@pytest.mark.parametrize("how", ["verified", "claimed", "number"])
@pytest.mark.parametrize("end", ["hangup", "crash"])
@pytest.mark.parametrize("early", [False, True])
async def test_what_was_said_before_stays_with_the_first(how: Any, end: str, early: bool) -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        if early:  # before a file was opened
            call.apply(ev.UserFinal(t=0.0, text="my name is Ana Ruiz and I prefer a window seat"))
            call.apply(ev.TurnEnded(t=0.1))
            await clock.advance(1.0)
            await call.identify(BEA.proven(how))
            await rest(memory, clock)
        else:
            await handed(memory, clock, call, BEA.proven(how))
        assert call.state["slots"] == {}
        assert "window" not in call.briefing().text
        assert "Ana" not in call.briefing().text
        await say(call, clock, "this is Bea Lind, I prefer a quiet room")
        assert "quiet room" in str(call.state)
        assert "window" not in call.briefing().text
        await ended(call, clock, end)
        if end == "crash":
            assert (await memory.reprocess(BEA))["settled"] == 1
        said, facts, everything = await held(memory, ANA)
        assert said == ["my name is Ana Ruiz and I prefer a window seat"]
        assert set(facts) == {"Ana Ruiz", "window seat"}
        assert "Bea" not in everything
        said, facts, everything = await held(memory, BEA)
        assert said == ["this is Bea Lind, I prefer a quiet room"]
        assert set(facts) == {"Bea Lind", "quiet room"}
        assert "Ana" not in everything
        assert not memory.keeper.live


@pytest.mark.parametrize("first", [None, Caller("cust-9", "claimed"), Caller("cust-9", "number")])
async def test_who_is_known_late_takes_all_of_the_call_along(first: Caller | None) -> None:
    async with opened() as (memory, clock):
        call = memory.call(first, call_id="c1")
        await handed(memory, clock, call, BEA)
        await ended(call, clock)
        assert (await held(memory, BEA))[1] != []
        if first is not None:
            assert await held(memory, first) == ([], [], "{'calls': [], 'profiles': {'cust-9': []}}")


async def test_with_a_model_each_turn_is_extracted_for_who_said_it() -> None:
    async def model(request: ModelRequest) -> str:
        facts = [
            {"key": "pet", "value": pet, "text": pet, "quote": f"I have a {pet}"}
            for pet in ("dog", "cat")
            if request.purpose == "extract" and f"I have a {pet}" in request.text
        ]
        return json.dumps({"facts": facts, "text": "They talked.", "resolved": True})

    async with opened(model=model) as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await call.preload()
        await say(call, clock, "I have a dog")
        await call.identify(BEA)
        await say(call, clock, "I have a cat")
        await call.identify(ANA)
        await say(call, clock, "I am back")
        await ended(call, clock)
        assert (await held(memory, ANA))[:2] == (["I have a dog", "I am back"], ["dog"])
        assert (await held(memory, BEA))[:2] == (["I have a cat"], ["cat"])


async def test_a_recording_says_the_same() -> None:
    lines: list[dict[str, Any]] = [
        {
            "type": "call_started",
            "call": "c",
            "at": "2026-03-02T10:00:00Z",
            "caller": "cust-1",
            "how": "verified",
        }
        | {"timezone": "UTC", "direction": "inbound"},
        {"type": "user_final", "t": 2, "started": 1, "text": "my name is Ana Ruiz"},
        {"type": "turn_ended", "t": 3},
        {"type": "caller_identified", "t": 4, "caller": "cust-2", "how": "verified"},
        {"type": "user_final", "t": 6, "started": 5, "text": "my name is Bea Lind"},
        {"type": "turn_ended", "t": 7},
        {"type": "call_ended", "t": 9, "reason": "hangup"},
    ]
    report = await replay([json.dumps(line) for line in lines], embedder=None)
    assert report["errors"] == []
    assert [f["value"] for f in report["profiles"]["cust-2"]] == ["Bea Lind"]
    assert "Ana" not in str(report["profiles"]["cust-2"])


async def test_who_came_again_and_is_taken_for_another_keeps_what_they_had_said() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(memory, clock, call, BEA)
        await call.identify(ANA.proven("claimed"))
        await rest(memory, clock)
        await say(call, clock, "I prefer a quiet room")
        await call.identify(Caller.account("cust-3"))
        await rest(memory, clock)
        await say(call, clock, "a table for five please")
        await ended(call, clock)
        assert (await held(memory, ANA))[0] == [
            "my name is Ana Ruiz and I prefer a window seat",
            "I prefer a quiet room",
        ]
        assert (await held(memory, Caller.account("cust-3")))[0] == ["a table for five please"]


async def test_what_was_begun_asked_or_mended_with_the_first_is_nothing_of_the_second() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await reply(call, clock, "r1", "Hello Ana, how many people?")
        call.correct("/slots/party_size", 9, by="operator")
        call.apply(ev.UserFinal(t=call.elapsed, started=call.elapsed - 0.5, text="my name is Ana Ruiz and"))
        await call.identify(BEA)
        await rest(memory, clock)
        assert call.state["slots"] == {}
        assert "Ana" not in call.briefing().text
        assert call.forget_last() == 0
        await say(call, clock, "twelve")
        assert "party_size" not in call.state["slots"]
        call.rollback(0)
        assert call.state["slots"] == {}
        await ended(call, clock)
        assert (await held(memory, ANA))[0] == ["my name is Ana Ruiz and"]
        assert (await held(memory, BEA))[0] == ["twelve"]


async def test_a_late_final_that_began_before_the_hand_over_is_of_the_first_only() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "my name is Ana Ruiz")
        began = call.elapsed
        await clock.advance(1.0)
        await call.identify(BEA)
        await rest(memory, clock)
        call.apply(ev.UserFinal(t=call.elapsed, started=began, text="I'm allergic to walnuts"))
        await say(call, clock, "I prefer a quiet room")
        assert "walnuts" not in call.briefing().text + str(call.state)
        await ended(call, clock)
        said, facts, everything = await held(memory, BEA)
        assert said == ["I prefer a quiet room"]
        assert facts == ["quiet room"]
        assert "walnuts" not in everything
        assert (await held(memory, ANA))[0] == ["my name is Ana Ruiz", "I'm allergic to walnuts"]


@pytest.mark.parametrize(
    ("schema", "first", "asked", "late", "kept"),
    [
        (None, "my card is 4111 1111", "And the rest?", "1111 1111", ["my card is [card]", "[card]"]),
        (PIN, "it is Ana", "Your PIN, please?", "4 3 2 1", ["it is Ana", "[pin]"]),
        (None, "it is Ana", "Which table?", "table 12", ["it is Ana", "table 12"]),
    ],
)
async def test_digits_that_come_after_the_hand_over_are_masked_as_in_their_place(
    schema: Any, first: str, asked: str, late: str, kept: list[str]
) -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1", schema=schema)
        await say(call, clock, first)
        await reply(call, clock, "r1", asked)
        began = call.elapsed
        await clock.advance(1.0)
        await call.identify(BEA)
        await rest(memory, clock)
        call.apply(ev.UserFinal(t=call.elapsed, started=began, text=late, nbest=(late,)))
        await say(call, clock, "I prefer a quiet room")
        await ended(call, clock)
        assert call.counters["of_who_left"] == 1
        assert (await held(memory, ANA))[0] == kept
        assert (await held(memory, BEA))[0] == ["I prefer a quiet room"]
