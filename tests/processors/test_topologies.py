"""Pipelines of other shapes: several LLMs, a guard before the voice, a live panel."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import LLMContextFrame, LLMRunFrame
from pipecat.pipeline.llm_switcher import LLMSwitcher
from pipecat.pipeline.parallel_pipeline import ParallelPipeline
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.service_switcher import ServiceSwitcherStrategyManual
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.processors.frameworks.rtvi.frames import RTVIServerMessageFrame

from pipecat_memory import Caller
from pipecat_memory.events import UserTyped
from pipecat_memory.processors.neighbours import around
from pipecat_memory.processors.view import MemoryView

from .collector import Collector
from .conftest import MakeCall
from .kit import Out, bot, running, until
from .model import FakeLLM
from .voices import WordVoice


def brain(shape: str, one: FakeLLM, two: FakeLLM) -> FrameProcessor:
    if shape == "parallel":
        return ParallelPipeline([one], [two])
    if shape == "switcher":
        return LLMSwitcher(llms=[one, two], strategy_type=ServiceSwitcherStrategyManual)
    return Pipeline([Pipeline([one])])


@pytest.mark.parametrize("shape", ["parallel", "switcher", "nested"])
async def test_every_llm_that_follows_is_told(make_call: MakeCall, shape: str) -> None:
    call = make_call()
    one, two = FakeLLM(["Yes.", "Fine."]), FakeLLM([])
    async with bot(call, llm=one, brain=brain(shape, one, two)) as rig:
        await rig.says("I am Ana, a table for four please.")
        await rig.spoken()
        await rig.push(LLMRunFrame())
        await until(lambda: len(one.prompts) == 2 and (shape != "parallel" or len(two.prompts) == 2))
        stored = list(rig.context.messages)
    contexts = one.contexts + two.contexts
    assert len(contexts) == (4 if shape == "parallel" else 2)
    assert all(isinstance(context, MemoryView) for context in contexts)
    assert all(
        not isinstance(context.base, MemoryView) for context in contexts if isinstance(context, MemoryView)
    )
    assert "<memory" not in str(stored)


async def test_an_llm_of_other_code_tells_each_call_its_own_and_no_other(make_call: MakeCall) -> None:
    shared, other = FakeLLM(["One.", "Two.", "Three."]), LLMContext()
    ana, ben = make_call(), make_call(Caller.phone("+15551230002", how="verified"))
    async with (
        bot(ana, answers=["Noted."], told=shared) as hers,
        bot(ben, answers=["Noted."], told=shared) as his,
        running(Pipeline([shared]), other, hers.memory, llm=shared, out=Out(), tail=Collector()) as apart,
    ):
        ana.apply(UserTyped(t=ana.elapsed, text="My name is Ana Lima."))
        ben.apply(UserTyped(t=ben.elapsed, text="My name is Ben Stone."))
        for context in (his.context, hers.context, other):
            await apart.push(LLMContextFrame(context=context))
        await until(lambda: len(shared.prompts) == 3)
    told = [[name for name in ("Ana", "Ben") if name in str(prompt)] for prompt in shared.prompts]
    assert told == [["Ben"], ["Ana"], []]


def test_finds_its_neighbours_in_a_branch_and_not_in_the_next() -> None:
    me, mine, other, out = FrameProcessor(), FakeLLM(), FakeLLM(), Out()
    branch = ParallelPipeline([me, mine], [other])
    found = around(me, Pipeline([branch, out]))
    assert found.llms == [mine]
    assert found.output is out


def test_alone_it_has_no_neighbours() -> None:
    me = FrameProcessor()
    found = around(me, Pipeline([me]))
    assert (found.user, found.llms, found.output, found.assistant) == (None, [], None, None)


async def test_the_guard_cleans_what_is_spoken_and_what_is_history(make_call: MakeCall) -> None:
    call = make_call(schema={"version": 1, "slots": [{"name": "party_size", "type": "number"}]})
    answer = "<memory>party_size: 4</memory>[party_size: 4] Four of you, so party_size is four. Right?"
    async with bot(call, answers=[answer], voice=WordVoice(), full=True) as rig:
        await rig.says("A table for four.")
        await until(lambda: bool(rig.out.texts))
        await rig.spoken()
        counts = rig.memory.speech_guard().counts
        spoken = " ".join(rig.out.texts)
    assert spoken == "Four of you, so party size is four. Right?"
    assert call.course.history()[-1].text == spoken
    assert (counts.tags, counts.notes, counts.fields) == (1, 1, 1)
    assert "party_size" not in str(rig.context.messages)


async def test_a_live_panel_gets_ids_and_counts(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Yes."], rtvi=True) as rig:
        await until(lambda: any(isinstance(f, RTVIServerMessageFrame) for f in rig.tail.down))
        message = next(f for f in rig.tail.down if isinstance(f, RTVIServerMessageFrame))
    assert message.data["type"] == "memory-preloaded"
    assert message.data["call_id"] == call.id
