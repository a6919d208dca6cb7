"""The window is virtual: older turns leave the model's copy, never the history."""

from __future__ import annotations

from typing import Any

import pytest

from livekit_plugin import Memory, Settings

from .conftest import ANA
from .kit import FakeLLM, bot
from .test_prompts import blocks


async def test_the_window_is_virtual() -> None:
    settings = Settings(strict=True, window="last_n", window_turns=2)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id="window")
    async with bot(call, llm=FakeLLM()) as rig:
        for number in range(6):
            await rig.session.run(user_input=f"sentence {number}")
        said = [text for role, text in rig.llm.prompts[-1] if role == "user" and text.startswith("sentence")]
        assert "sentence 0" not in said
        assert said[-1] == "sentence 5"
        assert len(rig.items("user")) == 6
    await memory.close()


@pytest.mark.parametrize("mode", ["hybrid", "summary"])
async def test_a_turn_leaves_only_once_a_summary_stands_for_it(mode: Any) -> None:
    settings = Settings(strict=True, window=mode, window_turns=2)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id=mode)
    async with bot(call, answers=[f"a{i}." for i in range(6)]) as rig:
        for i in range(6):
            await rig.session.run(user_input=f"The parcel number {i} came to my door broken.")
            await call.memory.tasks.drain(memory.clock, 1.0)
        prompts = rig.llm.prompts
        assert len(rig.items("user")) == 6
    for turn, prompt in enumerate(prompts):
        assert all(role == "user" for role, text in prompt if "<memory" in text)
        # What left stands in the summary: nothing is told by neither.
        everything = "".join(text for _, text in prompt)
        assert all(f"number {i} " in everything for i in range(turn + 1))
    raw = [text for role, text in prompts[-1] if role == "user" and "<memory" not in text]
    assert len(raw) < 6
    order = [text.partition("\n")[0] for text in blocks(prompts[-1])]
    assert len(order) == 2
    assert 'kind="call"' in order[-1]
    await memory.close()
