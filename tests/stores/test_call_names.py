"""A call's id may be any text, also one that we name documents and jobs by: neither takes the other along."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from pipecat_memory import Caller, Memory, Settings
from pipecat_memory.clients.base import Vectors
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import PutDoc
from pipecat_memory.stores.box import FACT_VECTORS, NO_CALLS
from pipecat_memory.stores.caller_file import CallerFile
from pipecat_memory.stores.contents import Loaded, VectorSet

from ..kit import NUMBER, ended, opened, rest, say, verified

NAMES = [
    *("main", "facts", "expire", "settle", "settle/main", "segment", "moved", "call", *NO_CALLS),
    *("\0main", "%6Dain", "%main", "call:main", "main ", " ", "Main", "main/main", "m\u0430in", "\ud800main"),
]
ACCOUNT = Caller("customer-7", how="verified")
DAYS = 30
_numbers = count()


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, float(len(text)), float(text.count("o"))] for text in texts]


async def file_of(memory: Memory, caller: str = NUMBER) -> CallerFile:
    file = await memory.archive.file(Scope("default", caller, ""), create=False)
    assert file is not None
    return file


async def of_caller(memory: Memory) -> tuple[list[Any], Loaded]:
    """The caller's facts, and what recall searches, where the vectors of facts must be."""
    memories = await (await file_of(memory)).memories()
    assert memories.fact_vectors is not None
    return [fact["value"] for fact in await memory.profile(verified())], memories


@pytest.mark.parametrize("name", NAMES)
async def test_a_call_of_that_name_lives_moves_and_goes_by_itself(url: str, name: str) -> None:
    async with opened(url, embedder=embed, settings=Settings(strict=True, retention_days=DAYS)) as (
        memory,
        clock,
    ):
        first = memory.call(verified(), call_id="first")
        await say(first, clock, "my name is Wren Okafor")
        await ended(first, clock)
        await rest(memory, clock)
        before, memories = await of_caller(memory)
        assert before == ["Wren Okafor"]

        kept = memory.call(verified(), call_id=name)
        name = kept.id  # as it can be kept at all
        await kept.preload()
        await say(kept, clock, "I'm allergic to walnuts")
        await say(kept, clock, "I live in Rome")
        kept.forget_last()
        await ended(kept, clock)
        await rest(memory, clock)
        export = await memory.export(verified())
        assert [call["call"] for call in export["calls"]] == ["first", name]
        assert [item["text"] for item in export["calls"][1]["history"]] == ["I'm allergic to walnuts"]
        facts, memories = await of_caller(memory)
        assert facts == ["Wren Okafor", "walnuts"]
        assert [row.text for row in memories.episodes[name]] == ["I'm allergic to walnuts"]
        assert not memories.vectors[name].of_facts

        await (await file_of(memory)).drop(name)
        assert [call["call"] for call in (await memory.export(verified()))["calls"]] == ["first"]
        facts, memories = await of_caller(memory)
        assert facts == ["Wren Okafor", "walnuts"]  # the profile goes by claims, which a drop leaves
        assert memories.episodes.keys() == memories.vectors.keys() == {"first"}

        moved = memory.call(Caller.phone(NUMBER), call_id=name)
        await say(moved, clock, "a table for five please")
        await moved.identify(ACCOUNT)
        await say(moved, clock, "I live in Oslo")
        await ended(moved, clock)
        await rest(memory, clock)
        assert (await of_caller(memory))[0] == ["Wren Okafor", "walnuts"]
        assert [call["call"] for call in (await memory.export(verified()))["calls"]] == ["first"]
        assert [call["call"] for call in (await memory.export(ACCOUNT))["calls"]] == [name]
        assert await memory.reprocess() == {"settled": 0, "held": 0, "parked": 0}

        receipt = await memory.forget(ACCOUNT)
        assert receipt["erased"]
        assert await memory.export(ACCOUNT) == {"calls": [], "profiles": {}}
        assert (await of_caller(memory))[0] == ["Wren Okafor", "walnuts"]


@pytest.mark.parametrize("name", ["main", "facts", "expire"])
async def test_retention_takes_the_call_and_looks_again(url: str, name: str) -> None:
    async with opened(url, settings=Settings(strict=True, retention_days=DAYS)) as (memory, clock):
        for id, words in ((name, "my name is Wren Okafor"), ("second", "I'm allergic to walnuts")):
            call = memory.call(verified(), call_id=id)
            await say(call, clock, words)
            await ended(call, clock)
            await clock.advance(20 * 86_400.0)
        file = await file_of(memory)
        job = file.box.job("expire", "expire", id="expire")
        assert await memory.archive.vault.claim("retention", 0, job=job) is not None  # due now
        await memory.reprocess()
        export = await memory.export(verified())
        assert [call["call"] for call in export["calls"]] == ["second"]
        assert [fact["value"] for facts in export["profiles"].values() for fact in facts] == ["walnuts"]
        worker = memory.keeper.leases.worker
        assert await memory.archive.vault.claim(worker, 0, job=job) is not None  # it waits for the second


async def test_vectors_of_facts_of_earlier_versions_are_read(url: str) -> None:
    """They lay among those of calls, by the name of `facts`, until the next call writes them anew."""
    async with opened(url, embedder=embed) as (memory, clock):
        for id in ("first", "facts"):
            call = memory.call(verified(), call_id=id)
            await say(call, clock, "my name is Wren Okafor")
            await ended(call, clock)
            await rest(memory, clock)
            if id == "facts":
                continue
            file = await file_of(memory)
            new = (await file.memories()).fact_vectors
            assert new is not None
            await file.box.put([PutDoc("vectors", "facts", new.pack(), 0)])
            await file.change(FACT_VECTORS, "main", lambda _new: b"")  # as if it had never been
            for calls in ((), ("first",)):
                found = await file.memories(calls)
                assert found.fact_vectors is None
                assert rows(found.vectors["facts"]) == rows(new)
        for calls in ((), ("first",), ("first", "facts")):
            found = await file.memories(calls)
            assert found.fact_vectors is not None
            assert rows(found.fact_vectors) == rows(new)
            assert ("facts" in found.vectors) == (not calls or "facts" in calls)
            assert all(not one.of_facts for one in found.vectors.values())


def rows(found: VectorSet) -> tuple[tuple[str, ...], list[list[float]]]:
    made: Vectors = found.rows
    return found.ids, made.tolist()
