"""The audit trail: who read, corrected, exported and erased is kept, as ids, and outlives the caller."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipecat_memory import Caller, Memory, Settings
from pipecat_memory.cli import cli
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import NewEntry
from pipecat_memory.stores.redis import RedisStore
from pipecat_memory.testing import ManualClock
from pipecat_memory.testing.redis_process import RedisProcess
from pipecat_memory.writing import audit

from ..kit import NUMBER, START, ended, opened, rest, say, verified

OTHER = "+15551230002"


async def talked(memory: Memory, clock: ManualClock, number: str = NUMBER, call: str = "c1") -> None:
    one = memory.call(verified(number), call_id=call)
    await one.preload(5.0)
    await say(one, clock, "my name is Wren Okafor")
    await ended(one, clock)


async def deeds(memory: Memory, caller: Caller | None = None) -> list[tuple[str, str]]:
    return [(row["what"], row["by"]) for row in await memory.audit(caller)]


async def test_what_is_done_with_a_caller_is_kept_as_ids(url: str) -> None:
    async with opened(url) as (memory, clock):
        await talked(memory, clock)
        await talked(memory, clock, OTHER, "c2")
        await memory.profile(verified(), by="desk-7")
        await memory.show(verified(), by="desk-7")
        await memory.export(verified(), by="officer-1")
        again = memory.call(verified(), call_id="c3")
        await again.preload(5.0)
        again.correct("/task", "a table", by="desk-8")
        await ended(again, clock)
        worker = memory.keeper.leases.worker
        done = [("read", "desk-7"), ("read", "desk-7"), ("exported", "officer-1"), ("read", worker)]
        assert await deeds(memory, verified()) == [*done, ("corrected", "desk-8")]
        assert await deeds(memory, verified(OTHER)) == []
        assert len(await deeds(memory)) == len(done) + 1


async def test_it_outlives_the_caller_and_names_nobody(url: str) -> None:
    async with opened(url) as (memory, clock):
        await talked(memory, clock)
        await memory.export(verified(), by="officer-1")
        receipt = await memory.forget(verified(), by="officer-2")
        assert receipt["erased"]
        rows = await memory.audit(verified())
        assert [(r["what"], r["by"]) for r in rows] == [("exported", "officer-1"), ("erased", "officer-2")]
        assert set(rows[0]) == {"what", "at", "by", "caller"}
        assert len(rows[0]["caller"]) == 64
        assert not any(word in str(rows) for word in ("Wren", "Okafor", "5551230001"))
        await talked(memory, clock, call="c2")
        assert await deeds(memory, verified()) == [("exported", "officer-1"), ("erased", "officer-2")]
        assert await memory.export(Caller.phone(OTHER)) == {"calls": [], "profiles": {}}
        assert len(await deeds(memory)) == 2, "where nobody is known nothing was read"


async def test_forgotten_bytes_are_in_no_file_beside_the_trail(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        await talked(memory, clock)
        await memory.export(verified(), by="officer-1")
        await memory.forget(verified(), by="officer-2")
        assert len(await memory.audit()) == 2
        await rest(memory, clock)
    assert _in_files(tmp_path, b"Wren", b"Okafor", b"5551230001", b"officer", b"SQLite") == {b"SQLite"}
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        assert [what for what, _ in await deeds(memory)] == ["exported", "erased"]


def _in_files(folder: Path, *words: bytes) -> set[bytes]:
    found = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return {word for word in words if any(word in data for data in found)}


async def test_forgotten_bytes_are_in_no_dump_beside_the_trail(redis_server: RedisProcess) -> None:
    prefix = f"t{secrets.token_hex(4)}"
    async with opened(f"{redis_server.url}?prefix={prefix}") as (memory, clock):
        await talked(memory, clock)
        await memory.export(verified(), by="officer-1")
        await memory.forget(verified(), by="officer-2")
        assert len(await memory.audit()) == 2
        store = memory.archive.vault.store
        assert isinstance(store, RedisStore)
        await store._server.run(lambda client: client.save())
        words = (b"Wren", b"Okafor", b"5551230001", b"officer")
        assert _in_files(redis_server.folder, *words, prefix.encode()) == {prefix.encode()}


async def test_no_caller_can_meet_the_trail() -> None:
    async with opened() as (memory, _):
        vault = memory.archive.vault
        trail = await vault.trail("default")
        for scope in (Scope("audit", "default"), Scope("default", "audit"), Scope("default", "", "audit")):
            box = await vault.box(scope)
            assert box is not None
            assert box.owner != trail.owner
        assert (await vault.trail("other")).owner != trail.owner


class Away:
    """A store that takes nothing for the trail until it is told to."""

    def __init__(self, memory: Memory) -> None:
        self.away = True
        self._append = memory.archive.vault.store.append

    async def append(
        self, owner: str, call: str, entries: list[NewEntry], *, instead_of: Sequence[str]
    ) -> int:
        if self.away and any(entry.kind == "audit" for entry in entries):
            raise StoreUnavailable("away")
        return await self._append(owner, call, entries, instead_of=instead_of)


async def test_a_store_that_takes_no_trail_breaks_nothing_and_gets_it_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (memory, clock):
        monkeypatch.setattr(audit, "WAITING", 3)
        away = Away(memory)
        monkeypatch.setattr(memory.archive.vault.store, "append", away.append)
        await talked(memory, clock)
        for number in range(4):
            assert (await memory.profile(verified(), by=f"desk-{number}"))[0]["value"] == "Wren Okafor"
        await rest(memory, clock)
        assert memory.counters["audit_late"] > 0
        assert memory.counters["audit_lost"] == 1
        away.away = False
        assert await deeds(memory) == [("read", "desk-1"), ("read", "desk-2"), ("read", "desk-3")]


async def test_it_is_trimmed_by_age_and_by_count(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SEGMENT", 3)
    monkeypatch.setattr(audit, "SEGMENTS", 4)
    async with opened(url, settings=Settings(strict=True, audit_days=10)) as (memory, clock):
        await talked(memory, clock)
        for number in range(40):
            await memory.profile(verified(), by=f"old-{number}")
            await memory.audit()
        trail = await memory.archive.vault.trail("default")
        kept = [by for _, by in await deeds(memory)]
        assert kept == [f"old-{number}" for number in range(40 - len(kept), 40)]
        assert 9 <= len(kept) <= 15, "four segments of three, and what comes in at once"
        assert len(await trail.read()) == len(kept)
        await clock.advance(timedelta(days=11).total_seconds())
        assert await deeds(memory) == []
        await memory.profile(verified(), by="new")
        assert await deeds(memory) == [("read", "new")]
        assert len(await trail.read()) == 1, "the rest is out of the store"


async def test_where_none_is_to_be_kept_none_is() -> None:
    async with opened(settings=Settings(strict=True, audit_days=0)) as (memory, clock):
        await talked(memory, clock)
        await memory.export(verified())
        assert await (await memory.archive.vault.trail("default")).read() == []
        assert await memory.audit() == []


async def test_processes_write_one_trail(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SEGMENT", 5)
    async with opened(url) as (memory, clock):
        await talked(memory, clock)
        others = [audit.Audit(memory) for _ in range(4)]
        scope = Scope("default", NUMBER)
        for round in range(10):
            for number, one in enumerate(others):
                one.note("read", "default", scope, f"{number}-{round}")
            await asyncio.gather(*(one.rows("default", None) for one in others))
        rows = await memory.audit()
        assert sorted(row["by"] for row in rows) == sorted(f"{n}-{r}" for n in range(4) for r in range(10))
        assert {row["at"] for row in rows} == {(START + timedelta(seconds=1)).isoformat()}


def test_the_command_line_is_noted_as_such(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"

    async def call() -> None:
        async with opened(url) as (memory, clock):
            await talked(memory, clock)

    async def trail() -> list[tuple[str, str]]:
        # On the machine's own clock, as the command line is.
        memory = await Memory.open(url, embedder=None)
        try:
            return await deeds(memory, verified())
        finally:
            await memory.close()

    asyncio.run(call())
    for command in (
        ["show", NUMBER],
        ["why", NUMBER, "Wren"],
        ["export", NUMBER],
        ["forget", NUMBER, "--yes"],
    ):
        assert CliRunner().invoke(cli, [*command, "--store", url, "--json"]).exit_code == 0
    assert asyncio.run(trail()) == [("read", "cli"), ("read", "cli"), ("exported", "cli"), ("erased", "cli")]
