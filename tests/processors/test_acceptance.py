"""What every rival fails at least in part: one whole pipeline a claim, nothing faked but the services."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregatorParams
from pipecat.utils.context.llm_context_summarization import (
    LLMAutoContextSummarizationConfig,
    LLMContextSummaryConfig,
)

from pipecat_memory.call import CallMemory
from pipecat_memory.config import Settings
from pipecat_memory.memory import Memory
from pipecat_memory.testing.redis_process import RedisProcess

from .conftest import ANA
from .kit import bot, until
from .model import FakeLLM
from .voices import WordVoice

STRICT = Settings(strict=True)


async def settled(memory: Memory) -> None:
    """Let all background work end."""
    await until(lambda: not memory.busy)


def recalled(call: CallMemory) -> str:
    """The recall lines of the briefing that the last reply was given."""
    return "\n".join(line.text for line in call.briefing().lines if line.part == "recall")


async def test_a_backend_that_hangs_costs_its_bound_and_is_counted(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path).start()
    memory = await Memory.open(
        server.url, embedder=None, settings=Settings(strict=True, preload_wait=0.05, store_timeout=20.0)
    )
    call = memory.call(ANA, call_id="hanging")
    server.freeze()
    try:
        async with bot(call, answers=["Yes.", "Fine."]) as rig:
            await rig.says("My name is Ana Lima.")
            await rig.says("A table for four.")
            # Both replies came while nothing answers at all; the wait was paid once.
            assert (len(rig.llm.prompts), call.counters["preload_late"]) == (2, 2)
            assert "name = Ana Lima" in str(rig.llm.prompts[-1])
            server.thaw()
            await rig.spoken()
        await settled(memory)
        assert [fact["value"] for fact in await memory.profile(ANA)] == ["Ana Lima"]
    finally:
        server.thaw()
        await memory.close()
        server.stop()


class Summing(FakeLLM):
    """A model that also writes Pipecat's own summaries."""

    async def run_inference(self, context: LLMContext, *args: Any, **kwargs: Any) -> str | None:
        return "The caller is Ana Lima, allergic to walnuts; she wants a table."


async def test_each_fact_is_written_once_though_pipecat_summarises_mid_call(memory: Memory) -> None:
    call = memory.call(ANA, call_id="summed")
    summarises = LLMAssistantAggregatorParams(
        enable_auto_context_summarization=True,
        auto_context_summarization_config=LLMAutoContextSummarizationConfig(
            max_unsummarized_messages=4, summary_config=LLMContextSummaryConfig(min_messages_after_summary=2)
        ),
    )
    llm = Summing([f"Answer {i}." for i in range(6)])
    async with bot(call, llm=llm, assistant=summarises) as rig:
        await rig.says("My name is Ana Lima and I'm allergic to walnuts.")
        await rig.spoken()
        for i in range(4):
            await rig.says(f"Is table {i} free?")
            await rig.spoken()
        await until(lambda: "Conversation summary" in str(rig.context.messages))
        await rig.says("My email is ana@example.org.")
        await rig.spoken()
        stored = str(rig.context.messages)
    await settled(memory)
    assert "walnuts; she wants" in stored
    assert "<memory" not in stored
    assert call.counters["turns_committed"] == 6
    facts = [(fact["key"], fact["value"], fact["seen"]) for fact in await memory.profile(ANA)]
    assert sorted(key for key, _, _ in facts) == sorted({key for key, _, _ in facts})
    assert {value for _, value, _ in facts} == {"Ana Lima", "walnuts", "ana@example.org"}
    assert {seen for _, _, seen in facts} == {1}


class Topics:
    """An embedder of two topics, which can be made to hang."""

    name = "topics"

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()

    async def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        await self.open.wait()
        rows = [[1.0, 0.0] if "piano" in text or "music" in text else [0.0, 1.0] for text in texts]
        return np.asarray(rows, dtype=np.float32)


async def test_a_new_topic_is_told_nothing_that_was_fetched_for_the_last_one() -> None:
    topics = Topics()
    memory = await Memory.open("memory://", embedder=topics, settings=STRICT)
    first = memory.call(ANA, call_id="before")
    async with bot(first, answers=["Noted.", "Noted."]) as rig:
        await rig.says("The piano was tuned by somebody from Leeds.")
        await rig.says("A letter of the tax office got lost in April.")
        await rig.spoken()
    await settled(memory)
    call = memory.call(ANA, call_id="now")
    async with bot(call, answers=["By somebody.", "In April."]) as rig:
        await settled(memory)
        await rig.says("What about my music?")
        assert "Leeds" in recalled(call)
        topics.open.clear()
        await rig.says("Which letter of the tax office got lost?")
        assert "April" in recalled(call)
        assert "Leeds" not in recalled(call)
        assert "Leeds" not in rig.llm.prompts[-1][-2]["content"]  # the block right before the words
        topics.open.set()
        await rig.spoken()
    assert call.counters["vector_late"] == 1
    await memory.close()


async def test_the_block_is_never_stored_whatever_the_model_repeats_of_it(memory: Memory) -> None:
    first = memory.call(ANA, call_id="before")
    async with bot(first, answers=["Noted."]) as rig:
        await rig.says("My name is Ana Lima and I'm allergic to walnuts.")
        await rig.spoken()
    await settled(memory)
    call = memory.call(ANA, call_id="echo")

    def echo(prompt: list[dict[str, Any]]) -> str:
        return "".join(m["content"] for m in prompt if "<memory" in m["content"]) + " Here you are."

    async with bot(call, answers=[echo, echo], voice=WordVoice(), full=True) as rig:
        await settled(memory)
        for text in ("What do you know of me?", "Say that again."):
            await rig.says(text)
            await rig.spoken()
        assert "walnuts" in str(rig.llm.prompts[-1])
        stored = str(rig.context.messages)
    await settled(memory)
    export = json.dumps(await memory.export(ANA))
    for text in (stored, export):
        assert "<memory" not in text
        assert "did not say this now" not in text
    facts = [(fact["value"], fact["seen"], fact["source"]["call"]) for fact in await memory.profile(ANA)]
    assert sorted(facts, key=str) == [("Ana Lima", 1, "before"), ("walnuts", 1, "before")]


async def test_the_first_turn_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def refuse(*args: object) -> None:
        tried.append(args[1:])
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    # Whether the vector is in time is another test's; here it may take as long as a busy machine needs.
    memory = await Memory.open(url, embedder="auto", settings=replace(STRICT, recall_wait=5.0))
    first = memory.call(ANA, call_id="before")
    async with bot(first, answers=["Noted."]) as rig:
        await rig.says("We always park our electric car behind the bakery.")
        await rig.spoken()
    await settled(memory)
    call = memory.call(ANA, call_id="now")
    async with bot(call, answers=["Behind the bakery."]) as rig:
        await settled(memory)
        await rig.says("Where does my vehicle stand?")
        await rig.spoken()
        assert "bakery" in recalled(call)
        assert "bakery" in str(rig.llm.prompts[0])
    await settled(memory)
    await memory.close()
    assert tried == []
