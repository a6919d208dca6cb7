"""A store or an embedder that hangs costs a reply its bound, is counted, and is never used late."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pipecat_memory import Caller, Memory, Settings
from pipecat_memory.bench.caller import NUMBER, seed, sentence
from pipecat_memory.clients.base import Vectors
from pipecat_memory.stores.base import Doc

from .kit import bot

ABOUT = sentence(17)


class Hanging:
    """An embedder that answers until it is stopped, and then never."""

    name = "hanging"

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.answers.set()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await self.answers.wait()
        return np.full((len(texts), 4), 0.5, dtype=np.float32)


async def test_a_hanging_store_is_waited_for_once_and_the_call_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True, preload_wait=0.05))
    await seed(memory, 40, NUMBER)
    store = memory.archive.vault.store
    answers = asyncio.Event()
    load = store.load

    async def hang(*args: Any, **more: Any) -> list[Doc]:
        await answers.wait()
        return await load(*args, **more)

    monkeypatch.setattr(store, "load", hang)
    call = memory.call(Caller.phone(NUMBER, how="verified"), call_id="hang")
    async with bot(call, answers=["Let me see.", "In box 17."]) as rig:
        await rig.says(ABOUT)
        assert not answers.is_set()  # the reply came, the store did not
        late = call.counters["preload_late"]
        await rig.says("are you still there")
        assert call.counters["preload_late"] == late  # one wait a call
        answers.set()
        prompts = rig.llm.prompts
    assert len(prompts) == 2
    assert all("box 17" not in m["content"] for m in prompts[0] if "<memory" in m["content"])
    assert late == 2  # the set-up's look without a wait, and the first reply's
    await memory.close()


async def test_a_hanging_embedder_leaves_recall_by_words() -> None:
    embedder = Hanging()
    memory = await Memory.open("memory://", embedder=embedder, settings=Settings(strict=True))
    await seed(memory, 40, NUMBER)
    call = memory.call(Caller.phone(NUMBER, how="verified"), call_id="hang")
    await call.preload()
    assert call.arrival.indexing is not None
    await asyncio.wait({call.arrival.indexing})
    embedder.answers.clear()
    async with bot(call, answers=["In box 17.", "Anything else?"]) as rig:
        await rig.says(ABOUT)
        assert not embedder.answers.is_set()
        assert call.counters["vector_late"] == 1
        told = list(call.stay.briefings)
        embedder.answers.set()
        await rig.says("thank you very much")
        prompts = rig.llm.prompts
    assert ABOUT in told[0]
    assert call.stay.briefings[0] == told[0]
    assert any(ABOUT in m["content"] for m in prompts[0] if "<memory" in m["content"])
    await memory.close()
