"""A call as its journal tells it is the call as it went: what is durable is what was history."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pipecat_memory import CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.testing import ManualClock

from ..kit import ended, opened, rest, verified
from ..ledger.test_properties import Call, calls

History = list[tuple[str, str]]
Tools = list[tuple[str, str | None]]


@contextlib.asynccontextmanager
async def told(events: Sequence[ev.Event]) -> AsyncGenerator[tuple[Memory, ManualClock, CallMemory]]:
    """A call of a known caller that these events were told of."""
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        for event in events:
            call.apply(event)
        yield memory, clock, call


async def exported(memory: Memory, clock: ManualClock, call: CallMemory) -> dict[str, Any]:
    """The call as its caller's export tells it, once it has ended and all of it is written."""
    await ended(call, clock)
    await rest(memory, clock)
    (kept,) = (await memory.export(verified()))["calls"]
    return dict(kept)


async def told_twice(events: Sequence[ev.Event]) -> tuple[tuple[History, Tools], tuple[History, Tools]]:
    """History and tools of a call: as they stand at its end, and as its journal tells them."""
    async with told(events) as (memory, clock, call):
        if call.course.ended is None:
            await ended(call, clock)
        else:
            call.memory.tasks.spawn(call.close("hangup"), "close")
        await rest(memory, clock)
        live = (
            [(item.role, item.text) for item in call.course.history()],
            [(tool.id, tool.status) for tool in call.course.ledger.tools],
        )
        (kept,) = (await memory.export(verified()))["calls"]
    return live, (
        [(item["role"], item["text"]) for item in kept["history"]],
        [(tool["id"], tool["status"]) for tool in kept["tools"]],
    )


@pytest.mark.long
@pytest.mark.timeout(600)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls())
def test_the_journal_tells_the_call_as_it_went(call: Call) -> None:
    live, kept = asyncio.run(told_twice(call.events))
    assert kept == live


def reply(t: float, id: str = "r") -> list[ev.Event]:
    return [
        ev.ReplyStarted(t=t, reply=id),
        ev.ReplyText(t=t, reply=id, text="At six."),
        ev.ReplyHeard(t=t + 1, reply=id, text="At six."),
        ev.ReplyEnded(t=t + 1, reply=id, interrupted=False),
    ]


PAUSE, RESUME = ev.MemoryPaused(t=5.0), ev.MemoryResumed(t=9.0)


@pytest.mark.parametrize(
    ("events", "history"),
    [
        ([ev.UserFinal(t=4, text="at what time", started=3.0), PAUSE, ev.TurnEnded(t=6), RESUME],
         [("user", "at what time")]),
        ([PAUSE, ev.UserFinal(t=6, text="said before", started=4.0), ev.TurnEnded(t=6.5), RESUME],
         [("user", "said before")]),
        ([PAUSE, ev.UserFinal(t=6, text="said within", started=5.5), ev.TurnEnded(t=6.5), RESUME], []),
        ([PAUSE, ev.UserFinal(t=6, text="said whenever"), ev.TurnEnded(t=6.5)], []),
        ([*reply(4)[:2], PAUSE, *reply(5)[2:], RESUME], [("assistant", "At six.")]),
        ([PAUSE, *reply(6)], []),
        ([PAUSE, *reply(7)[:2], RESUME, *reply(9)[2:]], []),
    ],
)  # fmt: skip
async def test_what_began_before_a_pause_is_kept_and_what_began_in_it_is_not(
    events: Sequence[ev.Event], history: History
) -> None:
    live, kept = await told_twice(events)
    assert (live[0], kept[0]) == (history, history)


def guessed(*middle: ev.Event) -> list[ev.Event]:
    return [
        ev.UserFinal(t=2.0, text="a table please", started=1.0),
        ev.TurnSpeculated(t=2.2, text="a table please QUILL"),
        *reply(2.3)[:2],
        *middle,
        ev.UserFinal(t=4.0, text="for four", started=3.0),
        ev.TurnEnded(t=4.2),
        *reply(4.3, "r2"),
    ]


@pytest.mark.parametrize(
    "middle",
    [
        [],
        [ev.SpeculationWithdrawn(t=2.8, text="a table please QUILL")],
        [ev.TurnSpeculated(t=2.8, text="a table please QUILL for")],
        [ev.TurnSpeculated(t=2.8, text="a table please QUILL")],
        [ev.MemoryPaused(t=2.4), ev.SpeculationWithdrawn(t=2.5), ev.MemoryResumed(t=2.6)],
    ],
    ids=["stands", "withdrawn", "another", "again", "withdrawn in a pause"],
)
async def test_a_reply_on_a_guess_ends_no_turn_in_the_journal_either(middle: Sequence[ev.Event]) -> None:
    live, kept = await told_twice(guessed(*middle))
    assert kept == live
    assert live[0][0] == ("user", "a table please for four")


async def test_a_guess_is_journalled_without_its_words() -> None:
    async with told(guessed()) as (_, clock, call):
        await ended(call, clock)
        assert call.journal.file is not None
        blobs = [entry.blob for entry in await call.journal.file.journal()]
    assert any(b"turn_speculated" in blob for blob in blobs)
    assert not any(b"QUILL" in blob for blob in blobs)


async def test_a_tool_that_was_called_before_a_pause_has_its_end() -> None:
    called = ev.ToolCalled(t=4.0, id="a", name="book", args={})
    later = ev.ToolCalled(t=6.0, id="b", name="pay", args={"card": "secret"})
    back = [ev.ToolReturned(t=7.0, id=id, status="ok", result="done") for id in "ab"]
    live, kept = await told_twice([called, PAUSE, later, *back, RESUME])
    assert live[1] == kept[1] == [("a", "ok")]


async def test_what_came_from_a_forgotten_turn_does_not_come_back() -> None:
    events = [
        ev.UserFinal(t=1.0, text="hello there", started=0.5),
        ev.TurnEnded(t=1.5),
        ev.UserFinal(t=4.0, text="my doctor is Quillfeather", started=3.0),
        ev.TurnEnded(t=4.5),
        ev.ToolCalled(t=4.6, id="a", name="look_up", args={"doctor": "Quillfeather"}),
        ev.ToolReturned(t=4.7, id="a", status="ok", result="Quillfeather"),
        ev.ReplyStarted(t=5.0, reply="r"),
        ev.ReplyText(t=5.0, reply="r", text="Doctor Quillfeather, 4 2 of them."),
        ev.ReplyHeard(t=5.5, reply="r", text="Doctor Quillfeather, 4"),
        ev.MemoryForgetLast(t=6.0),
        ev.ReplyHeard(t=6.5, reply="r", text="2 of them."),
        ev.ReplyEnded(t=6.5, reply="r", interrupted=False),
    ]
    async with told(events) as (memory, clock, call):
        await ended(call, clock)
        await rest(memory, clock)
        assert call.journal.file is not None
        assert [e.blob for e in await call.journal.file.journal() if b"Quillfeather" in e.blob] == []
        kept = (await memory.export(verified()))["calls"][0]
    assert [item["text"] for item in kept["history"]] == ["hello there"]
    assert kept["tools"] == []


@pytest.mark.parametrize(
    ("paused", "outcome"), [(reply(6), "completed"), (reply(6)[:2], "abandoned")], ids=["heard", "begun"]
)
async def test_of_a_reply_in_a_pause_the_journal_tells_when_it_was_heard_and_no_word(
    paused: Sequence[ev.Event], outcome: str
) -> None:
    """Whether a call was abandoned, and when a tool call was given up, goes by that."""
    events = [
        ev.ToolCalled(t=1.0, id="a", name="book", args={}),
        ev.UserStarted(t=1.5),
        ev.Interrupted(t=2.0),
        PAUSE,
        *paused,
    ]
    async with told(events) as (memory, clock, call):
        kept = await exported(memory, clock, call)
        assert call.journal.file is not None
        blobs = str([entry.blob for entry in await call.journal.file.journal("c1")])
        assert kept["outcome"] == call.course.outcome == outcome
        assert [tool["status"] for tool in kept["tools"]] == [t.status for t in call.course.ledger.tools]
        assert all(word not in blobs for event in paused for word in getattr(event, "text", "").split())


@pytest.mark.parametrize("interim", [[], ["I want"], ["I want", "I want a"]])
async def test_words_without_a_start_are_placed_by_the_interim_words_of_their_voice(
    interim: list[str],
) -> None:
    """Where a voice had some, what comes long after it is something else; they themselves are not kept."""
    events = [
        ev.UserStarted(t=1.0),
        *(ev.UserPartial(t=1.2 + 0.1 * n, text=f"{text} QUILL") for n, text in enumerate(interim)),
        ev.UserStopped(t=2.0),
        ev.UserFinal(t=2.2, text=""),
        *reply(3),
        ev.UserFinal(t=8.0, started=7.5, text="a table please"),
        ev.TurnEnded(t=8.5),
        ev.UserFinal(t=9.0, text="for four"),
    ]
    async with told(events[: 2 + len(interim)]) as (memory, clock, call):
        await rest(memory, clock)
        assert call.journal.file is not None
        assert "QUILL" not in str([entry.blob for entry in await call.journal.file.journal("c1")])
    live, kept = await told_twice(events)
    assert kept == live


async def test_a_forgotten_turn_of_interim_words_is_still_one_of_its_own() -> None:
    """So that what came between keeps its place: here the turn after which an operator mended a slot."""
    events = [
        ev.UserFinal(t=1.0, text="tomorrow at seven"),
        ev.UserStarted(t=2.0),
        ev.UserPartial(t=2.5, text="I want the"),
        ev.UserStopped(t=2.6),
        ev.UserFinal(t=2.7, text=""),
        ev.TurnEnded(t=2.8),
        ev.Corrected(t=4.0, path="/slots/party_size", value=3, by="operator"),
        ev.MemoryForgetLast(t=5.0),
    ]
    async with told(events) as (memory, clock, call):
        kept = await exported(memory, clock, call)
        assert call.state["slots"]["party_size"]["turn"] == 2
        assert kept["state"]["slots"] == call.state["slots"]
