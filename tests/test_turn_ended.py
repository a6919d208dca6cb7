"""The end of a caller's turn waits behind the reply: the model is told the same, and nothing overtakes it."""

from __future__ import annotations

import pytest

from pipecat_memory import CallMemory, MemorySchema
from pipecat_memory.events import (
    Event,
    MemoryPaused,
    ReplyStarted,
    TurnEnded,
    UserFinal,
    UserStarted,
    UserStopped,
    UserTyped,
)

from .kit import ended, opened, say, verified

BOOKING = MemorySchema.from_dict(
    {
        "version": 1,
        "slots": [
            {"name": "name", "type": "name", "required": True},
            {"name": "date", "type": "date", "required": True},
            {"name": "people", "type": "number"},
        ],
    }
)


@pytest.mark.parametrize(
    "words",
    [
        ("I'd like a table for four on Friday",),
        ("my name is", "Ana Silva"),
        ("no, not Friday, Saturday",),
        ("hm",),
        ("什么时候",),
    ],
)
async def test_the_model_is_told_the_same_before_and_after(words: tuple[str, ...]) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=BOOKING)
        await call.preload()
        await say(call, clock, "hello, I want to book a table for Friday")
        call.apply(UserStarted(t=call.elapsed))
        for number, part in enumerate(words):
            call.apply(UserFinal(t=call.elapsed, text=part, id=f"f{number}"))
        call.turn_ended(call.elapsed)
        before, step = call.briefing(), call.next_step()
        assert len(call.course.ledger.turns) == 1
        call.catch_up()
        assert len(call.course.ledger.turns) == 2
        assert (call.briefing(), call.next_step()) == (before, step)


@pytest.mark.parametrize(
    "then",
    [
        ReplyStarted(t=2.0, reply="r1"),
        UserStarted(t=2.0),
        UserFinal(t=2.0, text="and a child seat", id="f2"),
        UserTyped(t=2.0, text="and a child seat", id="f2"),
        MemoryPaused(t=2.0),
        TurnEnded(t=2.0),
    ],
    ids=lambda event: type(event).__name__,
)
async def test_what_comes_next_finds_the_turn_ended_in_its_own_moment(then: Event) -> None:
    async with opened() as (memory, _):
        told, held = memory.call(None, call_id="c1"), memory.call(None, call_id="c2")
        for call in (told, held):
            call.apply(UserStarted(t=0.5))
            call.apply(UserFinal(t=1.0, text="a table for four", id="f1"))
            call.apply(UserStopped(t=1.0))
        told.apply(TurnEnded(t=1.5))
        held.turn_ended(1.5)
        for call in (told, held):
            call.apply(then)
        assert _texts(held) == _texts(told)
        assert held.course.ledger.caller.ends == told.course.ledger.caller.ends


async def test_of_two_ends_that_wait_neither_is_lost() -> None:
    async with opened() as (memory, _):
        call = memory.call(None, call_id="c1")
        call.apply(UserFinal(t=1.0, text="a table for four", id="f1"))
        call.turn_ended(1.5)
        call.turn_ended(2.5)
        call.catch_up()
        call.catch_up()
        assert [t for t, _ in call.course.ledger.caller.ends] == [1.5, 2.5]


async def test_what_the_caller_takes_back_is_the_turn_that_just_ended() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my son is ill")
        await clock.advance(1.0)
        call.apply(UserFinal(t=call.elapsed, text="I owe my brother money", id="f2"))
        call.turn_ended(call.elapsed)
        assert call.forget_last() == 1
        assert _texts(call) == ["my son is ill"]


async def test_what_the_caller_asks_to_be_kept_may_stand_in_the_turn_that_just_ended() -> None:
    async with opened() as (memory, _):
        call = memory.call(verified(), call_id="c1")
        call.apply(UserFinal(t=1.0, text="I prefer the table by the window", id="f1"))
        call.turn_ended(1.5)
        assert call.remember("preferred_table", "by the window", "the table by the window")


async def test_a_hang_up_right_then_keeps_the_turn_whole() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        call.apply(UserFinal(t=0.0, text="a table for four", id="f1"))
        call.turn_ended(0.0)
        await ended(call, clock)
        (turn,) = call.course.ledger.turns
        assert not turn.incomplete


def _texts(call: CallMemory) -> list[str]:
    return [turn.text for turn in call.course.ledger.turns]
