"""What waits for the caller's word, or for its day, as the model is told of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.reading.lines import stable_lines
from pipecat_memory.reading.preload import Known, visible
from pipecat_memory.records.caller import Caller
from pipecat_memory.records.fact import Claim
from pipecat_memory.records.profile import Profile
from pipecat_memory.writing.reconcile import reconcile

from ..kit import ended, opened, say, verified

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def lives(city: str, day: int, *, explicit: bool = True, pending: bool = False, begins: str = "") -> Claim:
    return Claim(
        call=f"c{day}",
        turn=1,
        seq=0,
        at=f"2026-01-{day:02}T10:00:00+00:00",
        key="home_city",
        value=city,
        text=f"She lives in {city}.",
        quote=f"I live in {city}",
        explicit=explicit,
        pending=pending,
        valid_from=begins or None,
        strength=2,
    )


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (
            lives("Oslo", 9, explicit=False),
            "Ask which holds; until then it is the first: She lives in Rome. / She lives in Oslo.",
        ),
        (lives("Oslo", 9, pending=True), "Unsure, to be asked when it matters: She lives in Oslo."),
        (lives("Oslo", 9, begins="2026-06-01T00:00:00+00:00"), "From 2026-06-01 on: She lives in Oslo."),
        (lives("Oslo", 9), None),
    ],
    ids=["a rival of what stands", "unsurely heard", "of a day to come", "a plain change"],
)
def test_what_waits_is_told_as_what_it_is(second: Claim, told: str | None) -> None:
    profile = Profile(facts=reconcile([lives("Rome", 1), second], now=NOW))
    seen = visible(
        Known(profile=profile), Caller.phone("+15551230001", how="verified"), now=NOW, resume_within=0
    )
    lines = [line.text for line in stable_lines(seen, now=NOW, dump_below=25)]
    assert [line for line in lines if "said 2026" not in line] == ([told] if told else [])


async def test_a_hedged_rival_of_a_confirmed_fact_is_asked_about_in_the_next_call() -> None:
    async def answer(request: ModelRequest) -> str:
        if request.purpose != "extract":
            return '{"text":"They talked.","resolved":true,"key_facts":[],"open_items":[]}'
        city, sure = ("Rome", True) if "Rome" in request.text else ("Oslo", False)
        quote = "I live in Rome" if sure else "I probably live in Oslo now"
        fact = {
            "key": "home_city",
            "value": city,
            "text": f"Lives in {city}.",
            "quote": quote,
            "explicit": sure,
        }
        return json.dumps({"facts": [fact]})

    async with opened(model=answer) as (memory, clock):
        for name, words in (("c1", "I live in Rome"), ("c2", "I probably live in Oslo now")):
            call = memory.call(verified(), call_id=name)
            await call.preload()
            await say(call, clock, words)
            await ended(call, clock)
        third = memory.call(verified(), call_id="c3")
        await third.preload()
        assert (
            "Ask which holds; until then it is the first: Lives in Rome. / Lives in Oslo."
            in third.briefing().stable
        )
        await say(third, clock, "hello")
        await ended(third, clock)
