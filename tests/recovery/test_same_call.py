"""A call's line goes on with the same id in another process: it is one call, with all of its turns, once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.replay import replay
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, ended, opened, reply, rest, say, verified
from . import victim
from .processes import killed, running
from .test_jobs import cities, processes
from .test_resumed import SCHEMA


async def said(memory: Memory) -> list[tuple[str, int, float]]:
    """(words, turn, when) of the caller's turns in the one call that there is."""
    (call,) = (await memory.export(verified()))["calls"]
    return [(i["text"], i["turn"], i["started"]) for i in call["history"] if i["role"] == "user"]


async def die(memory: Memory, clock: ManualClock) -> None:
    await rest(memory, clock)
    await memory.keeper.stop()


async def begun(memory: Memory, clock: ManualClock, **more: Any) -> CallMemory:
    call = memory.call(verified(), call_id="c1", **more)
    assert await call.preload()
    await clock.settle()
    return call


async def test_it_goes_on_with_notes_turns_and_tools_and_ends_as_one() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        first = await begun(dead, clock, schema=SCHEMA)
        await say(first, clock, "a table for five please")
        await reply(first, clock, "r1", "Five people, very well.")
        first.apply(ev.ToolCalled(t=first.elapsed, id="x1", name="hold_table", args={}))
        first.apply(ev.UserFinal(t=first.elapsed, text="and on", id="u9", started=first.elapsed))
        await die(dead, clock)
        await clock.advance(60.0)
        call = await begun(memory, clock, schema=SCHEMA)
        told = call.briefing().text
        assert call.state["slots"]["party_size"]["value"] == 5
        for words in ("a table for five please", "hold_table was still running"):
            assert words in told
        await say(call, clock, "make that six")
        await reply(call, clock, "r1", "Six people then.")
        assert len(await said(memory)) == 3, "while it goes on too"
        await ended(call, clock)
        assert await said(memory) == [
            ("a table for five please", 1, 0.0),
            ("and on", 2, 2.0),
            ("make that six", 3, 62.0),
        ]
        (report,) = (await memory.export(verified()))["calls"]
        assert [i["text"] for i in report["history"] if i["role"] == "assistant"] == [
            "Five people, very well.",
            "Six people then.",
        ]
        assert report["state"]["slots"]["party_size"]["value"] == 6
        assert report["outcome"] == "completed"
        assert report["summary"] is not None


async def test_a_final_that_comes_again_counts_once_and_the_same_id_for_other_words_is_another() -> None:
    async with processes(2) as (clock, model, (dead, memory)):
        first = await begun(dead, clock)
        await say(first, clock, "I live in Rome", id="u1")
        await say(first, clock, "hello are you there", id="u2")
        await die(dead, clock)
        await clock.advance(20.0)
        call = await begun(memory, clock)
        await say(call, clock, "hello are you there", id="u2")
        await say(call, clock, "I live in Oslo", id="u1")
        await ended(call, clock)
        assert [(words, turn) for words, turn, _ in await said(memory)] == [
            ("I live in Rome", 1),
            ("hello are you there", 2),
            ("I live in Oslo", 3),
        ]
        assert await cities(memory) == [("Oslo", 3, 1)]
        asked = model.asked
        assert await memory.reprocess(verified()) == {"settled": 0, "held": 0, "parked": 0}
        assert model.asked == asked


async def test_what_the_second_process_asked_to_keep_stays_beside_what_the_first_did() -> None:
    async with opened() as (memory, clock):
        first = await begun(memory, clock)
        await say(first, clock, "I drive a van")
        assert first.remember("vehicle", "van", "I drive a van")
        await ended(first, clock, "crash")
        second = await begun(memory, clock)
        await say(second, clock, "I have a dog")
        assert second.remember("pet", "dog", "I have a dog")
        await ended(second, clock)
        facts = [(f["value"], f["source"]["turn"]) for f in await memory.profile(verified())]
        assert sorted(facts) == [("dog", 2), ("van", 1)]
        assert not memory.keeper.live


async def test_striking_a_turn_of_the_second_leaves_the_firsts() -> None:
    async with opened() as (memory, clock):
        first = await begun(memory, clock)
        await say(first, clock, "my name is Wren Okafor")
        await ended(first, clock, "crash")
        second = await begun(memory, clock)
        await say(second, clock, "I'm allergic to walnuts")
        second.apply(ev.MemoryForgetLast(t=second.elapsed))
        await ended(second, clock)
        assert [words for words, _, _ in await said(memory)] == ["my name is Wren Okafor"]
        assert [f["value"] for f in await memory.profile(verified())] == ["Wren Okafor"]


async def test_the_line_goes_on_here_while_the_first_is_still_being_finished() -> None:
    async with opened() as (memory, clock):
        first = await begun(memory, clock)
        await say(first, clock, "my name is Wren Okafor")
        closing = asyncio.ensure_future(first.close("error"))
        second = await begun(memory, clock)
        await closing
        await rest_of(memory, clock)
        assert list(memory.keeper.live) == [second]
        assert (await memory.reprocess(verified()))["held"] == 1
        await say(second, clock, "call me Wrennie")
        await ended(second, clock)
        assert [words for words, _, _ in await said(memory)] == ["my name is Wren Okafor", "call me Wrennie"]
        assert not memory.keeper.live
        assert (await memory.reprocess(verified()))["held"] == 0


async def rest_of(memory: Memory, clock: ManualClock) -> None:
    await clock.settle()
    while memory.tasks.busy:
        await clock.next()


async def test_who_was_taken_for_dead_leaves_the_call_to_whoever_goes_on_with_it() -> None:
    async with processes(2) as (clock, _, (late, memory)):
        first = await begun(late, clock)
        await say(first, clock, "my name is Wren Okafor")
        second = await begun(memory, clock)
        await say(second, clock, "call me Wrennie")
        await ended(first, clock, "idle_timeout")
        await rest(memory, clock)
        await say(second, clock, "I have a dog")
        await ended(second, clock, "crash")
        await memory.keeper.stop()
        await clock.advance(61.0)
        assert await late.reprocess(verified()) == {"settled": 1, "held": 0, "parked": 0}
        assert [words for words, _, _ in await said(late)] == [
            "my name is Wren Okafor",
            "call me Wrennie",
            "I have a dog",
        ]
        names = {f["value"] for f in await late.profile(verified()) if f["status"] == "current"}
        assert {"Wren Okafor", "Wrennie"} <= names


async def test_off_the_record_of_a_dead_process_does_not_swallow_what_the_next_one_keeps() -> None:
    async with processes(2) as (clock, _, (dead, memory)):
        first = await begun(dead, clock)
        await say(first, clock, "a table for five please")
        first.pause()
        await say(first, clock, "my secret is Quillfeather")
        await die(dead, clock)
        call = await begun(memory, clock)
        await say(call, clock, "make that six")
        await ended(call, clock)
        assert [words for words, _, _ in await said(memory)] == ["a table for five please", "make that six"]


def recording(times: int) -> list[str]:
    """A call in two halves of the same id, each with a clock of its own."""
    halves: Sequence[tuple[str, str]] = (
        ("2026-03-02T10:00:00Z", "my name is Wren Okafor"),
        ("2026-03-02T10:05:00Z", "call me Wrennie"),
    )
    lines: list[dict[str, Any]] = []
    for at, words in halves * times:
        lines += [
            {"type": "call_started", "call": "c1", "at": at, "caller": NUMBER, "how": "verified"},
            {"type": "user_final", "t": 1.0, "text": words, "started": 0.0},
            {"type": "turn_ended", "t": 1.5},
            {"type": "call_ended", "t": 2.0, "reason": "hangup"},
        ]
    return [json.dumps(line) for line in lines]


async def test_a_recording_fed_twice_changes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    kept: list[Any] = []
    for _ in range(2):
        await replay(recording(1), url, embedder=None)
        async with opened(url) as (memory, _clock):
            kept.append((await memory.export(verified()), await said(memory)))
    assert kept[0] == kept[1]
    assert kept[0][1] == [("my name is Wren Okafor", 1, 0.0), ("call me Wrennie", 2, 300.0)]


def test_killed_and_resumed_in_other_processes(url: str) -> None:
    for _ in range(2):
        with running("go_on", url, "turn"):
            pass
    code, _ = killed("come_to_an_end", url, None)
    assert code == 0

    async def left() -> tuple[list[str], list[Any]]:
        memory = await victim.opened(url)
        (call,) = (await memory.export(Caller.phone(NUMBER, how="verified")))["calls"]
        assert call["summary"] is not None
        await memory.close()
        items = [i for i in call["history"] if i["role"] == "user"]
        return [i["text"] for i in items], [i["turn"] for i in items]

    words, turns = asyncio.run(left())
    assert words == list(victim.TOLD) * 3, "each process said them once"
    assert turns == list(range(1, 10))


@pytest.mark.parametrize("elsewhere", [True, False], ids=["in another process", "in the same"])
async def test_what_a_proven_caller_said_goes_to_nobody_when_the_line_is_held_by_number_later(
    elsewhere: bool,
) -> None:
    other = Caller.account("cust-2")
    async with processes(2) as (clock, _, (dead, memory)):
        call = await begun(dead, clock)
        await say(call, clock, "I prefer a window seat")
        if elsewhere:
            await die(dead, clock)
            await clock.advance(60.0)
            call = memory.call(Caller.phone(NUMBER), call_id="c1")
            await call.preload()
            await clock.settle()
        else:
            await call.identify(NUMBER, how="number")
        await call.identify(other)
        await rest(call.memory, clock)
        await say(call, clock, "I have a dog")
        await ended(call, clock)
        assert [words for words, _, _ in await said(memory)] == ["I prefer a window seat"]
        (theirs,) = (await memory.export(other))["calls"]
        assert [item["text"] for item in theirs["history"]] == ["I have a dog"]


@pytest.mark.parametrize("of_the_first", ["voice long over", "voice that goes on", "agent heard"])
async def test_what_one_process_heard_says_nothing_of_words_told_by_the_next(of_the_first: str) -> None:
    """The next one may report no voice activity at all, or only late."""
    async with processes(2) as (clock, _, (dead, memory)):
        first = await begun(dead, clock)
        first.apply(ev.UserStarted(t=first.elapsed))
        await clock.advance(21.0)
        if of_the_first == "voice long over":
            first.apply(ev.UserStopped(t=1.0))
        elif of_the_first == "voice that goes on":
            first.apply(ev.Interrupted(t=first.elapsed))
        else:
            first.apply(ev.UserStopped(t=1.0))
            await reply(first, clock, "r1", "How many people?")
        await die(dead, clock)
        await clock.advance(4.0)
        call = await begun(memory, clock)
        await clock.advance(5.0)
        if of_the_first != "voice long over":  # this one reports voices, and none when these words began
            call.apply(ev.UserStarted(t=call.elapsed))
        call.apply(ev.UserFinal(t=call.elapsed, started=0.0, text="a table for five please"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        (turn,) = call.course.ledger.turns
        assert turn.trust == ("high" if of_the_first == "voice long over" else "low")
        await rest(memory, clock)
        (kept,) = (await memory.export(verified()))["calls"]
        assert [item.get("trust", "high") for item in kept["history"] if item["role"] == "user"] == [
            turn.trust
        ]
        assert kept["state"]["slots"] == call.state["slots"]
