"""A card or its code is masked however it comes: by words, over several finals, from either side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pipecat_memory import CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.stores.caller_file import CallerFile
from pipecat_memory.testing import ManualClock
from tests.kit import ended, opened, reply, say, verified

SPOKEN = "four two " * 8
WRITTEN = "4242 " * 4


async def kept(memory: Memory, call: CallMemory) -> str:
    """Everything that stands of the call, wherever it is kept."""
    file = call.journal.file
    assert file is not None
    blobs = " ".join(str(entry.blob) for entry in await file.journal())
    history = " ".join(item.text for item in call.course.history())
    return f"{blobs} {history} {call.briefing().text} {await memory.export(verified())}"


def hears(call: CallMemory, id: str, *pieces: str, planned: str | None, chars: bool = False) -> None:
    call.apply(ev.ReplyStarted(t=call.elapsed, reply=id))
    for count, token in enumerate(planned.split(" ") if planned else ()):
        call.apply(ev.ReplyText(t=call.elapsed + count / 100, reply=id, text=f"{token} "))
    for seq, piece in enumerate(pieces):
        call.apply(ev.ReplyHeard(t=call.elapsed + 1, reply=id, text=piece, seq=seq, chars=chars))


@pytest.mark.parametrize("digits", [SPOKEN.strip(), WRITTEN.strip()])
@pytest.mark.parametrize("planned", [True, False])
async def test_the_agent_reads_a_card_back_word_by_word(digits: str, planned: bool) -> None:
    text = f"So your card is {digits}, is that right?"
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        hears(call, "r1", *text.split(" "), planned=text if planned else None)
        await clock.advance(1)
        call.apply(ev.ReplyEnded(t=call.elapsed, reply="r1", interrupted=False))
        await ended(call, clock)
        everything = await kept(memory, call)
        assert [item.text for item in call.course.history()] == ["So your card is [card], is that right?"]
        assert digits.split()[0] not in everything


async def test_the_agent_is_cut_off_inside_a_card() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        hears(call, "r1", *f"It is {WRITTEN}".split()[:4], planned=f"It is {WRITTEN}, right?")
        call.apply(ev.Interrupted(t=call.elapsed))
        call.apply(ev.ReplyEnded(t=call.elapsed, reply="r1", interrupted=True))
        await clock.settle()
        assert [item.text for item in call.course.history()] == ["It is [card]"]
        await ended(call, clock)


async def test_other_numbers_of_the_agent_stay_as_they_were_said() -> None:
    text = "your table is for 4 at 7 30 on the 4th, and the number is 415 555 0132"
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        hears(call, "r1", *text.split(" "), planned=text)
        await reply(call, clock, "r2", "one two three")
        await ended(call, clock)
        assert [item.text for item in call.course.history()] == [text, "one two three"]
        revived = (await memory.export(verified()))["calls"][0]["history"]
        assert [item["text"] for item in revived] == [text, "one two three"]


def final(call: CallMemory, text: str, id: str | None = None) -> None:
    call.apply(ev.UserFinal(t=call.elapsed, text=text, started=call.elapsed, id=id))


async def _say_in_parts(call: CallMemory, clock: ManualClock, *parts: str) -> None:
    for number, part in enumerate(parts):
        final(call, part, id=f"f{number}" if len(part) % 2 else None)
        await clock.advance(1)
        await clock.settle()
    call.apply(ev.TurnEnded(t=call.elapsed))
    await clock.settle()


@pytest.mark.parametrize(
    "parts",
    [
        ("4242 4242", "4242 4242"),
        ("my card is 4242", "4242 4242", "4242 thanks"),
        ("four two four two four two four two", "four two four two", "four two four two"),
        ("卡号四二四二四二四二", "四二四二四二四二"),
    ],
)
async def test_a_card_over_several_finals(parts: tuple[str, ...]) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await _say_in_parts(call, clock, *parts)
        await ended(call, clock)
        everything = await kept(memory, call)
        for digits in ("4242", "four two", "四二"):
            assert digits not in everything
        assert "[card]" in call.course.history()[0].text


async def test_a_code_over_several_finals_that_only_the_question_explains() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await reply(call, clock, "r1", "And the security code on the back?")
        await _say_in_parts(call, clock, "nine", "zero seven")
        await ended(call, clock)
        (_, said) = call.course.history()
        assert "nine" not in said.text
        assert "seven" not in said.text
        assert "zero seven" not in await kept(memory, call)


async def test_a_code_that_only_an_interim_text_holds() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await reply(call, clock, "r1", "And the security code on the back?")
        call.apply(ev.UserStarted(t=call.elapsed))
        call.apply(ev.UserPartial(t=call.elapsed, text="it is nine zero seven"))
        call.apply(ev.UserStopped(t=call.elapsed))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await ended(call, clock)
        assert "zero seven" not in await kept(memory, call)
        assert call.course.history()[-1].text == "it is [security code]"


async def test_numbers_over_several_finals_that_are_no_card_stay() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await _say_in_parts(call, clock, "my number is 415 555", "0132 and we are 4")
        await ended(call, clock)
        assert call.course.history()[0].text == "my number is 415 555 0132 and we are 4"


async def _key(call: CallMemory, clock: ManualClock, *parts: str) -> None:
    for number, part in enumerate(parts):
        call.apply(ev.Dtmf(t=call.elapsed, digits=part, done=number == len(parts) - 1))
        await clock.advance(0.25)
        await clock.settle()
    call.apply(ev.TurnEnded(t=call.elapsed))
    await clock.settle()


@pytest.mark.parametrize("size", [1, 2, 4, 16])
async def test_a_card_keyed_in_parts(size: int) -> None:
    digits = "4000056655665556"
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await reply(call, clock, "r1", "Please key in your card number.")
        await _key(call, clock, *(digits[at : at + size] for at in range(0, len(digits), size)))
        await ended(call, clock)
        everything = await kept(memory, call)
        assert call.course.history()[-1].text == "[card]"
        for part in (digits, "5665", *(f'"digits":"{digits[at : at + size]}"' for at in (0, size))):
            assert part not in everything


async def test_a_code_keyed_in_parts_that_only_the_question_explains() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await reply(call, clock, "r1", "And the security code on the back?")
        await _key(call, clock, *"907")
        await ended(call, clock)
        everything = await kept(memory, call)
        assert call.course.history()[-1].text == "[security code]"
        for part in ('"digits":"907"', '"digits":"9"', '"digits":"0"', '"digits":"7"'):
            assert part not in everything


async def test_other_keys_in_parts_stay() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await _key(call, clock, *"440921")
        await ended(call, clock)
        assert call.course.history()[-1].text == "440921"


@pytest.mark.parametrize(
    "between", ["", "mhm", "4242 4242, go on", "Four two four two four two four two. And?"]
)
@pytest.mark.parametrize("half", ["4242 4242", "four two four two four two four two", "my card is 4242 4242"])
@pytest.mark.parametrize("nod", [False, True])
async def test_a_card_over_several_turns(between: str, half: str, nod: bool) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await reply(call, clock, "r0", "What is your card number?")
        await say(call, clock, half)
        await clock.advance(5)
        if between:
            await reply(call, clock, "r1", between)
        if nod:
            await say(call, clock, "uh huh")
            await reply(call, clock, "r2", "Yes?")
        await say(call, clock, half.removeprefix("my card is "))
        await ended(call, clock)
        everything = await kept(memory, call)
        for digits in ("4242", "four two"):
            assert digits not in everything.casefold()
        assert call.counters["masked"] >= 2


async def test_two_numbers_in_two_turns_stay() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        for words in ("my number is 415 555 0132", "and the order is 424242"):
            await say(call, clock, words)
        await ended(call, clock)
        assert [item.text for item in call.course.history()] == [
            "my number is 415 555 0132",
            "and the order is 424242",
        ]


async def test_nothing_is_written_while_earlier_records_are_masked_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a thread, since a long call has thousands of them; what is said meanwhile is kept all the same."""
    begun, go_on = asyncio.Event(), asyncio.Event()
    aside = CallerFile.aside

    async def held(self: CallerFile, work: Callable[[], Any]) -> Any:
        begun.set()
        await go_on.wait()
        return await aside(self, work)

    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my card number is 4242 4242")
        await call.kept.durable()
        monkeypatch.setattr(CallerFile, "aside", held)
        await say(call, clock, "4242 4242")
        await begun.wait()
        file = call.journal.file
        assert file is not None
        there = [entry.uid for entry in await file.journal()]
        await say(call, clock, "and my name is Wren Okafor")
        call.apply(ev.MemoryForgetLast(t=call.elapsed))
        await say(call, clock, "and I live in Rome")
        assert [entry.uid for entry in await file.journal()] == there
        go_on.set()
        await call.kept.durable()
        blobs = " ".join(str(entry.blob) for entry in await file.journal())
        assert "4242" not in blobs
        assert "Okafor" not in blobs
        assert "I live in Rome" in blobs
        await ended(call, clock)
        assert "4242" not in await kept(memory, call)
