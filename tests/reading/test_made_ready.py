"""What was made ready ahead of a turn's end is, to the byte, what is made from nothing at that moment."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pipecat_memory import CallMemory
from pipecat_memory import events as ev
from pipecat_memory.reading.briefing import Briefing

from ..kit import opened, verified

WORDS = (
    "well I want the table for four on Friday at half past seven no make it Saturday the name is Ana Lopez "
    "three people my wife and I never mind that one what did I say about the boiler allergic to walnuts"
).split()


def fresh(call: CallMemory) -> Briefing:
    """The briefing, with nothing of what was composed before."""
    reader = call.reader
    kept, reader._composed = reader._composed, (None, None, Briefing())
    made = reader.brief(call.course, None)
    reader._composed = kept
    return made


def course_of(seed: int) -> Iterator[ev.Event]:
    """A call as it may come: cut replies, tools that run over, voices, pauses, late and doubled finals."""
    rng, t, final = random.Random(seed), 0.0, 0

    def words() -> str:
        at = rng.randrange(len(WORDS) - 8)
        return " ".join(WORDS[at : at + rng.randint(1, 8)])

    def maybe(share: float, *events: ev.Event) -> Iterator[ev.Event]:
        yield from events if rng.random() < share else ()

    for turn in range(14):
        t, reply, tool = t + 2, f"r{turn}", f"t{turn}"
        yield from maybe(0.8, ev.UserStarted(t=t), ev.UserPartial(t=t + 0.1, text=words()))
        for _ in range(rng.choice((0, 1, 1, 2))):
            final += 1
            started = t + 0.1 if rng.random() < 0.7 else None
            voice = rng.choice((None, None, None, "0", "1"))
            yield ev.UserFinal(t=t + 0.3, text=words(), id=f"f{final}", started=started, speaker=voice)
        yield from maybe(0.1, ev.Party(t=t + 0.35, event="joined", role="other", speaker="1"))
        yield from maybe(0.1, ev.Dtmf(t=t + 0.4, digits="12"))
        yield from maybe(0.1, ev.UserFinal(t=t + 0.45, text=""))
        yield from maybe(0.8, ev.UserStopped(t=t + 0.5))
        yield from maybe(0.9, ev.TurnEnded(t=t + 0.6))
        yield from maybe(0.05, ev.MemoryPaused(t=t + 0.61))
        yield from maybe(0.1, ev.MemoryResumed(t=t + 0.62))
        yield from maybe(0.05, ev.MemoryForgetLast(t=t + 0.63))
        yield ev.ReplyStarted(t=t + 0.7, reply=reply)
        yield from maybe(0.3, ev.ToolCalled(t=t + 0.71, id=tool, name="book", args={}))
        yield from maybe(0.3, ev.ToolReturned(t=t + 0.75, id=tool, status="ok", result=words()))
        yield ev.ReplyText(t=t + 0.8, reply=reply, text=f"So that is {words()}?")
        yield from maybe(0.6, ev.ReplyHeard(t=t + 0.9, reply=reply, text="So that is"))
        cut = rng.random() < 0.3
        yield from maybe(float(cut), ev.Interrupted(t=t + 0.95))
        yield from maybe(0.9, ev.ReplyEnded(t=t + 0.97, reply=reply, interrupted=cut, played=0.5))


@pytest.mark.parametrize("seed", range(12))
async def test_a_briefing_is_the_same_whether_it_was_made_ready_or_not(seed: int) -> None:
    async with opened() as (memory, _):
        call = memory.call(verified(), call_id=f"c{seed}")
        await call.preload()
        for event in course_of(seed):
            call.apply(event)
            if (turn := call.course.ledger.open_turn) is not None:
                call.reader.prepare(call.course, turn.text)
            told, made = call.briefing(), fresh(call)
            assert (told.text, told.sources, told.tokens) == (made.text, made.sources, made.tokens), event


async def test_the_end_of_a_turn_makes_nothing_anew() -> None:
    async with opened() as (memory, _):
        call = memory.call(verified(), call_id="c")
        await call.preload()
        call.apply(ev.UserFinal(t=1.0, text="a table for four on Friday", started=0.5))
        call.reader.prepare(call.course, "a table for four on Friday")
        ready = call.briefing()
        call.apply(ev.TurnEnded(t=2.0))
        assert call.briefing() is ready
