"""A late final opens an earlier turn: what was found in the turns behind it goes by their new numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest

from ..kit import ended, opened, rest, verified
from .scene import fact

HOME = fact("home_city", "Oslo", "I live in Oslo", explicit=True)
DAY = {"name": "day", "value": "Friday", "quote": "come on Friday", "explicit": True}
SCHEMA = {"version": 1, "slots": [{"name": "day", "type": "text"}]}


async def where_they_live(request: ModelRequest) -> str:
    if request.purpose == "summarise":
        return json.dumps({"text": "They talked.", "resolved": True})
    here = "I live in Oslo" in request.text.rsplit("> [", 1)[-1]
    return json.dumps({"facts": [HOME] if here else [], "slots": [DAY] if here else []})


@pytest.mark.parametrize("reason", ["hangup", "crash"])
async def test_a_claim_goes_by_the_number_that_its_turn_has_now(tmp_path: Path, reason: str) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    async with opened(url, model=where_they_live) as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        call.apply(ev.UserFinal(t=1.0, text="hello", id="u1", started=0.0))
        call.apply(ev.TurnEnded(t=1.2))
        call.apply(ev.TurnEnded(t=4.0))
        call.apply(ev.UserFinal(t=6.0, text="I live in Oslo, come on Friday", id="u3", started=5.0))
        call.apply(ev.TurnEnded(t=6.2))
        await rest(memory, clock)
        assert call.findings.claims[0].turn == 2
        assert call.state["slots"]["day"]["turn"] == 2
        call.apply(ev.UserFinal(t=8.0, text="is anybody there", id="u2", started=3.0))
        assert {claim.turn for claim in call.findings.claims} == {3}
        assert call.state["slots"]["day"]["turn"] == 3
        await ended(call, clock, reason)
        await memory.reprocess(verified())
        (row,) = [f for f in await memory.profile(verified()) if f["key"] == "home_city"]
        assert (row["value"], row["source"]["turn"]) == ("Oslo", 3)
