"""What a caller asks to be kept is kept as far as the caller's own words say it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipecat_memory import Memory
from pipecat_memory import events as ev
from pipecat_memory.testing import ManualClock, ScriptedModel
from pipecat_memory.testing.scripted import ScriptedAnswer

from .kit import START, ended, opened, rest, say, verified

SAID = "please remember that I like the table by the window"


async def kept(memory: Memory) -> list[tuple[str, str, str]]:
    return [(f["key"], f["value"], f["source"]["quote"]) for f in await memory.profile(verified())]


async def test_it_is_a_fact_with_its_quote() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, SAID)
        assert call.remember("Preferred table", "the table by the window", "I like the table by the window")
        await ended(call, clock)
        ((key, value, quote),) = [row for row in await kept(memory) if row[0] == "preferred_table"]
    assert "window" in value
    assert quote in SAID
    assert key == "preferred_table"


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("upstairs", "I like the table by the window"),
        ("upstairs", "put me upstairs next time"),
        ("the table by the window", ""),
    ],
    ids=["value does not follow", "never said", "no quote"],
)
async def test_what_the_caller_did_not_say_is_refused(value: str, quote: str) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        assert not call.remember("preferred_table", value, quote)  # nothing was said at all
        await say(call, clock, SAID)
        assert not call.remember("preferred_table", value, quote)
        await ended(call, clock)
        assert "upstairs" not in str(await kept(memory))


async def test_nothing_is_promised_where_nothing_will_be_kept() -> None:
    async with opened() as (memory, clock):
        for number, options in enumerate(({"caller": None}, {"caller": verified(), "remember": False})):
            caller = options.pop("caller")
            call = memory.call(caller, call_id=f"c{number}", **options)  # pyright: ignore[reportArgumentType]
            await say(call, clock, SAID)
            assert not call.remember("preferred_table", "the window", "the table by the window")
            await ended(call, clock)
        assert await kept(memory) == []


async def test_two_of_one_turn_stand_beside_what_a_model_found() -> None:
    clock = ManualClock(START)
    model = ScriptedModel(clock)
    found = {"key": "home_city", "value": "Leeds", "text": "lives in Leeds", "quote": "I live in Leeds"}
    answer = json.dumps({"facts": [found]})
    model.add(ScriptedAnswer(call="c1", purpose="extract", text=answer, turn=1, delay=2.0))
    async with opened(clock=clock, model=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I live in Leeds, I like jazz and I drive a van")
        assert call.remember("music", "jazz", "I like jazz")
        assert call.remember("vehicle", "van", "I drive a van")
        await ended(call, clock)
        keys = [key for key, *_ in await kept(memory)]
    assert {"home_city", "music", "vehicle"} <= set(keys)
    assert len(keys) == len(set(keys))


async def test_it_outlives_the_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/calls.db"
    async with opened(url) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, SAID)
        await say(call, clock, "and I drive a van")
        call.remember("preferred_table", "the table by the window", "I like the table by the window")
        call.remember("vehicle", "van", "I drive a van")
        await rest(memory, clock)
        await ended(call, clock, "crash")
    async with opened(url) as (memory, clock):
        again = memory.call(verified(), call_id="c2")
        await again.preload(5.0)
        assert "window" in again.briefing().stable
        assert "van" in again.briefing().stable
        await ended(again, clock)


async def test_forgetting_the_turn_takes_it_back_from_store_and_profile() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "a table for five please")
        await say(call, clock, "my doctor is called Quillfeather")
        assert call.remember("doctor", "Quillfeather", "my doctor is called Quillfeather")
        call.apply(ev.MemoryForgetLast(t=call.elapsed))
        assert not [r for r in call.journal.records if b"Quillfeather" in r[3]]
        await ended(call, clock)
        assert await kept(memory) == []


async def test_forgetting_takes_back_what_a_model_had_found() -> None:
    clock = ManualClock(START)
    model = ScriptedModel(clock)
    found = {"key": "doctor", "value": "Quillfeather", "quote": "my doctor is called Quillfeather"}
    model.add(ScriptedAnswer(call="c1", purpose="extract", text=json.dumps({"facts": [found]}), turn=1))
    async with opened(clock=clock, model=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my doctor is called Quillfeather")
        assert [r for r in call.journal.records if r[1] == "claims" and b"Quillfeather" in r[3]]
        call.apply(ev.MemoryForgetLast(t=call.elapsed))
        assert not [r for r in call.journal.records if b"Quillfeather" in r[3]]
        await ended(call, clock)
        assert await kept(memory) == []
