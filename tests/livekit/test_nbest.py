"""The recogniser's alternatives, for apps that ask for them: the very reply already knows."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import Agent, RunContext, function_tool, stt

from livekit_plugin import CallMemory, Memory, MemorySchema, Settings

from .conftest import ANA, MakeCall
from .kit import Call, FakeSTT, bot, until

AREA = MemorySchema.from_dict({"version": 1, "slots": [{"name": "area", "values": ["north", "south"]}]})
HEARD = "the mouth"
OTHERS = ("the south", "the south please")


def area(call: CallMemory) -> object:
    slot = call.state["slots"].get("area")
    return slot and slot["value"]


@pytest.mark.parametrize("asked_for", [True, False])
async def test_the_reply_knows_what_the_alternatives_say(make_call: MakeCall, asked_for: bool) -> None:
    call = make_call(schema=AREA)
    async with bot(call, answers=["Which area?", "Good."], voice=True, nbest=asked_for) as rig:
        await rig.says("Hello")
        await rig.says(HEARD, others=OTHERS)
        assert len(rig.llm.contexts) == 2
        assert ("area = south" in str(rig.llm.prompts[1])) is asked_for
    assert area(call) == ("south" if asked_for else None)
    assert [i.text for i in call.course.history() if i.role == "user"] == ["Hello", HEARD]


async def test_an_early_guess_is_briefed_with_its_alternatives(make_call: MakeCall) -> None:
    call = make_call(schema=AREA)
    async with bot(call, answers=["Which area?", "Good."], voice=True, nbest=True) as rig:
        await rig.says("Hello")
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.PREFLIGHT_TRANSCRIPT, HEARD, others=OTHERS)
        await until(lambda: len(rig.llm.contexts) == 2)
        assert "area = south" in str(rig.llm.prompts[1])
        assert area(call) is None  # nothing provisional is kept
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, HEARD, others=OTHERS)
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: len(rig.items("assistant")) == 2)
        assert len(rig.llm.contexts) == 2
    assert area(call) == "south"


async def test_finals_of_one_turn_are_read_rank_by_rank(make_call: MakeCall) -> None:
    call = make_call(schema=AREA)
    async with bot(call, answers=["Good."], voice=True, nbest=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "a bed", others=["a pet", "a bet"])
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "in the")
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "mouth", others=["south"])
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: bool(rig.items("assistant")))
    (turn,) = call.course.ledger.turns
    (segment,) = turn.segments
    assert segment.nbest == ("a bed in the mouth", "a pet in the south", "a bet in the south")


async def test_they_survive_a_handoff_on_the_same_stream(make_call: MakeCall) -> None:
    call, ears = make_call(schema=AREA), FakeSTT()

    @function_tool()
    async def hand_over(context: RunContext[Any]) -> Any:
        """Hand over."""
        return Agent(instructions="SECOND")

    first = Agent(instructions="FIRST", tools=[hand_over])
    answers = [Call("hand_over"), "Which area?", "Good."]
    async with bot(call, answers=answers, agent=first, voice=True, ears=ears, nbest=True) as rig:
        await rig.hears("Somebody else please")
        await until(lambda: rig.session.current_agent is not first)
        await until(lambda: rig.session.agent_state == "listening")
        await rig.says("Hello")
        await rig.says(HEARD, others=OTHERS)
        assert len(ears.streams) == 1  # LiveKit went on with it, as without us
    assert area(call) == "south"


async def test_a_fault_of_ours_leaves_the_caller_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings())
    call = memory.call(ANA, call_id="faulty", schema=AREA)
    monkeypatch.setattr("livekit_plugin.listener.Listener.recognised", _fail)
    async with bot(call, answers=["Good."], voice=True, nbest=True) as rig:
        await rig.says(HEARD, others=OTHERS)
        assert rig.memory.hook_errors == 3  # the start, the words, the end
    assert [i.text for i in call.course.history()] == [HEARD, "Good."]
    await memory.close()


def _fail(*_: object) -> None:
    raise TypeError
