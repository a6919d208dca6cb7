"""The query's vector: there for its own words only, and never waited for beyond the bound."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from pipecat_memory.clients.base import Vectors
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.reading.prefetch import Prefetch


class Gate:
    """An embedder that answers when it is let."""

    name = "gate"

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.asked: list[str] = []
        self.fails = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        await self.open.wait()
        if self.fails:
            raise ModelUnavailable("down")
        return np.full((len(texts), 2), len(texts[0]), dtype=np.float32)


async def test_a_hanging_embedder_costs_the_bound_and_is_counted() -> None:
    prefetch = Prefetch(Gate())
    assert not await prefetch.wait("where is my parcel", 0.0)
    assert prefetch.take("where is my parcel") is None
    assert prefetch.counters["late"] == 1
    prefetch.cancel()


async def test_the_words_are_the_key_whatever_their_dress() -> None:
    gate = Gate()
    gate.open.set()
    prefetch = Prefetch(gate)
    assert await prefetch.wait("Where is my parcel?", None)
    assert prefetch.take("where is  my parcel") is not None
    assert prefetch.take("where is my parcel now") is None
    prefetch.want("where is my PARCEL")
    assert gate.asked == ["Where is my parcel?"]


async def test_an_older_or_withdrawn_turn_is_dropped_for_the_newest() -> None:
    gate = Gate()
    prefetch = Prefetch(gate)
    prefetch.want("older words")
    prefetch.want("newest words")
    gate.open.set()
    assert await prefetch.wait("newest words", None)
    assert prefetch.take("older words") is None
    prefetch.want("withdrawn words")
    prefetch.cancel()
    assert prefetch.take("withdrawn words") is None


async def test_a_failing_embedder_is_counted_and_raises_nothing() -> None:
    gate = Gate()
    gate.fails = True
    gate.open.set()
    prefetch = Prefetch(gate)
    assert not await prefetch.wait("any words", None)
    assert prefetch.counters["failed"] == 1


def test_without_a_loop_nothing_is_started() -> None:
    prefetch = Prefetch(Gate())
    prefetch.want("any words")
    assert prefetch.counters["wanted"] == 0
