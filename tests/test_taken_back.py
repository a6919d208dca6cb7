"""What the caller denies in a later call no longer holds, without a model too."""

from __future__ import annotations

import json

import pytest

from pipecat_memory.replay import replay

from .kit import ended, opened, rest, say, verified


async def _allergies(*calls: str) -> list[tuple[str, str, str | None]]:
    lines: list[str] = []
    for day, words in enumerate(calls, 1):
        start = {
            "type": "call_started",
            "call": f"c{day}",
            "at": f"2026-03-{day:02}T10:00:00Z",
            "how": "verified",
        }
        start |= {"caller": "+351912345678", "timezone": "UTC", "direction": "inbound"}
        said = {"type": "user_final", "t": 1, "text": words}
        over = [{"type": "turn_ended", "t": 2}, {"type": "call_ended", "t": 3, "reason": "hangup"}]
        lines += [json.dumps(event) for event in (start, said, *over)]
    facts = (await replay(lines, embedder=None))["profiles"]["+351912345678"]
    return [
        (f["value"], f["status"], f["valid_to"] and f["valid_to"][:10])
        for f in facts
        if f["key"] == "allergy"
    ]


TOLD = "I'm allergic to peanuts"


@pytest.mark.parametrize(
    "words",
    [
        "I'm not allergic to peanuts anymore",
        "I'm not allergic to peanuts, that was a mistake",
        "actually I'm no longer allergic to peanuts",
    ],
)
async def test_a_denial_closes_what_an_earlier_call_told(words: str) -> None:
    assert await _allergies(TOLD, words) == [("peanuts", "retracted", "2026-03-02")]


@pytest.mark.parametrize(
    "words",
    [
        "I think I'm not allergic to peanuts",
        "am I not allergic to peanuts?",
        "my brother is not allergic to peanuts",
        "I'm not allergic to soy",
        "I'm not allergic to peanuts, sorry, I am allergic to peanuts",
    ],
)
async def test_a_doubt_a_question_and_another_thing_close_nothing(words: str) -> None:
    assert ("peanuts", "current", None) in await _allergies(TOLD, words)


async def test_told_again_it_holds_again() -> None:
    told = await _allergies(TOLD, "I'm not allergic to peanuts anymore", "I am allergic to peanuts again")
    assert told == [("peanuts", "retracted", "2026-03-02"), ("peanuts", "current", None)]


async def test_forgotten_turns_stay_forgotten_when_the_journal_is_read_again() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I prefer a window seat")
        await say(call, clock, "I'm allergic to walnuts")
        await say(call, clock, "please forget what I just said")
        assert call.forget_last() == 1
        await say(call, clock, "thank you, forget that")
        assert [item.text for item in call.course.history()][-1] == "thank you, forget that"
        await ended(call, clock, "crash")
        again = memory.call(verified(), call_id="c2")
        await again.preload()
        await rest(memory, clock)
        exported = await memory.export(verified())
        assert "walnuts" not in str(exported)
        assert "window seat" in str(exported["calls"][0]["history"])
        await ended(again, clock)
