"""Keys of a telephone: alone, beside speech, and right before the end."""

from __future__ import annotations

from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.frames.frames import InputDTMFFrame
from pipecat.processors.aggregators.dtmf_aggregator import DTMFAggregator

from pipecat_memory.call import CallMemory

from .conftest import MakeCall
from .kit import Rig, bot, final, until, within


def entries(call: CallMemory) -> list[tuple[str, str]]:
    return [(s.source, s.text) for t in call.course.ledger.turns for s in t.segments]


async def press(rig: Rig, *keys: KeypadEntry) -> None:
    await rig.push(*(InputDTMFFrame(button=key) for key in keys))


def written(rig: Rig) -> object:
    """What the aggregator wrote first."""
    message = rig.context.messages[0]
    assert isinstance(message, dict)
    return message.get("content")


async def test_keys_are_keys_and_not_speech(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Thanks."], before=[DTMFAggregator()]) as rig:
        await rig.starts()
        await press(rig, KeypadEntry.FOUR, KeypadEntry.TWO, KeypadEntry.POUND)
        await rig.stops()
        await within(rig.llm.answered.wait())
        assert written(rig) == "DTMF: 42#"
    assert entries(call) == [("dtmf", "42")]
    assert [t.text for t in call.course.ledger.turns] == ["42"]


async def test_a_sentence_that_ends_in_what_was_pressed_is_said(make_call: MakeCall) -> None:
    call = make_call()
    sentence = "I would like a table on Friday for 4"
    async with bot(call, answers=["Thanks."], before=[DTMFAggregator()]) as rig:
        await rig.starts()
        await press(rig, KeypadEntry.FOUR)
        await rig.hears(sentence)
        await until(lambda: call.course.ledger.open_turn is not None)
        await press(rig, KeypadEntry.POUND)
        await rig.stops()
        await within(rig.llm.answered.wait())
        assert written(rig) == f"{sentence} DTMF: 4#"
    assert sorted(entries(call)) == [("dtmf", "4"), ("speech", sentence)]


async def test_a_number_said_and_pressed_is_both(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Thanks."]) as rig:
        await press(rig, KeypadEntry.FOUR)
        await rig.starts()
        await rig.push(final("for 4"))
        await rig.stops()
        await within(rig.llm.answered.wait())
    assert sorted(entries(call)) == [("dtmf", "4"), ("speech", "for 4")]


async def test_keys_pressed_right_before_the_line_drops_are_kept(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["How many?"]) as rig:
        await rig.says("A table, please.")
        await rig.spoken()
        await press(rig, KeypadEntry.ONE, KeypadEntry.TWO)
        await until(lambda: sum(isinstance(f, InputDTMFFrame) for f in rig.tail.down) == 2)
        await rig.worker.cancel(reason="hangup")
        await within(rig.running)
    assert entries(call) == [("speech", "A table, please."), ("dtmf", "12")]
