"""Our processors misplaced, doubled, left out: nothing heard twice or lost, and the log says what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from loguru import logger
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameProcessor

from pipecat_memory.call import CallMemory
from pipecat_memory.errors import UsedWrongly
from pipecat_memory.processors import MemoryProcessor

from .collector import Collector
from .conftest import MakeCall
from .kit import Out, bot, running, turns, until
from .model import FakeLLM
from .voices import WordVoice

SAID = [
    ("user", "My name is Ana Lima."),
    ("assistant", "Hello Ana, how are you?"),
    ("user", "A table for four."),
    ("assistant", "Four it is then."),
]


@dataclass
class Parts:
    """What a pipeline is made of."""

    user: FrameProcessor
    memory: MemoryProcessor
    llm: FakeLLM
    voice: WordVoice
    out: Out
    tail: Collector
    assistant: FrameProcessor


Order = Callable[[Parts], list[FrameProcessor]]


async def held(call: CallMemory, order: Order) -> FakeLLM:
    """Hold a conversation through a pipeline of that order, to its end."""
    context = LLMContext()
    user, assistant = LLMContextAggregatorPair(
        context, user_params=LLMUserAggregatorParams(user_turn_strategies=turns())
    )
    llm = FakeLLM([SAID[1][1], SAID[3][1]])
    parts = Parts(user, MemoryProcessor(call), llm, WordVoice(), Out(), Collector(), assistant)
    pipeline = Pipeline(order(parts))
    async with running(pipeline, context, parts.memory, llm=llm, out=parts.out, tail=parts.tail) as rig:
        for _, text in SAID[::2]:
            parts.out.silent.clear()
            await rig.says(text)
            await parts.out.silent.wait()
            await rig.spoken()
        await rig.ends()
    return llm


@pytest.fixture
def lines() -> list[str]:
    """What the log says from WARNING on."""
    got: list[str] = []
    logger.add(lambda message: got.append(str(message)), level="WARNING", format="{message}")
    return got


def guard_made_only(p: Parts) -> list[FrameProcessor]:
    p.memory.speech_guard()
    return [p.user, p.memory, p.llm, p.voice, p.out, p.tail, p.assistant]


def taps_made_only(p: Parts) -> list[FrameProcessor]:
    p.memory.playback(p.out)
    return [p.user, p.memory, p.llm, p.voice, p.out, p.tail, p.assistant]


def guard_behind_the_voice(p: Parts) -> list[FrameProcessor]:
    return [p.user, p.memory, p.llm, p.voice, p.memory.speech_guard(), p.out, p.tail, p.assistant]


def guard_before_the_llm(p: Parts) -> list[FrameProcessor]:
    return [p.user, p.memory, p.memory.speech_guard(), p.llm, p.voice, p.out, p.tail, p.assistant]


def one_tap_only(p: Parts) -> list[FrameProcessor]:
    first, *_ = p.memory.playback(p.out)
    return [p.user, p.memory, p.llm, p.voice, first, p.out, p.tail, p.assistant]


def taps_before_the_output(p: Parts) -> list[FrameProcessor]:
    first, _, last = p.memory.playback(p.out)
    return [p.user, p.memory, p.llm, p.voice, first, last, p.out, p.tail, p.assistant]


def before_the_user_aggregator(p: Parts) -> list[FrameProcessor]:
    return [p.memory, p.user, p.llm, p.voice, p.out, p.tail, p.assistant]


def assistant_before_the_output(p: Parts) -> list[FrameProcessor]:
    return [p.user, p.memory, p.llm, p.voice, p.tail, p.assistant, p.out]


def twice(p: Parts) -> list[FrameProcessor]:
    return [p.user, p.memory, MemoryProcessor(p.memory.call), p.llm, p.voice, p.out, p.tail, p.assistant]


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (guard_made_only, "speech_guard()"),
        (guard_behind_the_voice, "speech_guard()"),
        (guard_before_the_llm, "speech_guard()"),
        (taps_made_only, "playback()"),
        (one_tap_only, "playback()"),
        (taps_before_the_output, "playback()"),
        (before_the_user_aggregator, "before the user aggregator"),
        (assistant_before_the_output, "before the transport's output"),
        (twice, "held by another MemoryProcessor"),
    ],
)
async def test_a_wrong_place_is_named_and_nothing_is_lost_or_doubled(
    make_call: MakeCall, lines: list[str], order: Order, told: str
) -> None:
    call = make_call()
    llm = await held(call, order)
    assert [(item.role, item.text) for item in call.course.history()] == SAID
    assert [sum("<memory" in str(m) for m in prompt) for prompt in llm.prompts] == [1, 1]
    assert len([line for line in lines if told in line]) == 1


async def test_a_right_pipeline_is_not_complained_of(make_call: MakeCall, lines: list[str]) -> None:
    call = make_call()

    def order(p: Parts) -> list[FrameProcessor]:
        taps = p.memory.playback(p.out)
        return [p.user, p.memory, p.llm, p.memory.speech_guard(), p.voice, *taps, p.tail, p.assistant]

    await held(call, order)
    assert [(item.role, item.text) for item in call.course.history()] == SAID
    assert lines == []


async def test_behind_the_llm_the_caller_is_remembered_and_the_log_says_what_is_missing(
    make_call: MakeCall, lines: list[str]
) -> None:
    call = make_call()
    llm = await held(call, lambda p: [p.user, p.llm, p.voice, p.out, p.tail, p.memory, p.assistant])
    assert [item.text for item in call.course.history() if item.role == "user"] == [t for _, t in SAID[::2]]
    assert all("<memory" not in str(prompt) for prompt in llm.prompts)
    assert "put it before the LLM" in lines[0]


async def test_parts_without_their_memory_pass_all_and_say_so(make_call: MakeCall, lines: list[str]) -> None:
    call = make_call()

    def order(p: Parts) -> list[FrameProcessor]:
        taps = p.memory.playback(p.out)
        return [p.user, p.llm, p.memory.speech_guard(), p.voice, *taps, p.tail, p.assistant]

    llm = await held(call, order)
    assert len(llm.prompts) == 2
    assert call.course.history() == ()
    assert len(lines) == 3
    assert all("its MemoryProcessor is not in the pipeline" in line for line in lines)


@pytest.mark.parametrize("part", ["memory", "guard"])
async def test_a_processor_in_two_places_is_refused_at_once(make_call: MakeCall, part: str) -> None:
    memory = MemoryProcessor(make_call())
    one = memory if part == "memory" else memory.speech_guard()
    with pytest.raises(UsedWrongly, match="put it in once"):
        Pipeline([one, Collector(), one])


async def test_a_call_is_heard_by_one_pipeline_at_a_time_and_never_after_its_end(
    make_call: MakeCall, lines: list[str]
) -> None:
    call = make_call()
    async with bot(call, answers=["Hello Ana."]) as one, bot(call, answers=["Yes?"]) as other:
        await one.says("My name is Ana.")
        await one.spoken()
        await other.says("My name is Bob.")
        await until(lambda: len(other.context.messages) == 2)
        await one.ends()
        await other.ends()
    async with bot(call, answers=["Hm."]) as late:
        await late.says("And once more.")
        await late.ends()
    assert [item.text for item in call.course.history()] == ["My name is Ana.", "Hello Ana."]
    assert ["held by another" in lines[0], "is over" in lines[1], len(lines)] == [True, True, 2]
