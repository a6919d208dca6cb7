"""A run of the bench: as many turns as were asked for, and no trace of them in what the next run reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipecat_memory import Memory, Settings
from pipecat_memory.bench import run
from pipecat_memory.bench.caller import seed
from pipecat_memory.bench.costs import caller_weight, final_cost, preload_cost


async def test_a_runs_turns_are_no_memories_of_the_next(tmp_path: Path) -> None:
    memory = await Memory.open(
        f"sqlite:///{tmp_path}/bench.db", embedder=None, extraction="off", settings=Settings(strict=True)
    )
    try:
        file = await seed(memory, 24)
        before = await file.memories()
        measured = await run._Run(memory, file, 24, 2, 0.0, 5).measure()
        assert measured["turns"] == 5
        assert measured["added_ms"]["p50"] is not None
        after = await file.memories()
        assert (after.episodes, after.vectors.keys()) == (before.episodes, before.vectors.keys())
        assert (await file.load()).calls.keys() == {"seed"}
    finally:
        await memory.close()


async def test_what_a_caller_weighs_is_measured_in_calls_that_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = await Memory.open(
        f"sqlite:///{tmp_path}/bench.db", embedder=None, extraction="off", settings=Settings(strict=True)
    )
    try:
        file = await seed(memory, 24)
        assert await caller_weight(memory, file) > 0
        assert (await file.load()).calls.keys() == {"seed"}
        assert len(memory.keeper.live) == 0
    finally:
        await memory.close()
    assert {"plain", "timed"} == (await final_cost(Settings(strict=True), finals=2)).keys()
    assert "closed under it" not in caplog.text


async def test_a_preload_is_measured_beside_past_calls() -> None:
    alone, beside = [await preload_cost("memory://", 10, past, Settings(strict=True)) for past in (0, 120)]
    assert beside["preload_bytes"]["read"] > 10 * alone["preload_bytes"]["read"]
    assert beside["preload_bytes"]["opened"] < beside["preload_bytes"]["read"] / 4
