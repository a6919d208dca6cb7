"""The rules that answer where no model is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from pipecat.frames.frames import TTSSpeakFrame

from examples.phone_bot.answers import GREETING, NOT_HEARD, Answer, answer
from examples.phone_bot.business import SCHEMA
from examples.phone_bot.greeting import Greeting, GreetingFrame
from pipecat_memory import Caller, Memory
from pipecat_memory import events as ev
from pipecat_memory.call import CallMemory

NOW = "2026-03-02T10:00:00+00:00"
PHONE = Caller.phone("+15551230001")


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    memory = await Memory.open("memory://", embedder=None)
    yield memory
    await memory.close()


def ring(memory: Memory, name: str, caller: Caller = PHONE) -> CallMemory:
    return memory.call(caller, call_id=name, schema=SCHEMA)


def say(call: CallMemory, text: str) -> Answer:
    t = call.elapsed
    call.apply(ev.UserFinal(t=t, text=text, started=t))
    call.apply(ev.TurnEnded(t=t))
    found = answer(call, [{"role": "user", "content": text}])
    reply = f"r{call.course.turn}"
    call.apply(ev.ReplyStarted(t=t, reply=reply))
    call.apply(ev.ReplyText(t=t, reply=reply, text=found.text or "One moment."))
    call.apply(ev.ReplyEnded(t=t, reply=reply, interrupted=False, played=1.0))
    return found


def next_day(name: str) -> date:
    today = datetime.now().astimezone().date()
    return next(d for d in (today + timedelta(n) for n in range(1, 8)) if f"{d:%A}" == name)


async def told(memory: Memory) -> tuple[CallMemory, date]:
    call = ring(memory, "one")
    await call.preload()
    day = f"{datetime.now().astimezone().date() + timedelta(3):%A}"
    later = f"{datetime.now().astimezone().date() + timedelta(5):%A}"
    assert say(call, "Hi, my name is Zoe.").text == "Thank you, Zoe. How many of you will there be?"
    assert "What time" in say(call, f"A table for six people on {day}, please.").text
    corrected = say(call, f"Actually no, make that {later}, not {day}.").text
    assert later in corrected
    assert day not in corrected
    return call, next_day(later)


async def test_a_caller_is_asked_for_what_is_missing_and_nothing_else(memory: Memory) -> None:
    call, day = await told(memory)
    assert say(call, "At seven in the evening.") == Answer(tool="book_table")
    assert call.state["slots"]["date"]["value"] == day.isoformat()


async def test_a_second_call_goes_on_where_the_first_stopped(memory: Memory) -> None:
    call, day = await told(memory)
    await call.close("hangup")
    again = ring(memory, "two")
    frame = await Greeting(again, None, 8000).frame()
    assert isinstance(frame, TTSSpeakFrame)
    assert frame.text.startswith("Hello Zoe, welcome back.")
    assert f"{day:%A}" in frame.text
    assert "What time" in say(again, "Yes please.").text
    assert again.state["slots"]["date"]["value"] == day.isoformat()
    assert say(again, "At seven in the evening.").tool == "book_table"


async def test_a_stranger_gets_nothing_of_it(memory: Memory) -> None:
    call, _ = await told(memory)
    await call.close("hangup")
    for stranger in (Caller.phone("+15551230002"), Caller.nobody()):
        other = ring(memory, f"three-{stranger.label}", stranger)
        frame = await Greeting(other, None, 8000).frame()
        assert isinstance(frame, TTSSpeakFrame)
        assert frame.text == GREETING
        assert say(other, "What do you know about my booking?").text == "I have nothing noted for you yet."


async def test_a_rendering_that_never_comes_gives_the_plain_greeting(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.phone_bot.greeting.LATE", 0.0)

    async def never(_: str) -> bytes:
        await asyncio.Event().wait()
        return b""

    frame = await Greeting(ring(memory, "late"), never, 8000).frame()
    assert isinstance(frame, TTSSpeakFrame)
    assert frame.text == GREETING


async def test_only_the_plain_greeting_is_kept(memory: Memory) -> None:
    rendered: list[str] = []

    async def render(text: str) -> bytes:
        rendered.append(text)
        return b"\0\0" * 800

    call, _ = await told(memory)
    await call.close("hangup")
    for number in range(2):
        frame = await Greeting(ring(memory, f"again{number}"), render, 8001).frame()
        assert isinstance(frame, GreetingFrame)
        assert "Zoe" in frame.text
    for number in range(2):
        await Greeting(ring(memory, f"nobody{number}", Caller.nobody()), render, 8001).frame()
    assert [text == GREETING for text in rendered] == [False, False, True]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I want to speak to a person.", Answer(tool="transfer")),
        ("Please cancel my booking.", Answer(tool="cancel_booking")),
        ("No thanks, goodbye.", Answer("Thank you for calling. Goodbye!")),
    ],
)
async def test_plain_wishes(memory: Memory, words: str, expected: Answer) -> None:
    assert say(ring(memory, "wish"), words) == expected


@pytest.mark.parametrize(
    ("result", "part"),
    [
        (
            '{"booked": {"party_size": 4, "date": "2026-03-07", "time": "19:30"}}',
            "Saturday, 7 March at 7:30 pm",
        ),
        ('{"error": "not_confirmed", "slots": ["time"]}', "What time"),
        ('{"cancelled": null}', "no booking"),
        ('{"cancelled": {"party_size": 4}}', "is cancelled"),
        ("COMPLETED", "went wrong"),
    ],
)
async def test_what_a_tool_answered_is_said(memory: Memory, result: str, part: str) -> None:
    messages: list[dict[str, Any]] = [{"role": "tool", "content": result}]
    assert part in answer(ring(memory, "tool"), messages).text


async def test_voice_without_words_is_asked_about(memory: Memory) -> None:
    call = ring(memory, "mumble")
    call.apply(ev.UserStarted(t=1.0))
    call.apply(ev.UserStopped(t=2.0))
    call.apply(ev.TurnEnded(t=2.5))
    if call.next_step().reason == "not_heard":
        assert answer(call, [{"role": "user", "content": "x"}]).text == NOT_HEARD
