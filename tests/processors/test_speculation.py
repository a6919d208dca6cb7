"""An early guess that the turn is over: confirmed, changed or withdrawn, with a memory that is slow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pipecat.frames.frames import EagerEndOfTurnCancelFrame, EagerTranscriptionFrame
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_turn_strategies import EagerUserTurnStrategies

from pipecat_memory.call import CallMemory
from pipecat_memory.config import Settings
from pipecat_memory.memory import Memory

from .conftest import ANA
from .kit import Rig, bot, until, within
from .voices import WordVoice


class Gate:
    """An embedder that answers when it is let."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def __call__(self, texts: list[str]) -> list[list[float]]:
        await self.open.wait()
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture
async def gate() -> Gate:
    return Gate()


@pytest.fixture
async def call(gate: Gate) -> AsyncIterator[CallMemory]:
    settings = Settings(strict=True, recall_wait=4.0)
    memory = await Memory.open("memory://", embedder=gate, settings=settings)
    yield memory.call(ANA, call_id="eager")
    gate.open.set()
    await memory.close()


def eager() -> LLMUserAggregatorParams:
    return LLMUserAggregatorParams(user_turn_strategies=EagerUserTurnStrategies())


async def guess(rig: Rig, text: str) -> None:
    await rig.starts()
    await rig.push(EagerTranscriptionFrame(text, "caller", "", None))


def said(call: CallMemory) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in call.course.history()]


async def test_a_confirmed_guess_is_answered_once_and_told_too(call: CallMemory, gate: Gate) -> None:
    gate.open.set()
    async with bot(call, answers=["Which day?", "never"], voice=WordVoice(), user=eager()) as rig:
        await guess(rig, "my name is Ana book a table")
        await within(rig.llm.answered.wait())
        assert rig.out.texts == []
        assert said(call) == []
        await rig.hears("My name is Ana, book a table.")
        await rig.stops()
        await until(lambda: len(rig.out.texts) == 2)
        await rig.spoken()
        prompts = rig.llm.prompts
    assert len(prompts) == 1
    assert "<memory" in prompts[0][-2]["content"]
    assert "Ana" in prompts[0][-2]["content"]
    assert said(call) == [("user", "My name is Ana, book a table."), ("assistant", "Which day?")]


async def test_a_changed_guess_leaves_nothing(call: CallMemory, gate: Gate) -> None:
    gate.open.set()
    async with bot(call, answers=["Cancelled.", "How many?"], voice=WordVoice(), user=eager()) as rig:
        await guess(rig, "cancel my account")
        await within(rig.llm.answered.wait())
        await rig.hears("Book a table.")
        await rig.stops()
        await until(lambda: len(rig.out.texts) == 2)
        await rig.spoken()
    assert said(call) == [("user", "Book a table."), ("assistant", "How many?")]
    assert rig.out.texts == ["How", "many?"]


async def test_a_guess_withdrawn_while_memory_waits_is_never_answered(call: CallMemory, gate: Gate) -> None:
    async with bot(call, answers=["Who?"], voice=WordVoice(), user=eager()) as rig:
        await guess(rig, "cancel my account")
        await until(lambda: call.reader.prefetch.counters["wanted"] > 0)
        await rig.push(EagerEndOfTurnCancelFrame())
        await until(lambda: any(isinstance(f, EagerEndOfTurnCancelFrame) for f in rig.tail.down))
        gate.open.set()
        await rig.hears("No, wait, who are you?")
        await rig.stops()
        await until(lambda: len(rig.out.texts) == 1)
        await rig.spoken()
        prompts = rig.llm.prompts
    assert len(prompts) == 1
    assert "cancel my account" not in str(prompts)
    assert said(call) == [("user", "No, wait, who are you?"), ("assistant", "Who?")]
    assert "cancel my account" not in str(call.stay.briefings)


async def test_a_slow_embedder_delays_by_its_bound_and_is_counted() -> None:
    gate = Gate()
    memory = await Memory.open("memory://", embedder=gate, settings=Settings(strict=True))
    call = memory.call(ANA, call_id="slow")
    async with bot(call, answers=["Yes."]) as rig:
        await rig.says("Is a table free?")
    assert call.counters["vector_late"] == 1
    assert said(call)[0] == ("user", "Is a table free?")
    gate.open.set()
    await memory.close()
