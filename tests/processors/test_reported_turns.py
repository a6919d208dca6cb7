"""What people who build voice agents report of turns, each through a whole pipeline, with its issue."""

from __future__ import annotations

import asyncio

import pytest
from pipecat.frames.frames import (
    InterimTranscriptionFrame,
    LLMRunFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_start import TranscriptionUserTurnStartStrategy, VADUserTurnStartStrategy
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from pipecat_memory.call import CallMemory
from pipecat_memory.config import Settings
from pipecat_memory.memory import Memory
from pipecat_memory.testing import ManualClock

from .conftest import ANA, MakeCall
from .kit import Out, bot, final, turns, until, within
from .model import FakeLLM
from .voices import WORD, WordVoice

PLAN = "Good morning, Ada. Your table is free."


def items(call: CallMemory) -> list[tuple[str, str, bool]]:
    return [(item.role, item.text, item.interrupted) for item in call.course.history()]


def spoken_turns() -> LLMUserAggregatorParams:
    """Turns that voice or a transcript opens and silence closes, as on a telephone."""
    strategies = UserTurnStrategies(
        start=[VADUserTurnStartStrategy(), TranscriptionUserTurnStartStrategy()],
        stop=[SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.02)],
    )
    return LLMUserAggregatorParams(user_turn_strategies=strategies, user_turn_stop_timeout=0.05)


async def test_a_final_behind_the_interruption_that_its_own_interim_caused() -> None:
    """pipecat#5683: flushed by its own turn's interruption."""
    clock = ManualClock()
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True), clock=clock)
    call = memory.call(ANA, call_id="flushed")
    out = Out(2 * WORD)
    async with bot(
        call, answers=[PLAN, "Cancelled."], voice=WordVoice(), out=out, user=spoken_turns()
    ) as rig:
        await rig.push(VADUserStartedSpeakingFrame(start_secs=0.0))
        await rig.hears("Hello")
        await rig.push(VADUserStoppedSpeakingFrame(stop_secs=0.0))
        await within(out.stalled.wait())
        await clock.advance(4.0)
        rig.llm.answered.clear()
        await rig.push(
            InterimTranscriptionFrame("cancel", "caller", "", None), final("cancel the Tuesday one")
        )
        out.limit = None
        out.go_on.set()
        await within(rig.llm.answered.wait())
        await rig.spoken()
    assert [i[1] for i in items(call) if i[0] == "user"] == ["Hello", "cancel the Tuesday one"]
    await memory.close()


@pytest.mark.parametrize("closing", ["an empty final", "the turn's end", "the hang-up"])
async def test_words_that_came_as_interim_only_are_kept_and_marked(make_call: MakeCall, closing: str) -> None:
    """pipecat#455: lost, or taken for sure."""
    call = make_call()
    soon = LLMUserAggregatorParams(user_turn_strategies=turns(), user_turn_stop_timeout=0.02)
    async with bot(call, answers=["Sorry?"], user=soon) as rig:
        await rig.starts()
        await rig.push(InterimTranscriptionFrame("my name is Wren", "caller", "", None))
        await until(lambda: call.course.ledger.counters["partials"] == 1)
        if closing == "an empty final":
            await rig.hears("")
        if closing != "the hang-up":
            await rig.stops()
            await until(lambda: bool(call.course.history()))
        await rig.worker.cancel()
        await within(rig.running)
    first = call.course.history()[0]
    assert (first.text, first.promoted, first.trust) == ("my name is Wren", True, "low")
    assert [slot["confidence"] for slot in call.state["slots"].values()] == ["pending"]


async def test_going_on_while_the_answer_is_made_is_one_story_told_once(memory: Memory) -> None:
    """pipecat#2128: two answers, and facts stored twice."""
    call = memory.call(ANA, call_id="going on")
    async with bot(call, answers=["We open", "On Sunday at ten."], voice=WordVoice()) as rig:
        await rig.says("I'm allergic to walnuts, what are your hours")
        await rig.says("on Sunday, and I'm allergic to walnuts")
        await rig.spoken()
        await rig.ends()
    await until(lambda: not memory.busy)
    said = [i[1] for i in items(call) if i[0] == "user"]
    assert (
        " ".join(said)
        == "I'm allergic to walnuts, what are your hours on Sunday, and I'm allergic to walnuts"
    )
    assert [(fact["value"], fact["status"]) for fact in await memory.profile(ANA)] == [("walnuts", "current")]


async def test_a_transcript_that_comes_after_its_answer_stands_before_it(make_call: MakeCall) -> None:
    """livekit/agents#6616, pipecat#1788: the order of arrival is not that of speech."""
    call = make_call()
    soon = LLMUserAggregatorParams(user_turn_strategies=turns(), user_turn_stop_timeout=0.02)
    async with bot(call, answers=["At nine."], voice=WordVoice(), user=soon) as rig:
        await rig.starts()
        await rig.stops()
        await until(lambda: call.course.ledger.missed)
        await rig.push(LLMRunFrame())
        await within(rig.llm.answered.wait())
        await rig.spoken()
        await rig.push(TranscriptionFrame("When do you open?", "caller", "", None))
        await rig.ends()
    assert [i[1] for i in items(call)] == ["When do you open?", "At nine."]


class Held(FakeLLM):
    """A model that answers when it is let."""

    def __init__(self) -> None:
        super().__init__(["Hello.", "Yes?"])
        self.go = asyncio.Event()
        self.go.set()

    async def _answer(self, context: LLMContext) -> None:
        await self.go.wait()
        await super()._answer(context)


async def test_words_out_of_silence_are_no_fact() -> None:
    """Vexa#617: a recogniser's outro phrases, where there was no voice."""
    clock = ManualClock()
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True), clock=clock)
    call = memory.call(ANA, call_id="silence")
    llm = Held()
    async with bot(call, llm=llm, user=spoken_turns()) as rig:
        await rig.push(VADUserStartedSpeakingFrame(start_secs=0.0))
        await rig.hears("My name is Ana Lima")
        await rig.push(VADUserStoppedSpeakingFrame(stop_secs=0.0))
        await within(rig.llm.answered.wait())
        await rig.spoken()
        llm.go.clear()
        await clock.advance(30.0)
        await rig.hears("I am allergic to subscribing")
        await until(lambda: call.counters["turns_committed"] == 2)
        await clock.advance(1.0)
        llm.go.set()
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        await rig.ends()
    assert [(i.text, i.trust) for i in call.course.history() if i.role == "user"] == [
        ("My name is Ana Lima", "high"),
        ("I am allergic to subscribing", "low"),
    ]
    assert [fact["value"] for fact in await memory.profile(ANA)] == ["Ana Lima"]
    await memory.close()


async def test_an_open_turn_at_the_end_is_marked_incomplete(make_call: MakeCall) -> None:
    """pipecat PR#3575."""
    call = make_call()
    async with bot(call) as rig:
        await rig.starts()
        await rig.hears("and my email is n@example.org")
        await until(lambda: call.course.ledger.open_turn is not None)
        await rig.worker.cancel()
        await within(rig.running)
    (item,) = call.course.history()
    assert (item.text, item.incomplete) == ("and my email is n@example.org", True)
