"""Whatever a model answers, and whenever: the next call has at least what it would have without a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory, MemorySchema, Settings
from pipecat_memory.records.caller import How
from pipecat_memory.testing import ManualClock, ScriptedAnswer, ScriptedModel

from ..kit import NUMBER, ended, opened, reply, rest, say

SCHEMA = MemorySchema.from_dict(
    {
        "version": 1,
        "slots": [
            {"name": "name", "type": "name"},
            {"name": "party_size", "type": "number", "required": True},
            {"name": "date", "type": "date", "required": True},
            {"name": "time", "type": "time", "required": True},
            {"name": "email", "type": "email"},
        ],
    }
)
NOTED = {"party_size": 9, "date": "2026-03-04"}
SETTINGS = Settings(strict=True, model_timeout=60.0)
TURNS = (1, 2, 3, 4)


def extract(**answer: Any) -> str:
    return json.dumps({"facts": []} | answer)


def summary(**answer: Any) -> str:
    return json.dumps(
        {"text": "The caller rang.", "resolved": True, "key_facts": [], "open_items": []} | answer
    )


def slot(name: str, value: Any, quote: str) -> dict[str, Any]:
    return {"name": name, "value": value, "quote": quote, "explicit": True}


WEDNESDAY = "Actually no, make that Wednesday, not Thursday."
ANSWERS: dict[str, tuple[str | None, str | None]] = {
    "nothing found": (extract(), summary()),
    "empty": ("", ""),
    "refused": ("I'm sorry, I can't help with that.", "I can't."),
    "cut": ('{"facts":[{"key":"na', '{"text":"The ca'),
    "no answer": (None, None),
    "all is done, it says": (
        extract(task="booking", completed_steps=["book a table", "party size", "date"], pending_steps=[]),
        summary(text="The table was booked.", resolved=True),
    ),
    "steps of its own": (
        extract(task="book a table", pending_steps=["ask for the name", "ask how many", "ask for the day"]),
        summary(open_items=["send a menu"]),
    ),
    "more steps than are told": (extract(pending_steps=[f"step {n}" for n in range(12)]), summary()),
    "the first day again": (extract(slots=[slot("date", "Thursday", "not Thursday")]), summary()),
    "wrong values": (
        extract(
            slots=[
                slot("party_size", 4, "9 people"),
                slot("date", "2026-03-06", WEDNESDAY),
                slot("name", "Thursday", "not Thursday"),
            ]
        ),
        summary(key_facts=["party of 4", "comes on Friday"]),
    ),
    "empty values": (
        extract(slots=[slot("date", "", WEDNESDAY), slot("party_size", None, "9"), slot("name", [], "x")]),
        summary(text=" ", key_facts=[""], open_items=[None]),
    ),
    "takes it back": (
        extract(
            facts=[
                {"key": "name", "value": None, "text": "", "quote": "Actually no", "op": "retract"},
                {"key": "name", "value": "Arvid", "text": "", "quote": WEDNESDAY, "op": "retract"},
                {"key": "date", "value": "Wednesday", "text": "", "quote": WEDNESDAY, "op": "retract"},
            ]
        ),
        summary(),
    ),
}  # fmt: skip


async def first_call(memory: Memory, clock: ManualClock, how: How) -> CallMemory:
    call = memory.call(Caller.phone(NUMBER, how=how), call_id="c1", schema=SCHEMA)
    await call.preload()
    await say(call, clock, "Hi, my name is Arvid.")
    await reply(call, clock, "r1", "Thank you, Arvid. How many of you will there be?")
    await say(call, clock, "I'd like to book a table for 9 people on Thursday.")
    await reply(call, clock, "r2", "Very well. What time would suit you?")
    await say(call, clock, WEDNESDAY)
    await reply(call, clock, "r3", "All right. What time would suit you?")
    await say(call, clock, "And could you also tell me whether there is any")
    return call


async def hung_up(call: CallMemory, clock: ManualClock, seconds: float) -> None:
    """The caller hangs up, and so many seconds go by."""
    closing = asyncio.create_task(call.close("hangup"))
    await clock.settle()
    await clock.advance(seconds)
    await closing


async def rung_back(memory: Memory, clock: ManualClock, how: How) -> CallMemory:
    call = memory.call(Caller.phone(NUMBER, how=how), call_id="c2", schema=SCHEMA)
    loading = asyncio.create_task(call.preload())
    await clock.settle()
    assert await loading
    return call


def script(model: ScriptedModel, answers: tuple[str | None, str | None], **more: Any) -> None:
    for purpose, text, turns in (("extract", answers[0], TURNS), ("summarise", answers[1], (None,))):
        finish: Any = "stop" if text is not None else "error"
        for turn in turns * 2:
            model.add(ScriptedAnswer("c1", purpose, text or "", turn, finish=finish, **more))  # pyright: ignore[reportArgumentType] - of the table above


def told(call: CallMemory) -> dict[str, Any]:
    """What the call can go on with: what was left open, and what is known without asking."""
    left: dict[str, Any] = {}
    for item in call.left_open():
        left |= item.slots
    return {"left open": left, "known": dict(call.course.notes.known.values), "name": call.greeting_name()}


def lines(call: CallMemory, *kinds: str) -> str:
    return "\n".join(line for line in call.briefing().text.splitlines() if line.startswith(kinds))


@pytest.mark.parametrize("how", ["number", "verified"])
@pytest.mark.parametrize("waits", [300.0, 3.0], ids=["settled", "at once"])
@pytest.mark.parametrize("delay", [0.0, 40.0], ids=["quick", "slow"])
@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
async def test_the_next_call_goes_on_where_this_one_stopped(
    answers: tuple[str | None, str | None], delay: float, waits: float, how: How
) -> None:
    async with opened(settings=SETTINGS) as (memory, clock):
        memory.model = model = ScriptedModel(clock)
        script(model, answers, delay=delay)
        call = await first_call(memory, clock, how)
        await hung_up(call, clock, waits)
        again = await rung_back(memory, clock, how)
        found = told(again)
        assert found["name"] == "Arvid"
        assert found["left open"].items() >= NOTED.items()
        assert found["known"].items() >= NOTED.items()
        assert "party size 9" in (opened_lines := lines(again, "[open"))
        assert "2026-03-04" in opened_lines
        step = again.next_step()
        assert (step.action, step.slot) == ("confirm", "party_size"), "what is known is not asked again"
        await ended(again, clock)


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
async def test_what_was_noted_stands_in_the_summary_whoever_wrote_it(
    answers: tuple[str | None, str | None],
) -> None:
    async with opened(settings=SETTINGS) as (memory, clock):
        memory.model = model = ScriptedModel(clock)
        script(model, answers)
        call = await first_call(memory, clock, "verified")
        await ended(call, clock)
        await rest(memory, clock)
        made = call.summary
        assert made is not None
        assert {"name: Arvid", "party size: 9", "date: 2026-03-04"} <= set(made.key_facts)
        assert any(item.slots.items() >= NOTED.items() for item in made.open_items)
        assert call.state["slots"]["date"]["value"] == "2026-03-04"
        again = await rung_back(memory, clock, "verified")
        last = lines(again, "[summary")
        for value in ("Arvid", "9", "2026-03-04"):
            assert value in last
        await ended(again, clock)


async def test_a_matter_that_was_taken_up_again_is_left_open_no_longer() -> None:
    async with opened() as (memory, clock):
        await ended(await first_call(memory, clock, "verified"), clock)
        again = await rung_back(memory, clock, "verified")
        for text in ("a table for 9 people on Wednesday the 4th of March", "at 7 pm"):
            await say(again, clock, text)
            await reply(again, clock, f"to {text}", "Thank you, it is booked.")
        await ended(again, clock)
        third = memory.call(Caller.phone(NUMBER, how="verified"), call_id="c3", schema=SCHEMA)
        await third.preload()
        assert third.left_open() == ()
        await ended(third, clock)


async def test_a_matter_of_another_day_stays_open_beside_it() -> None:
    async with opened() as (memory, clock):
        await ended(await first_call(memory, clock, "verified"), clock)
        again = await rung_back(memory, clock, "verified")
        for text in ("a table for 2 people on Friday", "at 7 pm"):
            await say(again, clock, text)
            await reply(again, clock, f"to {text}", "Thank you, it is booked.")
        await ended(again, clock)
        third = memory.call(Caller.phone(NUMBER, how="verified"), call_id="c3", schema=SCHEMA)
        await third.preload()
        assert [dict(item.slots) for item in third.left_open()] == [NOTED]
        await ended(third, clock)


async def test_a_call_going_on_elsewhere_is_not_told_of_as_left_open() -> None:
    async with opened(settings=SETTINGS) as (memory, clock):
        await first_call(memory, clock, "verified")
        assert (await rung_back(memory, clock, "verified")).left_open() == ()


@pytest.mark.parametrize("steps", [[], ["ask for the time"]])
async def test_a_slow_model_leaves_no_matter_of_the_call_before_open_twice(steps: Sequence[str]) -> None:
    async with opened(settings=SETTINGS) as (memory, clock):
        await ended(await first_call(memory, clock, "verified"), clock)
        memory.model = model = ScriptedModel(clock)
        model.add(ScriptedAnswer("c2", "extract", extract(pending_steps=list(steps)), 1, delay=40.0))
        again = await rung_back(memory, clock, "verified")
        await say(again, clock, "a table for 9 people on Wednesday the 4th of March")
        await hung_up(again, clock, 3.0)
        third = memory.call(Caller.phone(NUMBER, how="verified"), call_id="c3", schema=SCHEMA)
        loading = asyncio.create_task(third.preload())
        await clock.settle()
        assert await loading
        assert [item.call for item in third.left_open()] == ["c2"]
        await ended(third, clock)
