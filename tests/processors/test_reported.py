"""What people who build voice agents report, each through a whole pipeline, with the issue it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMRunFrame,
    TranscriptionFrame,
    TTSTextFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import FunctionCallParams
from pipecat.turns.user_start import TranscriptionUserTurnStartStrategy, VADUserTurnStartStrategy
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from pipecat_memory.call import CallMemory
from pipecat_memory.config import Settings
from pipecat_memory.memory import Memory
from pipecat_memory.testing import ManualClock

from .conftest import ANA, MakeCall
from .kit import Call, FakeLLM, Out, bot, final, turns, until, within
from .voices import WORD, SentenceVoice, Voice, WordVoice

PLAN = "Good morning, Ada. Your table is free."


def items(call: CallMemory) -> list[tuple[str, str, bool]]:
    return [(item.role, item.text, item.interrupted) for item in call.course.history()]


class Reordering(Out):
    """A way out on which words and the marks of a reply overtake each other."""

    def __init__(self, held: type[Frame], until_kind: type[Frame], first: int) -> None:
        super().__init__()
        self._held, self._until, self._first = held, until_kind, first
        self._waiting: list[tuple[Frame, FrameDirection]] = []
        self._through = False

    async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        if isinstance(frame, self._held) and not self._through:
            if self._first <= 0:
                self._waiting.append((frame, direction))
                return
            self._first -= 1
        await super().push_frame(frame, direction)
        if isinstance(frame, self._until):
            self._through = True
            for late, way in self._waiting:
                await super().push_frame(late, way)
            self._waiting.clear()


@pytest.mark.parametrize(
    "out",
    [
        lambda: Reordering(LLMFullResponseStartFrame, TTSTextFrame, 0),
        lambda: Reordering(TTSTextFrame, LLMFullResponseEndFrame, 2),
    ],
    ids=["a word before its reply's start", "words behind its end"],
)
async def test_words_are_their_replys_whatever_overtakes_them(
    make_call: MakeCall, out: Callable[[], Out]
) -> None:
    """pipecat#3627, #4111: dropped, or found in the next reply."""
    call = make_call()
    async with bot(call, answers=[PLAN, "Good bye."], voice=WordVoice(), out=out(), full=True) as rig:
        await rig.says("Hello")
        await rig.spoken()
        await rig.says("Thanks")
        await rig.spoken()
    assert [i[1] for i in items(call)] == ["Hello", PLAN, "Thanks", "Good bye."]


@pytest.mark.parametrize("make_voice", [WordVoice, SentenceVoice])
async def test_what_is_respelled_for_the_voice_is_kept_as_written(
    make_call: MakeCall, make_voice: Callable[[], Voice]
) -> None:
    """pipecat#4968: "A7" is stored as "ay seven"."""
    call = make_call()

    async def respelled(text: str, _: Any) -> str:
        return text.replace("A7", "ay seven")

    voice = make_voice()
    voice.add_text_transformer(respelled)
    async with bot(call, answers=["Your code is A7 today."], voice=voice, full=True) as rig:
        await rig.says("My code please")
        await rig.spoken()
    assert items(call)[1:] == [("assistant", "Your code is A7 today.", False)]


async def test_a_reply_is_cut_once_however_often_the_caller_cuts_in(make_call: MakeCall) -> None:
    """livekit/agents#2094: the cut reply is committed twice."""
    call = make_call()
    out = Out(3 * WORD)
    async with bot(call, answers=[PLAN], voice=WordVoice(), out=out, full=True) as rig:
        await rig.says("Hello")
        await within(out.stalled.wait())
        await until(lambda: len(out.texts) == len(PLAN.split()))
        await rig.interrupts()
        await rig.stops()
        await rig.starts()
        await rig.stops()
        await rig.spoken()
    ((_, text, cut),) = items(call)[1:]
    assert (text.startswith("Good morning,"), PLAN.startswith(text), cut) == (True, True, True)


async def look_up(params: FunctionCallParams) -> None:
    """Look up the bill.

    Args:
        params: given by the framework.
    """
    await params.result_callback({"due": "12 euros"})


async def test_the_part_of_an_answer_that_was_never_played_was_never_told(make_call: MakeCall) -> None:
    """livekit/agents#6424, #3760: what a tool did is known, what was said of it as far as it was heard."""
    call = make_call()
    out = Out(2 * WORD)
    answers = [Call("look_up"), "Let me see what you have to pay: 12 euros.", "Go on."]
    tools = ToolsSchema(standard_tools=[look_up])
    async with bot(call, answers=answers, voice=WordVoice(), out=out, full=True, tools=tools) as rig:
        rig.llm.answered.clear()
        await rig.says("What do I owe?")
        await within(out.stalled.wait())
        await rig.interrupts()
        await rig.hears("wait")
        await rig.stops()
        await until(lambda: len(rig.llm.prompts) == 3)
        await rig.spoken()
        told = str([m for m in rig.llm.prompts[2] if m["role"] in ("assistant", "user")])
    role, heard, cut = items(call)[1]
    assert (role, cut) == ("assistant", True)
    assert "Let me see".startswith(heard)
    assert f'heard only: "{heard}"' in told
    assert "pay" not in told
    tool = call.course.ledger.tools[0]
    assert (tool.status, tool.result) == ("ok", {"due": "12 euros"})


async def test_a_tool_that_the_caller_cuts_off_has_an_end(make_call: MakeCall) -> None:
    """pipecat#5779: it stays "in progress" for the rest of the call."""
    call = make_call()
    begun = asyncio.Event()

    async def weather(params: FunctionCallParams) -> None:
        """Look at the sky.

        Args:
            params: given by the framework.
        """
        begun.set()
        await asyncio.Event().wait()

    tools = ToolsSchema(standard_tools=[weather])
    async with bot(call, answers=[Call("weather"), "As you like."], voice=WordVoice(), tools=tools) as rig:
        await rig.starts()
        await rig.hears("How is the weather?")
        await rig.stops()
        await within(begun.wait())
        await rig.says("Never mind")
        await rig.spoken()
        await rig.ends()
    assert [tool.status for tool in call.course.ledger.tools] == ["cancelled"]
    assert [i[1] for i in items(call)] == ["How is the weather?", "Never mind", "As you like."]


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


async def test_a_reply_under_way_while_the_last_one_is_cut_is_heard_from_its_own_beginning(
    make_call: MakeCall,
) -> None:
    """What was made of the cut reply and thrown away is no part of the way to the next one's words."""
    call = make_call()
    long = " ".join(["and then"] * 40)
    out = Out(4 * WORD)
    async with bot(call, answers=[long, "It is free."], voice=WordVoice(), out=out, full=True) as rig:
        await rig.says("Is a table free?")
        await within(out.stalled.wait())
        rig.llm.answered.clear()
        await rig.starts()
        await rig.hears("only for today")
        await rig.stops()
        await within(rig.llm.answered.wait())
        out.limit = None
        out.go_on.set()
        await until(lambda: ("assistant", "It is free.", False) in items(call))
        await rig.spoken()
    assert [(role, cut) for role, _, cut in items(call)] == [
        ("user", False),
        ("assistant", True),
        ("user", False),
        ("assistant", False),
    ]
