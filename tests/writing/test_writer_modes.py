"""How often the deep path asks: modes, budgets, deadlines, what says nothing."""

import asyncio
import json
import logging
from typing import Any

import pytest

from pipecat_memory.clients.limiter import limiter_of
from pipecat_memory.config import Settings
from pipecat_memory.events import CallStarted
from pipecat_memory.records.schema import DEFAULT_SCHEMA
from pipecat_memory.records.turn import HistoryItem
from pipecat_memory.writing.extract import ROOM
from pipecat_memory.writing.pace import BEHIND, Mode
from pipecat_memory.writing.writer import Writer

from .desk import city, desk, lives
from .scene import AT, fact, turn_of

NOTHING = '{"facts":[]}'


async def test_when_behind_several_turns_go_in_one_request() -> None:
    d = desk()
    for number in range(1, BEHIND + 2):
        d.script(number, NOTHING, delay=1.0)
    for number in range(1, BEHIND + 2):
        d.hear(turn_of(f"I need part number {number}", number))
        await d.clock.settle()
    await d.clock.advance(3)
    assert d.asked == [(1,), tuple(range(2, BEHIND + 2))]
    assert [number for number, _ in d.delivered] == list(range(1, BEHIND + 2))
    assert d.model.requests[1].max_tokens > ROOM


async def test_a_window_waits_until_it_is_full_or_the_call_ends() -> None:
    d = desk("window", extraction_window=3)
    for number in range(1, 6):
        d.script(number, NOTHING)
    d.hear(*(turn_of(f"I need part number {n}", n) for n in range(1, 6)))
    await d.clock.settle()
    assert d.asked == [(1, 2, 3)]
    assert await d.writer.drain(1.0) == 0
    assert d.asked == [(1, 2, 3), (4, 5)]


async def test_per_call_asks_once_at_the_end() -> None:
    d = desk("per_call")
    for number in range(1, 6):
        d.script(number, NOTHING)
    d.hear(*(turn_of(f"I need part number {n}", n) for n in range(1, 6)))
    await d.clock.advance(60)
    assert d.asked == []
    assert await d.writer.drain(1.0) == 0
    assert d.asked == [(1, 2, 3, 4, 5)]


@pytest.mark.parametrize("mode", ["off", "per_turn"])
async def test_without_a_model_nothing_runs(mode: Mode) -> None:
    d = desk(mode)
    d.script(1, city("Rome"))
    if mode == "per_turn":
        d.writer = Writer(
            "c", None, d.clock, Settings(), mode, d.results.append,
            started=CallStarted(call="c", at=AT, caller=None), schema=DEFAULT_SCHEMA,
        )  # fmt: skip
    d.hear(lives("Rome", 1))
    await d.clock.advance(5)
    assert (d.asked, d.delivered) == ([], [])
    assert await d.writer.drain(1.0) == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"text": '{"facts":[{"text":"has two ki', "finish": "length"},
        {"text": '{"facts":[{"text":"has two ki'},
        {"text": "I'm sorry, I can't help with that."},
        {"text": "", "finish": "error"},
        {"text": "", "finish": "timeout"},
    ],
    ids=["length", "cut", "refusal", "error", "timeout"],
)
async def test_a_failure_is_tried_once_more_then_parked(
    bad: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    d = desk(model_timeout=4.0)
    d.script(1, **bad)
    d.script(1, city("Rome"))
    d.script(2, **bad)
    d.script(2, **bad)
    d.hear(lives("Rome", 1), lives("Oslo", 2))
    await d.clock.advance(30)
    assert d.delivered == [(1, ["Rome"])]
    assert [(r.turns, r.attempt) for r in d.model.requests] == [((1,), 1), ((1,), 2), ((2,), 1), ((2,), 2)]
    assert d.model.requests[1].max_tokens > d.model.requests[0].max_tokens
    assert d.writer.counters["turns_parked"] == 1
    assert d.writer.counters["turns_extracted"] == 1
    assert await d.writer.drain(1.0) == 1
    assert "Oslo" not in caplog.text
    assert "ki" not in caplog.text.split()


async def test_a_parked_turn_can_be_asked_for_again() -> None:
    d = desk()
    d.script(1, "no")
    d.script(1, "no")
    d.script(1, city("Rome"))
    d.hear(lives("Rome", 1))
    await d.clock.advance(5)
    assert d.delivered == []
    d.hear(lives("Rome", 1))
    await d.clock.advance(5)
    assert d.delivered == [(1, ["Rome"])]
    assert await d.writer.drain(1.0) == 0


async def test_a_call_has_a_budget_of_tokens() -> None:
    d = desk(call_token_budget=10)
    d.script(1, city("Rome"))
    d.script(2, city("Oslo"))
    d.hear(lives("Rome", 1), lives("Oslo", 2))
    await d.clock.advance(5)
    assert d.asked == [(1,)]
    assert d.writer.counters["turns_parked"] == 1
    assert await d.writer.drain(1.0) == 1


async def test_the_end_of_a_call_waits_no_longer_than_it_may() -> None:
    d = desk()
    d.script(1, city("Rome"), delay=4.0)
    d.script(1, city("Rome"), delay=0.5)
    d.script(2, city("Oslo"))
    d.hear(lives("Rome", 1), lives("Oslo", 2))
    began = d.clock.monotonic()
    leaving = asyncio.create_task(d.writer.drain(2.5))
    await d.clock.advance(2.5)
    assert await leaving == 2
    assert d.clock.monotonic() - began == 2.5
    assert d.delivered == []
    again = asyncio.create_task(d.writer.drain(2.5))
    await d.clock.advance(2.5)
    assert await again == 0
    assert d.delivered == [(1, ["Rome"]), (2, ["Oslo"])]


async def test_turns_that_say_nothing_cost_nothing() -> None:
    d = desk()
    for number in range(1, 7):
        d.script(number, city("Rome"))
    d.hear(
        *(turn_of(text, n) for n, text in enumerate(("hi", "um, okay", "Danke!", "谢谢", "...", "yes"), 1))
    )
    await d.clock.advance(5)
    assert (d.asked, d.writer.counters["turns_skipped"]) == ([], 6)
    assert d.model.unused == 6


async def test_a_yes_to_a_question_says_something() -> None:
    d = desk()
    d.script(2, json.dumps({"facts": [fact("home_city", "Rome", "yes")]}))
    before = [HistoryItem("assistant", "Do you still live in Rome?", 5.0, 1)]
    d.hear(turn_of("yes", 2), before=before)
    await d.clock.advance(5)
    assert d.delivered == [(2, ["Rome"])]


async def test_promoted_words_are_never_sent() -> None:
    d = desk()
    d.script(1, city("Rome"))
    d.hear(turn_of("I live in Rome", 1, trust="low", promoted=True))
    await d.clock.advance(5)
    assert d.asked == []


async def test_while_others_wait_for_the_endpoint_a_call_asks_less_often() -> None:
    d = desk(extraction_window=2)
    for number in range(1, 4):
        d.script(number, NOTHING)
    limiter = limiter_of(d.model)
    gate = asyncio.Event()

    async def others(call: str) -> None:
        async with limiter.slot(call):
            await gate.wait()

    crowd = [asyncio.create_task(others(f"x{i}")) for i in range(limiter.size * 2)]
    await d.clock.settle()
    d.hear(turn_of("I need part number 1", 1))
    await d.clock.settle()
    assert limiter.waiting == limiter.size, "one turn alone does not queue up"
    d.hear(turn_of("I need part number 2", 2))
    await d.clock.settle()
    assert limiter.waiting == limiter.size + 1
    gate.set()
    await asyncio.gather(*crowd)
    await d.clock.settle()
    assert d.asked == [(1, 2)]


@pytest.mark.parametrize("said", ["sí", "adiós", "buenos días", "tschüss", "très bien merci", "obrigado"])
async def test_courtesies_with_accents_are_asked_of_no_model(said: str) -> None:
    d = desk()
    d.hear(turn_of(said, 1))
    await d.clock.advance(1)
    assert (d.asked, d.writer.counters["turns_skipped"]) == ([], 1)
