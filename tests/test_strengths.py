"""What reaches the model at each strength of identity: sensitive words are planted everywhere (rule 10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.records.caller import How
from pipecat_memory.testing import ManualClock

from .kit import NUMBER, ended, opened, reply, say, verified

SCHEMA: dict[str, Any] = {
    "version": 1,
    "slots": [
        {"name": "name", "type": "name"},
        {"name": "preferred_name", "type": "name", "on_conflict": "replace"},
        {"name": "email", "type": "email"},
        {"name": "date", "type": "date", "required": True},
        {"name": "party_size", "type": "quantity"},
        {"name": "preferences", "type": "list"},
        {"name": "allergies", "type": "list", "sensitive": True},
        {"name": "diagnosis", "type": "text", "sensitive": True},
    ],
}
SAID = (
    "my name is Maria Magdalena Rossi, call me Lena, I prefer a window seat because of my plantedquote",
    "I'm allergic to plantedallergy and I prefer plantedallergy free cake",
    "my email is planted.mail@example.org, a table for five on Friday",
)
PLANTED = ("planted", "Magdalena", "Rossi")
"""What only a verified caller may be told."""
OPEN = ("Lena", "window seat")
"""What any known caller may be told."""


async def answer(request: ModelRequest) -> str:
    """A model that puts a planted word into everything it words freely."""
    if request.purpose == "summarise":
        told = {"text": "The caller said plantedquote.", "resolved": False}
        return json.dumps(told | {"key_facts": ["plantedquote"], "open_items": ["send the plantedquote"]})
    body: dict[str, Any] = {"task": "plantedtask", "goal": "plantedgoal", "topic": "plantedtopic"}
    body |= {"pending_steps": ["send plantedstep home"], "completed_steps": ["plantedstep"]}
    if "window seat" in request.text:
        quote = "I prefer a window seat because of my plantedquote"
        body["facts"] = [
            {"key": "seat_preference", "value": "window seat", "text": f"She says: {quote}", "quote": quote}
        ]
    return json.dumps(body)


async def told(call: CallMemory) -> str:
    """Everything that the engine hands to a model, or to whoever speaks for one."""
    texts = [call.briefing().text, call.briefing("do you know my plantedquote?").text, call.handoff()]
    texts += [call.briefing().confirmed, str(call.greeting_name()), call.next_step().reason]
    texts += [f"{item.title} {item.value} {dict(item.slots)}" for item in call.left_open()]
    return "\n".join(texts).replace('caller: "do you know', "")


async def first_call(memory: Memory, clock: ManualClock, how: How, end: str) -> None:
    call = memory.call(Caller.phone(NUMBER, how=how), call_id="c1", schema=SCHEMA)
    await call.preload()
    for number, words in enumerate(SAID):
        await say(call, clock, words)
        await reply(call, clock, f"r{number}", "Very well.")
    call.correct("/slots/diagnosis", "planteddiagnosis", by="operator")
    await ended(call, clock, end)


@pytest.mark.parametrize("end", ["hangup", "error"])
@pytest.mark.parametrize("first", ["number", "verified"])
@pytest.mark.parametrize("then", ["number", "claimed", "verified"])
@pytest.mark.parametrize("model", [None, answer], ids=["rules", "model"])
async def test_a_later_call(end: str, first: How, then: How, model: Any) -> None:
    async with opened(model=model) as (memory, clock):
        await first_call(memory, clock, first, end)
        await clock.advance(7200.0)
        call = memory.call(Caller.phone(NUMBER, how=then), call_id="c2", schema=SCHEMA)
        assert await call.preload()
        await clock.settle()
        text = await told(call)
        assert [word for word in OPEN if word not in text] == []
        left = model is not None or end == "error"
        assert ("2026-03-06" in text) is (left or then == "verified"), "what was left open, and when"
        assert [word for word in PLANTED if word in text] == (list(PLANTED) if then == "verified" else [])
        await ended(call, clock)


@pytest.mark.parametrize("then", ["number", "claimed", "verified"])
async def test_minutes_after_a_verified_call_broke_off(then: How) -> None:
    async with opened(model=answer) as (memory, clock):
        await first_call(memory, clock, "verified", "error")
        await clock.advance(60.0)
        call = memory.call(Caller.phone(NUMBER, how=then), call_id="c2", schema=SCHEMA)
        assert await call.preload()
        text = await told(call)
        assert "party_size = 5" in text
        assert [word for word in PLANTED if word in text] == (list(PLANTED) if then == "verified" else [])
        await ended(call, clock)


async def test_nobody_is_told_nothing() -> None:
    async with opened(model=answer) as (memory, clock):
        await first_call(memory, clock, "verified", "error")
        call = memory.call(None, call_id="c2", schema=SCHEMA)
        assert await call.preload()
        assert [word for word in (*PLANTED, *OPEN) if word in await told(call)] == []
        await ended(call, clock)


def doc(**values: str) -> tuple[dict[str, Any], ...]:
    return ({"id": "d1", "text": "x", "fields": values},)


@pytest.mark.parametrize("how", ["number", "verified"])
async def test_a_sensitive_value_of_this_call_stands_in_no_line_of_ours(how: How) -> None:
    """Its note, the question about its rival, the document that contradicts it, what may be instructed."""
    async with opened() as (memory, clock):
        call = memory.call(Caller.phone(NUMBER, how=how), call_id="c1", schema=SCHEMA)
        await call.preload()
        call.correct("/slots/diagnosis", "planteddiagnosis", by="operator")
        await say(call, clock, "maybe the diagnosis is something else")
        call.apply(ev.Documents(t=call.elapsed, docs=doc(diagnosis="gout", email="x@example.org")))
        assert ("planteddiagnosis" in call.briefing().text) is (how == "verified")
        assert ("says diagnosis" in call.briefing().text) is (how == "verified")
        await ended(call, clock)


LINES = {"bank": "I prefer paper statements and my name is Wren Okafor", "hotel": "I prefer a quiet room"}


async def rings(memory: Memory, clock: ManualClock, id: str, *words: str) -> tuple[str, str]:
    """The first briefing of a call, and the one after its last words."""
    call = memory.call(verified(), call_id=id)
    assert await call.preload()
    await clock.settle()
    before = call.briefing().text
    for said in words:
        await say(call, clock, said)
        await reply(call, clock, f"{id}-{len(said)}", "Very well.")
    after = call.briefing(words[-1] if words else None).text
    await ended(call, clock)
    return before, after


def settings(line: str) -> Settings:
    return Settings(strict=True, line_of_business=line)


async def test_lines_of_business_are_kept_apart_before_a_word_is_said(tmp_path: Any) -> None:
    url, clock = f"sqlite:///{tmp_path}/calls.db", ManualClock()
    first: dict[str, str] = {}
    for line, words in LINES.items():
        async with opened(url, clock=clock, settings=settings(line)) as (memory, _):
            first[line], _ = await rings(memory, clock, f"{line}1", words)
    assert [word for word in ("paper", "Wren", "bank1") if word in first["hotel"]] == []
    for line, (own, others) in {
        "bank": ("paper", "quiet room"),
        "hotel": ("quiet", "paper statements"),
    }.items():
        async with opened(url, clock=clock, settings=settings(line)) as (memory, _):
            before, asked = await rings(memory, clock, f"{line}2", f"do I prefer {others}")
            assert own in before
            assert others not in before
            assert f"summary.{line}1" in before
            assert others in asked.replace(f"do I prefer {others}", "")
    async with opened(url, clock=clock, settings=settings("")) as (memory, _):
        before, _ = await rings(memory, clock, "all")
        assert [word for word in ("paper", "quiet", "Wren") if word not in before] == []


async def test_what_one_line_left_open_is_not_told_or_closed_by_another(tmp_path: Any) -> None:
    url, clock = f"sqlite:///{tmp_path}/calls.db", ManualClock()
    schema = {"version": 1, "slots": [{"name": "date", "type": "date", "required": True}, SCHEMA["slots"][4]]}
    async with opened(url, clock=clock, settings=settings("bank")) as (memory, _):
        call = memory.call(verified(), call_id="b1", schema=schema)
        await say(call, clock, "a table for five please")
        await ended(call, clock, "error")
    async with opened(url, clock=clock, settings=settings("hotel")) as (memory, _):
        await clock.advance(30.0)
        call = memory.call(verified(), call_id="h1", schema=schema)
        await call.preload()
        assert call.left_open() == ()
        assert call.state["slots"] == {}
        await say(call, clock, "a table for two on Friday please")
        await ended(call, clock)
    async with opened(url, clock=clock, settings=settings("bank")) as (memory, _):
        call = memory.call(verified(), call_id="b2", schema=schema)
        await call.preload()
        assert [item.call for item in call.left_open()] == ["b1"]
        await ended(call, clock)
