"""A run of the bench: as many turns as were asked for, and no trace of them in what the next run reads."""

from __future__ import annotations

from pathlib import Path

from pipecat_memory import Memory, Settings
from pipecat_memory.bench import run
from pipecat_memory.bench.caller import seed


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
