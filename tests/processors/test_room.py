"""Several people in one room: the transport tells them apart, and what others say is not the caller's."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import TranscriptionFrame

from pipecat_memory.memory import Memory

from .conftest import ANA
from .kit import Rig, bot, until, within

DEEPGRAM = {"channel": {"alternatives": [{"transcript": "", "words": [{"speaker": 0}]}]}}


async def said_by(rig: Rig, user: str, text: str, result: object = None) -> None:
    """One whole turn of somebody in the room."""
    rig.llm.answered.clear()
    await rig.starts()
    await rig.push(TranscriptionFrame(text, user, "2026-01-01T00:00:00Z", None, result, finalized=True))
    await rig.stops()
    await within(rig.llm.answered.wait())
    await rig.spoken()


@pytest.mark.parametrize("result", [None, DEEPGRAM], ids=["unlabelled", "one label for all"])
async def test_what_another_participant_says_is_not_the_callers(memory: Memory, result: object) -> None:
    call = memory.call(ANA, call_id="room")
    async with bot(call, answers=["Noted.", "Welcome.", "Good."]) as rig:
        await said_by(rig, "p-ana", "My name is Ana Lima.", result)
        await said_by(rig, "p-rolf", "My name is Rolf Berg and I'm allergic to fish.", result)
        await said_by(rig, "p-ana", "I'm allergic to walnuts.", result)
        await rig.ends()
    await until(lambda: not memory.busy)
    profile = {(fact["value"], fact["status"]) for fact in await memory.profile(ANA)}
    assert {("Ana Lima", "current"), ("walnuts", "current")} <= profile
    assert {(value, status) for value, status in profile if status == "current"} == {
        ("Ana Lima", "current"),
        ("walnuts", "current"),
    }
    assert call.state["slots"]["name"]["value"] == "Ana Lima"
    spoken = [(i.speaker, i.text.split()[-1]) for i in call.course.history() if i.role == "user"]
    mine = "0" if result else None
    assert spoken == [(mine, "Lima."), ("p-rolf", "fish."), (mine, "walnuts.")]


async def test_a_transport_that_names_nobody_carries_one_person(memory: Memory) -> None:
    call = memory.call(ANA, call_id="line")
    async with bot(call, answers=["Noted.", "Good."]) as rig:
        await said_by(rig, "", "My name is Ana Lima.")
        await said_by(rig, "", "I'm allergic to walnuts.")
        await rig.ends()
    await until(lambda: not memory.busy)
    facts = [(fact["value"], fact["status"], fact["speaker"]) for fact in await memory.profile(ANA)]
    assert sorted(facts) == [("Ana Lima", "current", None), ("walnuts", "current", None)]
