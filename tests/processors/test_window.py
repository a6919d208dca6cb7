"""The window: what the model still gets of a long conversation, and what stands for the rest."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from loguru import logger
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregatorParams

from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.config import Settings
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.memory import Memory

from .conftest import ANA
from .kit import bot, until


async def test_the_window_drops_old_turns_and_no_instruction() -> None:
    settings = Settings(strict=True, window="last_n", window_turns=2)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id="window")
    head = [{"role": "developer", "content": "Be brief."}]
    async with bot(call, answers=[f"a{i}." for i in range(5)], messages=head) as rig:
        for i in range(5):
            await rig.says(f"This is turn {i}.")
            await rig.spoken()
        prompt, stored = rig.llm.prompts[-1], list(rig.context.messages)
    said = [m["content"] for m in prompt if "<memory" not in m["content"]]
    assert said == ["Be brief.", "This is turn 3.", "a3.", "This is turn 4."]
    assert len(stored) == 11
    await memory.close()


@pytest.mark.parametrize("mode", ["hybrid", "summary"])
async def test_a_turn_leaves_only_once_a_summary_stands_for_it(mode: Literal["hybrid", "summary"]) -> None:
    settings = Settings(strict=True, window=mode, window_turns=2)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id=mode)
    async with bot(call, answers=[f"a{i}." for i in range(6)]) as rig:
        for i in range(6):
            await rig.says(f"The parcel number {i} came to my door broken.")
            await rig.spoken()
        prompts, stored = rig.llm.prompts, list(rig.context.messages)
    assert len(stored) == 12
    for turn, prompt in enumerate(prompts):
        assert all(m["role"] == "user" for m in prompt if "<memory" in m["content"])
        # What left stands in the summary: nothing is told by neither.
        everything = "".join(m["content"] for m in prompt)
        assert all(f"number {i} " in everything for i in range(turn + 1))
    assert len([m for m in prompts[-1] if "<memory" not in m["content"]]) < 11
    await memory.close()


async def test_two_windows_on_one_context_are_refused_clearly() -> None:
    lines: list[str] = []
    sink = logger.add(lambda message: lines.append(str(message)), level="ERROR")
    memory = await Memory.open("memory://", embedder=None, settings=Settings(window="hybrid"))
    call = memory.call(ANA, call_id="both")
    both = LLMAssistantAggregatorParams(enable_auto_context_summarization=True)
    async with bot(call, answers=["Yes."], assistant=both) as rig:
        await rig.says("I am Ana, a table for four please.")
        await rig.spoken()
    logger.remove(sink)
    assert len([line for line in lines if "switch one of them off" in line]) == 1
    assert "enable_auto_context_summarization" in lines[0]
    assert call.counters["turns_committed"] == 1
    await memory.close()


class Compressing:
    """A model that is asked to sum up, and counts how often."""

    name = "compressing"

    def __init__(self, *, away: bool) -> None:
        self.asked = 0
        self._away = away

    async def answer(self, request: ModelRequest) -> ModelReply:
        if request.purpose == "compress":
            self.asked += 1
        if self._away:
            raise ModelUnavailable("away")
        return ModelReply(text=json.dumps({"text": "A parcel came.", "facts": []}))


@pytest.mark.parametrize("away", [False, True], ids=["answers", "away"])
@pytest.mark.parametrize("turns", [3, 9])
async def test_instructions_longer_than_any_limit_are_kept_and_asked_about_never(
    turns: int, away: bool
) -> None:
    """pipecat-ai/docs PR#1190: compacted at every turn, to no effect. Ours counts turns, not the prompt."""
    model = Compressing(away=away)
    settings = Settings(strict=True, window="hybrid", window_turns=4)
    memory = await Memory.open("memory://", embedder=None, model=model, settings=settings)
    call = memory.call(ANA, call_id="long prompt")
    prompt = {"role": "developer", "content": "Be brief. " * 10_000}
    async with bot(call, answers=["Yes."] * turns, messages=[prompt]) as rig:
        for number in range(turns):
            await rig.says(f"The parcel number {number} came to my door broken.")
            await rig.spoken()
        assert all(each[0] == prompt for each in rig.llm.prompts)
        await until(lambda: not memory.busy)
    # Two turns leave at once, so nine turns ask twice, whether or not that helped.
    assert model.asked == {3: 0, 9: 2}[turns]
    await memory.close()
