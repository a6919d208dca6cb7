"""Twilio's marks: sent behind audio, read when they come back, and no playback when a clear flushes them."""

from __future__ import annotations

import json
from typing import Any

from pipecat.frames.frames import (
    InterruptionFrame,
    OutputTransportMessageFrame,
    OutputTransportMessageUrgentFrame,
)
from pipecat.serializers.twilio import TwilioFrameSerializer

from pipecat_memory.processors import TwilioMarkSerializer
from pipecat_memory.processors.marks import Position

from .conftest import MakeCall
from .kit import Out, bot, within
from .voices import WORD, SentenceVoice


def serializer() -> TwilioMarkSerializer:
    return TwilioMarkSerializer("MZ1", params=TwilioFrameSerializer.InputParams(auto_hang_up=False))


async def sent(marks: TwilioMarkSerializer, position: Position) -> str:
    text = await marks.serialize(marks.mark(position))
    assert isinstance(text, str)
    message = json.loads(text)
    assert (message["event"], message["streamSid"]) == ("mark", "MZ1")
    return str(message["mark"]["name"])


def back(name: str) -> str:
    return json.dumps({"event": "mark", "streamSid": "MZ1", "mark": {"name": name}})


async def test_a_mark_that_comes_back_was_played() -> None:
    marks, played = serializer(), list[Position]()
    marks.on_played = played.append
    first, second = await sent(marks, (1, 0.25)), await sent(marks, (1, 0.5))
    assert await marks.deserialize(back(first)) is None
    assert await marks.deserialize(back(first)) is None
    assert await marks.deserialize(back(second).encode()) is None
    assert played == [(1, 0.25), (1, 0.5)]


async def test_marks_that_a_clear_brings_back_are_no_playback() -> None:
    marks, played = serializer(), list[Position]()
    marks.on_played = played.append
    first, second = await sent(marks, (1, 0.25)), await sent(marks, (1, 0.5))
    await marks.deserialize(back(first))
    assert json.loads(str(await marks.serialize(InterruptionFrame())))["event"] == "clear"
    await marks.deserialize(back(second))
    assert played == [(1, 0.25)]


async def test_everything_else_is_as_in_the_stock_serializer() -> None:
    marks = serializer()
    for data in (back("theirs"), "not json", '{"event": "mark"}', '{"event": "mark", "mark": 3}'):
        assert await marks.deserialize(data) is None
    keys = await marks.deserialize(json.dumps({"event": "dtmf", "dtmf": {"digit": "5"}}))
    assert keys is not None


class Telephone(Out):
    """A phone that plays what it gets up to `plays` seconds and returns the marks on the way."""

    def __init__(self, marks: TwilioMarkSerializer, *, plays: float, limit: float | None = None) -> None:
        super().__init__(limit)
        self._params: Any = self._params.model_copy()
        object.__setattr__(self._params, "serializer", marks)
        self.marks = marks
        self.plays = plays
        self.names: list[str] = []

    async def send_message(
        self, frame: OutputTransportMessageFrame | OutputTransportMessageUrgentFrame
    ) -> None:
        message = json.loads(str(await self.marks.serialize(frame)))
        self.names.append(message["mark"]["name"])
        if self.seconds <= self.plays:
            await self.marks.deserialize(json.dumps(message))


async def test_the_telephones_word_goes_before_what_was_written(make_call: MakeCall) -> None:
    call, marks = make_call(), serializer()
    plan = " ".join(f"word{i}" for i in range(60)) + "."
    phone = Telephone(marks, plays=40 * WORD, limit=55 * WORD)
    async with bot(call, answers=[plan], voice=SentenceVoice(), out=phone, full=True) as rig:
        await rig.says("Go on.")
        await within(phone.stalled.wait())
        await rig.interrupts()
        await rig.spoken()
    heard = call.course.history()[-1]
    words = len(heard.text.split())
    assert plan.startswith(heard.text)
    # A mark stands every quarter of a second, which is twelve of these very fast words.
    assert 40 - 0.25 / WORD - 1 <= words <= 40


async def test_a_reply_is_over_once_the_telephone_played_it(make_call: MakeCall) -> None:
    call, marks = make_call(), serializer()
    phone = Telephone(marks, plays=100.0)
    async with bot(
        call, answers=["A table is free tonight."], voice=SentenceVoice(), out=phone, full=True
    ) as rig:
        await rig.says("Go on.")
        await rig.spoken()
    assert call.course.history()[-1].text == "A table is free tonight."
    assert phone.names


async def test_without_the_serializer_no_mark_is_sent(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["A table is free."], voice=SentenceVoice(), full=True) as rig:
        await rig.says("Go on.")
        await rig.spoken()
        assert not [f for f in rig.tail.down if isinstance(f, OutputTransportMessageFrame)]
