"""The peer's side of the comparison, where the peer is installed; ours over the same wire in any case."""

from __future__ import annotations

import pytest

from pipecat_memory.bench import peer_mem0
from pipecat_memory.bench.long_call import long_call
from pipecat_memory.bench.run import beside_peer
from pipecat_memory.bench.tokens import weigh
from pipecat_memory.config import Settings
from pipecat_memory.writing.prompting import fixed

needs_mem0 = pytest.mark.skipif(not peer_mem0.installed(), reason="mem0ai is not installed")


async def test_our_call_asks_for_every_turn_but_the_empty_ones_over_http() -> None:
    script = long_call()
    each = await peer_mem0._our_call(script, "per_turn")
    asked = [exchange for purpose, exchange in each if purpose == "extract"]
    assert 40 <= len(asked) < len(script.turns)
    assert all(fixed("extract") in exchange.prompt for exchange in asked)
    facts = sum(exchange.answer.count('"key"') for exchange in asked)
    assert facts == sum(len(said.facts) for said in script.turns), "no turn with a fact was skipped"
    assert [purpose for purpose, _ in each].count("summarise") == 1


async def test_a_window_asks_for_the_same_turns_in_few_requests() -> None:
    script = long_call()
    each = await peer_mem0._our_call(script, "window")
    asked = [exchange for purpose, exchange in each if purpose == "extract"]
    assert len(asked) <= 7
    facts = sum(exchange.answer.count('"key"') for exchange in asked)
    assert facts == sum(len(said.facts) for said in script.turns)


@needs_mem0
async def test_the_peer_beside_ours() -> None:
    found = await beside_peer(memories=20, turns=5, embedder=False, settings=Settings())
    assert (found["name"], found["version"]) == ("Mem0MemoryService", peer_mem0.version())
    assert found["turns"] == 5
    assert found["added_ms"]["p50"] > 0
    tokens = found["extraction_tokens"]
    assert found["calls"] == tokens["mem0"]["requests"] == 50
    for name, goal in (("per_turn", 10), ("window_8", 60)):
        assert tokens[name]["times_fewer"] >= goal


@needs_mem0
async def test_the_peer_remembers_and_is_heard_in_full() -> None:
    peer = peer_mem0.Mem0(memories=3, answer='{"memory": [{"id": "0", "text": "She has a boat"}]}')
    await peer.start()
    try:
        await peer.turn("I have a boat")
        await peer.turn("she has a boat you said")
    finally:
        await peer.stop()
    assert weigh(peer.exchanges, len)["requests"] == 2
    assert "I have a boat" in peer.exchanges[0].prompt
    assert any("She has a boat" in str(message) for message in peer.lane.told)
