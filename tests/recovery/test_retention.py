"""Retention by age: whether or not the caller ever rings again, what is too old goes, and only that."""

from __future__ import annotations

from pathlib import Path

from pipecat_memory import Memory, Settings
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.memory import MemoryKeyStore, MemoryStore
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing import ManualClock
from pipecat_memory.writing.archive import Archive

from ..kit import NUMBER, START, ended, opened, say, verified

DAY = 86_400.0


async def call_of(memory: Memory, clock: ManualClock, id: str, words: str) -> None:
    call = memory.call(verified(), call_id=id)
    await say(call, clock, words)
    await ended(call, clock)


async def kept(memory: Memory) -> tuple[list[str], set[str]]:
    """The calls and the facts' values that are there."""
    export = await memory.export(verified())
    facts = {fact["value"] for rows in export["profiles"].values() for fact in rows}
    return [call["call"] for call in export["calls"]], facts


async def test_old_calls_go_with_what_came_from_them_and_the_last_one_takes_the_file_along() -> None:
    clock = ManualClock(START)
    async with opened(clock=clock, settings=Settings(strict=True, retention_days=30)) as (memory, _):
        memory.archive = Archive(memory, Vault(MemoryStore(now=clock.monotonic), MemoryKeyStore()))
        clock.pending = lambda: memory.archive.gauge.out
        await call_of(memory, clock, "c1", "my name is Wren Okafor")
        await clock.advance(20 * DAY)
        await call_of(memory, clock, "c2", "I'm allergic to walnuts")
        await memory.reprocess()
        assert await kept(memory) == (["c1", "c2"], {"Wren Okafor", "walnuts"})
        await clock.advance(11 * DAY)
        await memory.reprocess()
        assert await kept(memory) == (["c2"], {"walnuts"})
        file = await memory.archive.file(Scope("default", NUMBER), create=False)
        assert file is not None
        assert {entry.call for entry in await file.journal()} == {"c2"}
        await clock.advance(20 * DAY)
        await memory.reprocess()
        assert await memory.export(verified()) == {"calls": [], "profiles": {}}
        assert await memory.archive.file(Scope("default", NUMBER), create=False) is None


async def test_without_a_limit_everything_stays(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        await call_of(memory, clock, "c1", "my name is Wren Okafor")
        await clock.advance(5000 * DAY)
        await memory.reprocess()
        assert await kept(memory) == (["c1"], {"Wren Okafor"})
