"""The line changes hands: what began before is of who was there, whatever it is and however late it comes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import pytest

from pipecat_memory import Caller, CallMemory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.events.codec import TYPES
from pipecat_memory.reading.why import trace
from pipecat_memory.testing import ManualClock
from pipecat_memory.writing.rolling import RollingWindow

from .kit import ended, opened, reply, rest, say

ANA, BEA = Caller.account("cust-1"), Caller.account("cust-2")
SIGN = "marigold"
"""Stands in everything that is of the first."""


@dataclass(frozen=True)
class Late:
    """What began with the first, and what comes of it with the second.

    Args:
        before: told while the first is on the line.
        late: told when the second is, with the second of the hand-over.
        hers: whether the sign is to be found in what is kept of the first.
    """

    before: tuple[ev.Event, ...]
    late: tuple[ev.Event, ...]
    hers: bool = True


STARTED, CALLED = ev.ReplyStarted(t=3.0, reply="r9"), ev.ToolCalled(t=3.0, id="x9", name="look_up", args={})
TEXT = ev.ReplyText(t=3.1, reply="r9", text=f"Your {SIGN} table is booked.")
VOICE = (ev.UserStarted(t=3.0), ev.UserPartial(t=3.2, text="I like"))
TABLE: dict[str, Late] = {
    "user_final": Late((), (ev.UserFinal(t=6.0, started=3.0, text=f"I like {SIGN}"),)),
    "user_final of a voice": Late(
        VOICE, (ev.UserStopped(t=5.5), ev.UserFinal(t=6.0, text=f"I like {SIGN}"), ev.TurnEnded(t=6.1))
    ),
    "user_partial": Late(VOICE, (ev.UserPartial(t=6.0, text=f"I like {SIGN}"),), hers=False),
    "user_typed": Late((), (ev.UserTyped(t=3.0, text=f"I like {SIGN}"),)),
    "turn_speculated": Late(VOICE, (ev.TurnSpeculated(t=6.0, text=f"I like {SIGN}"),), hers=False),
    "speculation_withdrawn": Late(
        (ev.TurnSpeculated(t=3.0, text=SIGN),), (ev.SpeculationWithdrawn(t=6.0, text=SIGN),), hers=False
    ),
    "reply_started": Late((), (STARTED, TEXT, ev.ReplyEnded(t=6.0, reply="r9", interrupted=False))),
    "reply_text": Late(
        (STARTED,),
        (ev.ReplyText(t=6.0, reply="r9", text=SIGN), ev.ReplyEnded(t=6.5, reply="r9", interrupted=False)),
    ),
    "reply_text before its start": Late(
        (),
        (
            ev.ReplyText(t=6.0, reply="r9", text=SIGN),
            STARTED,
            ev.ReplyEnded(t=6.5, reply="r9", interrupted=False),
        ),
    ),
    "reply_text of nothing": Late((), (ev.ReplyText(t=6.0, reply="r9", text=SIGN),), hers=False),
    "reply_heard": Late((STARTED, TEXT), (ev.ReplyHeard(t=6.0, reply="r9", text=TEXT.text),)),
    "reply_ended": Late((STARTED, TEXT), (ev.ReplyEnded(t=6.0, reply="r9", interrupted=False),)),
    "interrupted": Late((STARTED, TEXT), (ev.ReplyHeard(t=5.9, reply="r9", text="Your marigold"),)),
    "tool_called": Late(
        (),
        (
            ev.ToolCalled(t=3.0, id="x9", name="look_up", args={"name": SIGN}),
            ev.ToolReturned(t=6.0, id="x9", status="ok"),
        ),
    ),
    "tool_returned": Late((CALLED,), (ev.ToolReturned(t=6.0, id="x9", status="ok", result={"is": SIGN}),)),
    "an error of a tool": Late((CALLED,), (ev.ToolReturned(t=6.0, id="x9", status="error", result=SIGN),)),
    "a result of nothing": Late((), (ev.ToolReturned(t=6.0, id="x8", status="ok", result=SIGN),), hers=False),
    "documents": Late(
        (ev.Documents(t=3.0, docs=({"id": "d", "text": f"Name: {SIGN}", "fields": {"name": SIGN}},)),),
        (ev.Documents(t=3.5, docs=({"id": "d", "text": f"Name: {SIGN}", "fields": {"name": SIGN}},)),),
        hers=False,
    ),
    "corrected": Late((), (ev.Corrected(t=3.0, path="/topic", value=SIGN, by="operator"),)),
    "machine_detected": Late((ev.UserTyped(t=3.0, text=SIGN),), (ev.MachineDetected(t=3.5),)),
}
ELSEWHERE = {
    "dtmf": "a test of its own: keys hold no word",
    "user_started": "with user_final of a voice",
    "user_stopped": "with user_final of a voice",
    "turn_ended": "with user_final of a voice",
    "party": "a test of its own: holds for whoever is on the line",
    "memory_paused": "a test of its own",
    "memory_resumed": "a test of its own",
    "memory_forget_last": "a test of its own",
    "rolled_back": "a test of its own",
    "model_answer": "only a recording has it, and the call is never told of it",
    "call_started": "opens the call",
    "call_ended": "tests/test_two_persons.py",
    "caller_identified": "is the hand-over",
}


def test_no_kind_of_event_is_left_out() -> None:
    assert {name.split()[0] for name in TABLE if name.split()[0] in TYPES} | set(ELSEWHERE) == set(TYPES)


async def handed(call: CallMemory, clock: ManualClock, *before: ev.Event) -> None:
    """The first is on the line for five seconds."""
    await call.preload()
    await say(call, clock, "hello there")
    await reply(call, clock, "r1", "Hello, what can I do?")
    await clock.advance(2.0)
    for event in before:
        call.apply(event)
    await clock.advance(1.0)
    await call.identify(BEA)
    await rest(call.memory, clock)
    await clock.advance(1.0)


async def kept(call: CallMemory, who: Caller) -> str:
    """All that is kept of somebody, as anybody could ask for it."""
    memory = call.memory
    found = await trace(memory, who, SIGN)
    return f"{await memory.export(who)} {await memory.profile(who)} {found['steps']}"


@pytest.mark.parametrize("case", TABLE.values(), ids=TABLE.keys())
async def test_it_is_found_with_the_first_and_nowhere_else(case: Late) -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, *case.before)
        await reply(call, clock, "r2", "Who is there?")
        seen = [call.briefing().text]
        for event in case.late:
            seen += [str(effect) for effect in call.apply(event)]
            seen += [call.briefing().text, str(call.state), call.handoff(), str(call.key_terms())]
        await say(call, clock, "I want a quiet room")
        await reply(call, clock, "r3", "A quiet room it is.")
        seen += [
            call.briefing().text,
            str(call.state),
            str([item.report() for item in call.course.history()]),
        ]
        summary = await ended_with(call, clock)
        seen += [summary, *call.stay.briefings, str([c.report() for c in call.course.notes.changes])]
        assert SIGN not in "\n".join(seen)
        assert SIGN not in await kept(call, BEA)
        assert "quiet room" not in await kept(call, ANA)
        assert (SIGN in await kept(call, ANA)) is case.hers
        file = await memory.archive.file_of(call.journal.file.owner if call.journal.file else "")
        assert file is not None
        assert all(SIGN not in str(entry.blob) for entry in await file.journal())


async def ended_with(call: CallMemory, clock: ManualClock) -> str:
    await ended(call, clock)
    return str(call.summary.report() if call.summary else "")


async def test_an_entry_of_keys_goes_on_with_the_first() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, ev.Dtmf(t=3.9, digits="41", done=False))
        call.apply(ev.Dtmf(t=call.elapsed, digits="42", done=True))
        await say(call, clock, "I want a quiet room")
        call.apply(ev.Dtmf(t=call.elapsed, digits="77", done=True))
        await ended(call, clock)
        assert "42" in await kept(call, ANA)
        assert "77" not in await kept(call, ANA)
        assert [item.text for item in call.course.history()] == ["I want a quiet room", "77"]


@pytest.mark.parametrize("order", ["paused before", "told late"])
async def test_off_the_record_stays_off_for_whoever_comes(order: str) -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, *([ev.MemoryPaused(t=3.0)] if order == "paused before" else []))
        if order == "told late":
            call.apply(ev.MemoryPaused(t=3.0))
        await say(call, clock, f"I like {SIGN}")
        call.resume()
        await say(call, clock, "I want a quiet room")
        await ended(call, clock)
        assert SIGN not in await kept(call, BEA) + await kept(call, ANA)
        assert "quiet room" in await kept(call, BEA)


@pytest.mark.parametrize("late", [False, True])
async def test_who_else_is_there_is_somebody_else_for_whoever_comes(late: bool) -> None:
    guest = ev.Party(t=3.0, event="joined", role="other", speaker="S2")
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, *(() if late else (guest,)))
        if late:
            call.apply(guest)
        await say(call, clock, "I'm allergic to walnuts", speaker="S2")
        await say(call, clock, "I prefer a quiet room", speaker="S3")
        await ended(call, clock)
        assert [fact["value"] for fact in await memory.profile(BEA)] == ["quiet room"]


async def test_what_is_taken_back_or_put_back_late_is_taken_back_of_the_first() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, ev.UserTyped(t=3.0, text=f"I like {SIGN}"), ev.TurnEnded(t=3.1))
        await say(call, clock, "my name is Bea Lind")
        call.apply(ev.MemoryForgetLast(t=3.5))
        call.apply(ev.RolledBack(t=3.6, turn=0))
        await ended(call, clock)
        assert SIGN not in await kept(call, ANA)
        assert [fact["value"] for fact in await memory.profile(BEA)] == ["Bea Lind"]


async def test_what_comes_late_becomes_a_fact_of_the_first() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock)
        call.apply(ev.UserFinal(t=call.elapsed, started=3.0, text="I'm allergic to walnuts"))
        await ended(call, clock)
        await rest(memory, clock)
        assert [fact["value"] for fact in await memory.profile(ANA)] == ["walnuts"]
        assert await memory.profile(BEA) == []


async def test_the_first_words_of_who_had_said_nothing_are_kept_when_they_come_late() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await clock.advance(2.0)
        await call.identify(BEA)
        await rest(memory, clock)
        assert await memory.export(ANA) == {"calls": [], "profiles": {"cust-1": []}}
        call.apply(ev.UserFinal(t=call.elapsed, started=1.0, text="I'm allergic to walnuts"))
        await ended(call, clock)
        await rest(memory, clock)
        assert [fact["value"] for fact in await memory.profile(ANA)] == ["walnuts"]


@pytest.mark.parametrize("late", [False, True])
async def test_a_rolling_summary_is_told_to_who_it_was_made_with(late: bool) -> None:
    async def model(_: ModelRequest) -> str:
        if late:
            await clock.sleep(1.0)
        return json.dumps({"text": f"They like {SIGN}.", "resolved": True})

    settings = Settings(strict=True, window="summary", window_turns=2)
    async with opened(model=model, settings=settings) as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await say(call, clock, "hello there")
        rolling: RollingWindow[dict[str, str]] = RollingWindow(
            call, read=lambda message: message, text=lambda message: message["content"]
        )
        messages = [
            {"role": role, "content": f"{role} {n}"} for n in range(8) for role in ("user", "assistant")
        ]
        rolling.select(messages)
        rolled = asyncio.ensure_future(rolling.roll(messages))
        await clock.advance(0.0 if late else 2.0)
        await call.identify(BEA)
        await clock.advance(2.0)
        await rolled
        more = [*messages, {"role": "user", "content": "a quiet room"}]
        assert rolling.select(more)[-1] == more[-1]
        assert len(rolling.select(more)) < len(more)
        assert rolling.block == ""
        await ended(call, clock)


async def test_keys_long_after_an_entry_that_was_never_done_are_whose_are_pressed() -> None:
    """It waits as long as a keypad does, and the line changing hands gives it no more time."""
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, ev.Dtmf(t=0.3, digits="41", done=False))  # BEA comes some seconds later
        for digits in ("4", "2"):
            call.apply(ev.Dtmf(t=call.elapsed, digits=digits, done=digits == "2"))
        assert call.elapsed > 5.3
        await ended(call, clock)
        assert [item.text for item in call.course.history()] == ["42"]
        (hers,) = (await memory.export(ANA))["calls"]
        said = [item["text"] for item in hers["history"] if item["role"] == "user"]
        assert said[-1].endswith(" 41")


async def test_keys_of_the_first_that_come_late_are_one_entry_in_her_export_when_she_is_back() -> None:
    async with opened() as (memory, clock):
        call = memory.call(ANA, call_id="c1")
        await handed(call, clock, ev.Dtmf(t=3.9, digits="41", done=False))
        for digits in ("2", "3"):
            await clock.advance(0.5)
            call.apply(ev.Dtmf(t=call.elapsed, digits=digits, done=digits == "3"))
        await call.identify(ANA)
        await say(call, clock, "I want a quiet room")
        await ended(call, clock)
        (hers,) = (await memory.export(ANA))["calls"]
        said = [item["text"] for item in hers["history"] if item["role"] == "user"]
        assert said[-2:] == ["23", "I want a quiet room"]
