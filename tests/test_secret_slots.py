"""What fills a secret slot is used and stands nowhere: said, keyed, typed, said back, given to a tool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory import CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.errors import NotConfirmed
from pipecat_memory.testing import ManualClock

from .kit import ended, opened, reply, say, verified

SCHEMA: dict[str, Any] = {
    "version": 1,
    "slots": [
        {"name": "pin", "type": "digits", "secret": True, "required": True, "description": "PIN code"},
        {"name": "password", "type": "text", "secret": True, "description": "password"},
        {"name": "name", "type": "name"},
        {"name": "order_number", "type": "digits"},
        {"name": "party_size", "type": "quantity"},
    ],
}
FORMS = ("4711", "4 7 1 1", "4-7-1-1", "four seven one one", "four, seven, one, one", "vier sieben eins eins")


async def everything(memory: Memory, call: CallMemory) -> str:
    """All that is kept or told of the call, and what a later one is told."""
    file = call.journal.file
    assert file is not None
    kept = [entry.blob.decode() for entry in await file.journal()]
    kept += [str(await memory.export(verified())), str(call.state), *call.stay.briefings]
    kept += [item.text for item in call.course.history()]
    kept += [str(tool) + str(tool.args) + str(tool.result) for tool in call.course.ledger.tools]
    later = memory.call(verified(), call_id=f"{call.id}-later", schema=SCHEMA)
    assert await later.preload()
    kept += [later.briefing("what was my PIN, my password, the code?").text, later.handoff()]
    await later.close("hangup")
    return "\n".join(kept)


async def answered(call: CallMemory, clock: ManualClock, question: str, words: str, **more: Any) -> None:
    await reply(call, clock, f"q{call.elapsed}", question)
    await say(call, clock, words, **more)


def leaks(text: str, *forms: str) -> list[str]:
    text = text.casefold()
    return [form for form in (*FORMS, *forms) if form.casefold() in text]


SAID = {
    "digits": ("Can I have your PIN please?", "1234"),
    "spaced": ("What's your PIN?", "1 2 3 4"),
    "words": ("What's your PIN?", "one two three four"),
    "named": ("Okay.", "my pin is 1234 and my name is Ana Ruiz"),
    "named, words": ("Okay.", "my pin is one two three four"),
    "in a sentence": ("Your PIN?", "it's 1234, that's right"),
    "german": ("Wie ist Ihre PIN?", "meine PIN ist eins zwei drei vier"),
}
ONE = ("1234", "1 2 3 4", "one two three four", "eins zwei drei vier", "three four")


@pytest.mark.parametrize("case", SAID)
async def test_what_is_said_for_it_stands_nowhere(case: str) -> None:
    question, words = SAID[case]
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        language = "de" if case == "german" else None
        await answered(call, clock, question, words, language=language)
        assert call.state["slots"]["pin"]["value"] == "***"
        call.require("pin")
        await reply(call, clock, "r1", "So one two three four, thank you, 1 2 3 4 it is.")
        call.apply(ev.ToolCalled(t=call.elapsed, id="t", name="check", args={"code": "1234", "n": [1234]}))
        call.apply(ev.ToolReturned(t=call.elapsed, id="t", status="ok", result={"seen": "1-2-3-4"}))
        await ended(call, clock)
        text = await everything(memory, call)
        assert [form for form in (*ONE, "1-2-3-4") if form in text] == []
        assert "[pin]" in text
        assert call.counters["masked"] >= 5
        if case == "named":
            assert "my pin is [pin] and my name is Ana Ruiz" in text
            assert [f["value"] for f in await memory.profile(verified())] == ["Ana Ruiz"]


async def test_the_recognisers_alternatives_go_with_it() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        heard = ("it's 4711", "it's 4717", "it is four seven one eleven")
        await answered(call, clock, "Your PIN?", heard[0], nbest=heard)
        await ended(call, clock)
        assert leaks(await everything(memory, call), "4717", "four seven one") == []
        assert call.state["slots"]["pin"]["value"] == "***"


@pytest.mark.parametrize("way", ["typed", "keyed", "keyed in parts", "two finals"])
async def test_typed_and_keyed_and_in_parts(way: str) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await reply(call, clock, "r0", "Please tell me your PIN.")
        match way:
            case "typed":
                call.apply(ev.UserTyped(t=call.elapsed, text="4711", id="x"))
            case "keyed":
                call.apply(ev.Dtmf(t=call.elapsed, digits="4711#"))
            case "keyed in parts":
                call.apply(ev.Dtmf(t=call.elapsed, digits="47", done=False))
                call.apply(ev.Dtmf(t=call.elapsed, digits="11#"))
            case _:
                call.apply(ev.UserFinal(t=call.elapsed, text="it is four seven", started=call.elapsed))
                call.apply(ev.UserFinal(t=call.elapsed, text="one one", started=call.elapsed))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await clock.settle()
        assert call.state["slots"]["pin"]["value"] == "***"
        await ended(call, clock)
        text = await everything(memory, call)
        assert leaks(text, "four seven", "one one", '"digits":"47', '"digits":"11') == []


async def test_a_word_that_is_secret() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await answered(call, clock, "What is your password?", "bluebird seven")
        assert call.state["slots"]["password"]["value"] == "***"
        await reply(call, clock, "r1", "Thank you, Bluebird Seven.")
        await ended(call, clock)
        assert "bluebird" not in (await everything(memory, call)).casefold()


async def test_what_was_said_before_it_was_known_to_be_secret_goes_too() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await say(call, clock, "I was told 4711")
        await reply(call, clock, "r1", "You said 4711. What is that, your PIN?")
        await say(call, clock, "yes, my pin is 4711")
        await ended(call, clock)
        assert leaks(await everything(memory, call)) == []


async def test_an_interim_text_that_becomes_the_turn() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await reply(call, clock, "r1", "What is your PIN?")
        call.apply(ev.UserStarted(t=call.elapsed))
        call.apply(ev.UserPartial(t=call.elapsed, text="it is four seven one one"))
        call.apply(ev.UserStopped(t=call.elapsed))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await ended(call, clock)
        assert leaks(await everything(memory, call)) == []
        assert "pin" not in call.state["slots"]


async def test_a_person_may_set_it_and_a_model_is_not_told() -> None:
    seen: list[str] = []

    async def model(request: ModelRequest) -> str:
        seen.append(request.text)
        return json.dumps({"facts": [], "text": "They talked.", "resolved": True})

    async with opened(model=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        call.correct("/slots/pin", "4711", by="operator")
        call.require("pin")
        await say(call, clock, "well that would be four seven one one as I told your colleague")
        await reply(call, clock, "r1", "4711, thank you.")
        await ended(call, clock)
        assert leaks(await everything(memory, call)) == []
        assert leaks("\n".join(seen)) == []
        assert seen


async def test_a_call_that_broke_off_knows_that_it_was_told() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await say(call, clock, "my pin is 4711, a table for five")
        await ended(call, clock, "crash")
        again = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await again.preload()
        await ended(again, clock)
        (report,) = (await memory.export(verified()))["calls"]
        assert report["state"]["slots"]["pin"]["value"] == "***"
        assert leaks(str(report)) == []


async def test_nobody_fills_it_with_a_mark() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        call.apply(ev.UserTyped(t=call.elapsed, text="use [pin] please", id="x"))
        call.apply(ev.TurnEnded(t=call.elapsed))
        with pytest.raises(NotConfirmed):
            call.require("pin")
        await ended(call, clock)


async def test_other_numbers_stay() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        await answered(call, clock, "What is your PIN?", "4711")
        await say(call, clock, "a table for five, my order number is 147112")
        await reply(call, clock, "r1", "Order 147112, for five, that is 47 11 and 2.")
        await ended(call, clock)
        told = [item.text for item in call.course.history()[-2:]]
        assert told[0] == "a table for five, my order number is 147112"
        assert told[1] == "Order 147112, for five, that is [pin] and 2."
