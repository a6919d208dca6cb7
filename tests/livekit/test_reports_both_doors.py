"""Reports that are tested at Pipecat's door too, each at a LiveKit session, with the issue it comes from."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Any

import pytest
from livekit.agents import Agent, RunContext, function_tool, stt
from livekit.agents.voice import ModelSettings

from livekit_plugin import Memory, Settings
from pipecat_memory.testing import ManualClock

from .conftest import ANA, MakeCall
from .kit import Call, bot, until
from .sound import SLOW

PLAN = "Let me see what you have to pay. You owe twelve euros."


async def test_what_is_respelled_for_the_voice_is_kept_as_written(make_call: MakeCall) -> None:
    """pipecat#4968: "A7" is stored as "ay seven"."""

    class Spelling(Agent):
        def tts_node(self, text: AsyncIterable[str], model_settings: ModelSettings) -> Any:
            async def respelled() -> AsyncIterable[str]:
                async for piece in text:
                    yield piece.replace("A7", "ay seven")

            return Agent.default.tts_node(self, respelled(), model_settings)

    call = make_call()
    answers = ["Your code is A7 today."]
    async with bot(call, answers=answers, voice=True, agent=Spelling(instructions="BASE")) as rig:
        await rig.says("My code please")
    assert [i.text for i in call.course.history()] == ["My code please", "Your code is A7 today."]


async def test_the_part_of_an_answer_that_was_never_played_was_never_told(make_call: MakeCall) -> None:
    """livekit/agents#6424, #3760: what a tool did is known, what was said of it as far as it was heard."""
    call = make_call()

    @function_tool()
    async def look_up(context: RunContext[Any]) -> str:
        """Look up the bill."""
        return "12 euros"

    answers = [Call("look_up"), PLAN, "Go on."]
    async with bot(call, answers=answers, voice=True, word=SLOW, tools=[look_up]) as rig:
        await rig.hears("What do I owe?")
        await rig.interrupted_after(3)
        await until(lambda: len(rig.items("assistant")) == 1)
        await rig.hears("wait")
        await until(lambda: len(rig.llm.prompts) == 3)
        told = str([text for role, text in rig.llm.prompts[2] if role in ("assistant", "user")])
    heard = next(i for i in call.course.history() if i.role == "assistant")
    assert heard.interrupted
    assert PLAN.startswith(heard.text)
    assert "twelve" not in f"{heard.text} {told}"
    tool = call.course.ledger.tools[0]
    assert (tool.status, tool.result) == ("ok", "12 euros")


async def test_voice_without_words_is_no_turn(make_call: MakeCall) -> None:
    """pipecat#5240: a blank item, and a turn that is counted."""
    call = make_call()
    async with bot(call, voice=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        await until(lambda: rig.session.user_state == "speaking")
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: rig.session.user_state == "listening")
        await rig.says("A table for four")
    assert [(i.text, i.turn) for i in call.course.history()] == [("A table for four", 1), ("Yes.", 1)]
    assert call.counters["turns_committed"] == 1


async def test_words_out_of_silence_are_no_fact() -> None:
    """Vexa#617: a recogniser's outro phrases, where there was no voice."""
    clock = ManualClock()
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True), clock=clock)
    call = memory.call(ANA, call_id="silence")
    async with bot(call, voice=True) as rig:
        await rig.says("My name is Ana Lima")
        await clock.advance(30.0)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "I am allergic to subscribing")
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: len(rig.items("user")) == 2)
    assert [(i.text, i.trust) for i in call.course.history() if i.role == "user"] == [
        ("My name is Ana Lima", "high"),
        ("I am allergic to subscribing", "low"),
    ]
    assert [fact["value"] for fact in await memory.profile(ANA)] == ["Ana Lima"]
    await memory.close()


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_a_tool_call_and_its_result_leave_the_window_together(turns: int) -> None:
    """pipecat#3832: a call without its result, or the other way round, is refused by providers."""
    settings = Settings(strict=True, window="last_n", window_turns=turns)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id="window")

    @function_tool()
    async def look_up(context: RunContext[Any]) -> str:
        """Look up."""
        return "free"

    answers = [part for number in range(5) for part in (Call("look_up"), f"a{number}.")]
    async with bot(call, answers=answers, tools=[look_up]) as rig:
        for number in range(5):
            await rig.session.run(user_input=f"sentence {number}")
        for prompt in rig.llm.contexts:
            called = {i.call_id for i in prompt.items if i.type == "function_call"}
            assert called == {i.call_id for i in prompt.items if i.type == "function_call_output"}
        assert len([i for i in rig.llm.contexts[-1].items if i.type == "function_call"]) < 5
    await memory.close()
