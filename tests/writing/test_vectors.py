"""Vectors follow the embedder: made anew in the background when another one is in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipecat_memory import CallMemory, Memory
from pipecat_memory.config import Settings
from pipecat_memory.reading.entry import Query
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.caller_file import CallerFile
from pipecat_memory.stores.contents import Loaded, VectorSet

from ..kit import NUMBER, ended, opened, rest, say, verified


class Model:
    """An app's embedding model: one axis a topic, vectors of the length it is told."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.down = False
        self.turned = False
        """Another model behind the same name: its topics lie along other axes."""

    def __call__(self, texts: list[str]) -> list[list[float]]:
        if self.down:
            raise ConnectionError("away")
        rows = [[1.0 if "boat" in t or "yacht" in t else 0.1, *[0.5] * (self.width - 1)] for t in texts]
        return [row[::-1] for row in rows] if self.turned else rows


async def held(memory: Memory) -> Loaded:
    file = await memory.archive.file(Scope("default", NUMBER), create=False)
    assert file is not None
    return await file.memories()


def nearest(call: CallMemory, width: int) -> list[str]:
    """What the call's index finds for a word that stands in none of its texts."""
    row = np.array([1.0, *[0.5] * (width - 1)], dtype=np.float32)
    row /= np.float32(np.linalg.norm(row))
    return [hit.text for hit in call.reader.index.search(Query(text="yacht", vector=row, k=1, floor=False))]


def widths(loaded: Loaded) -> dict[str, int]:
    facts = {"facts": loaded.fact_vectors} if loaded.fact_vectors else {}
    return {name: one.width for name, one in (loaded.vectors | facts).items()}


async def test_another_length_is_made_anew_after_the_next_call(tmp_path: Path) -> None:
    url, model = f"sqlite:///{tmp_path / 'calls.db'}", Model(3)
    async with opened(url, embedder=model) as (memory, clock):
        for name, text in (("c1", "we painted the boat green"), ("c2", "my name is Wren Okafor")):
            call = memory.call(verified(), call_id=name)
            await say(call, clock, text)
            await ended(call, clock)
        assert widths(await held(memory)) == {"c1": 3, "c2": 3, "facts": 3}
    model.width = 5
    async with opened(url, embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c3")
        await call.preload()
        await say(call, clock, "the dentist was late")
        await ended(call, clock)
        assert widths(await held(memory)) == {"c1": 5, "c2": 5, "c3": 5, "facts": 5}
        last = memory.call(verified(), call_id="c4")
        await last.preload()
        await rest(memory, clock)
        assert nearest(last, 5) == ["we painted the boat green"]
        await ended(last, clock)


async def test_calls_that_an_absent_embedder_left_out_are_mended_by_the_next() -> None:
    model = Model(3)
    async with opened(embedder=model) as (memory, clock):
        model.down = True
        first = memory.call(verified(), call_id="c1")
        await say(first, clock, "we painted the boat green")
        await ended(first, clock)
        assert widths(await held(memory)) == {}
        second = memory.call(verified(), call_id="c2")
        await say(second, clock, "the dentist was late")
        await ended(second, clock)
        assert widths(await held(memory)) == {}
        model.down = False
        third = memory.call(verified(), call_id="c3")
        await say(third, clock, "nothing new")
        await ended(third, clock)
        assert widths(await held(memory)) == {"c1": 3, "c2": 3, "c3": 3}


async def test_mixed_lengths_are_no_reason_to_have_no_index() -> None:
    model = Model(3)
    async with opened(embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "we painted the boat green")
        await say(call, clock, "and the dentist was late")
        await ended(call, clock)
        file = await memory.archive.file(Scope("default", NUMBER), create=False)
        assert file is not None
        assert memory.embedder is not None
        odd = VectorSet(memory.embedder.name, ("x",), np.ones((1, 7), np.float32))
        await file.change("vectors", "c0", lambda _old: odd.pack())
        second = memory.call(verified(), call_id="c2")
        await second.preload()
        await rest(memory, clock)
        assert nearest(second, 3) == ["we painted the boat green"]
        await ended(second, clock)


async def test_another_model_of_the_same_name_and_length_is_found_out(tmp_path: Path) -> None:
    url, model = f"sqlite:///{tmp_path / 'calls.db'}", Model(3)
    async with opened(url, embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "we painted the boat green")
        await ended(call, clock)
    model.turned = True
    async with opened(url, embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c2")
        await call.preload()
        await rest(memory, clock)
        assert nearest(call, 3) == ["we painted the boat green"]
        await say(call, clock, "the dentist was late")
        call.briefing()
        assert nearest(call, 3) == []
        await ended(call, clock)
        last = memory.call(verified(), call_id="c3")
        await last.preload()
        await rest(memory, clock)
        await say(last, clock, "is the yacht dry")
        assert "we painted the boat green" in last.briefing().changing
        await ended(last, clock)


async def test_one_model_is_known_again_by_a_set_that_was_stored(tmp_path: Path) -> None:
    url, model = f"sqlite:///{tmp_path / 'calls.db'}", Model(3)
    async with opened(url, embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "we painted the boat green")
        await ended(call, clock)
        first = (await held(memory)).vectors["c1"]
    async with opened(url, embedder=model) as (memory, clock):
        call = memory.call(verified(), call_id="c2")
        await call.preload()
        await say(call, clock, "is the yacht dry")
        assert "we painted the boat green" in call.briefing().changing
        await ended(call, clock)
        again = (await held(memory)).vectors["c1"]
        assert (again.ids, again.rows.tolist()) == (first.ids, first.rows.tolist())


async def test_calls_long_past_are_read_page_by_page_and_only_when_they_lack_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(3)
    read: list[int] = []
    url, few = f"sqlite:///{tmp_path / 'calls.db'}", Settings(strict=True, recall_calls=2)

    async def held_a_call(name: str) -> dict[str, int]:
        async with opened(url, embedder=model, settings=few) as (memory, clock):
            call = memory.call(verified(), call_id=name)
            await say(call, clock, f"we painted the boat of {name}")
            read.clear()
            await ended(call, clock)
            await rest(memory, clock)
            return widths(await held(memory))

    memories = CallerFile.memories

    async def counted(file: CallerFile, calls: Sequence[str] = ()) -> Loaded:
        loaded = await memories(file, calls)
        read.append(len(loaded.episodes))
        return loaded

    for n in range(1, 7):
        await held_a_call(f"c{n}")
    monkeypatch.setattr(CallerFile, "memories", counted)
    await held_a_call("c7")
    assert sum(read[:3]) == 1 + 2 + 1, "the newest call, its page, and the oldest page"
    model.width = 5
    assert set((await held_a_call("c8")).values()) == {5}
    assert max(read[:-1]) == 2, "never more than a page at once"
    await held_a_call("c9")
    assert sum(read[:3]) == 1 + 2 + 1
