"""The embedded store on real files: several processes, full disks, broken files, erasure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pipecat_memory.errors import StoreCorrupt, StoreUnavailable
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import NewEntry
from pipecat_memory.stores.sqlite import SqliteStore
from pipecat_memory.stores.url import open_store
from pipecat_memory.stores.vault import Vault

OWNER = "acme:1"
ADA = Scope("acme", "+15551230001")

WRITER = """
import asyncio, sys
from pathlib import Path
from pipecat_memory.stores.base import NewEntry
from pipecat_memory.stores.sqlite import SqliteStore

async def main(path, name, count):
    store = SqliteStore(Path(path))
    for n in range(count):
        await store.append("acme:1", "call", [NewEntry(f"{name}-{n}", "turn", 0.0, b"x" * 100)])
    await store.aclose()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def _python(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", *arguments], stderr=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str]) -> str:
    _, said = process.communicate(timeout=50)
    return said if process.returncode else ""


async def _count(path: Path) -> int:
    store = SqliteStore(path)
    entries = await store.read(OWNER)
    await store.aclose()
    return len(entries)


async def test_two_processes_write_fifty_each(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    writers = [_python(WRITER, str(path), name, "50") for name in "ab"]
    assert [await asyncio.to_thread(_ended, one) for one in writers] == ["", ""]
    assert await _count(path) == 100


async def test_a_second_opening_in_this_process_drops_no_locks(tmp_path: Path) -> None:
    """POSIX locks go when any descriptor of the file closes; another process would take the WAL away."""
    path = tmp_path / "calls.db"
    ours = SqliteStore(path)
    await ours.append(OWNER, "call", [NewEntry("first", "turn", 0.0, b"x")])
    second = SqliteStore(path)
    await second.read(OWNER)
    await second.aclose()
    for n in range(3):
        assert await asyncio.to_thread(_ended, _python(WRITER, str(path), f"other-{n}", "2")) == ""
        await ours.append(OWNER, "call", [NewEntry(f"ours-{n}", "turn", 0.0, b"x")])
    assert len(await ours.read(OWNER)) == 10
    await ours.aclose()
    assert await _count(path) == 10


async def test_a_locked_file_stalls_no_loop_and_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    store = SqliteStore(path)
    await store.append(OWNER, "call", [NewEntry("1", "turn", 0.0, b"x")])
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    waiting = asyncio.ensure_future(store.append(OWNER, "call", [NewEntry("2", "turn", 0.0, b"x")]))
    assert len(await store.read(OWNER)) == 1
    assert not waiting.done()
    holder.execute("ROLLBACK")
    holder.close()
    await waiting
    assert len(await store.read(OWNER)) == 2
    await store.aclose()


async def test_a_cancelled_write_is_whole_or_not_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "calls.db")
    for n in range(30):
        pair = [NewEntry(f"{n}a", "turn", 0.0, b"x"), NewEntry(f"{n}b", "turn", 0.0, b"x")]
        task = asyncio.ensure_future(store.append(OWNER, "call", pair))
        for _ in range(n % 5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await store.append(OWNER, "call", [NewEntry("last", "turn", 0.0, b"x")])
    uids = {e.uid for e in await store.read(OWNER)}
    assert all((f"{n}a" in uids) == (f"{n}b" in uids) for n in range(30))
    await store.aclose()


FULL = """
import asyncio, resource, sys
from pathlib import Path
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.stores.base import NewEntry
from pipecat_memory.stores.sqlite import SqliteStore

async def main(path):
    store = SqliteStore(Path(path))
    kept = await store.append("acme:1", "call", [NewEntry("first", "turn", 0.0, b"x" * 100)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    for n in range(100):
        try:
            kept = await store.append("acme:1", "call", [NewEntry(str(n), "turn", 0.0, bytes(20_000))])
        except StoreUnavailable as error:
            assert "disk" in str(error), error
            break
    else:
        sys.exit("the limit was never reached")
    assert len(await store.read("acme:1")) == kept, "what was acknowledged is there, nothing else"
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert await store.append("acme:1", "call", [NewEntry("after", "turn", 0.0, b"x")]) == kept + 1
    await store.aclose()

asyncio.run(main(sys.argv[1]))
"""


async def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    assert await asyncio.to_thread(_ended, _python(FULL, str(tmp_path / "calls.db"))) == ""


async def test_a_read_only_file_is_read_and_refuses_writes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/calls.db"
    with pytest.raises(StoreUnavailable):
        await open_store(f"{url}?mode=ro")
    vault = Vault(*await open_store(url))
    box = await vault.box(ADA)
    assert box is not None
    await box.append("c", [("1", "turn", 0.0, b"one")])
    await vault.aclose()
    vault = Vault(*await open_store(f"{url}?mode=ro"))
    box = await vault.box(ADA, create=False)
    assert box is not None
    assert [e.blob for e in await box.read()] == [b"one"]
    with pytest.raises(StoreUnavailable, match="read-only"):
        await box.append("c", [("2", "turn", 0.0, b"two")])
    with pytest.raises(StoreUnavailable, match="read-only"):
        await vault.box(Scope("acme", "new"))
    await vault.aclose()


@pytest.mark.parametrize("damage", ["text", "middle", "short"])
async def test_a_broken_file_is_named_and_left_as_it_is(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "calls.db"
    store = SqliteStore(path)
    await store.append(OWNER, "call", [NewEntry(str(n), "turn", 0.0, bytes(3000)) for n in range(50)])
    await store.aclose()
    broken = _damaged(path, damage)
    store = SqliteStore(path)
    with pytest.raises(StoreCorrupt, match=r"calls\.db") as caught:
        await store.read(OWNER)
    assert "recover" in str(caught.value)
    await store.aclose()
    assert _bytes(path)[4096:] == broken[4096:]


def _damaged(path: Path, damage: str) -> bytes:
    whole = path.read_bytes()
    broken = {
        "text": b"this is no database " * 1000,
        "middle": whole[:4096] + b"\x55" * (len(whole) - 4096),
        "short": whole[:6000],
    }[damage]
    path.write_bytes(broken)
    return broken


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_newer_file_is_used_and_keeps_its_version(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    assert await asyncio.to_thread(_ended, _python(WRITER, str(path), "a", "1")) == ""
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.execute("ALTER TABLE entries ADD COLUMN mood TEXT")
    db.execute("UPDATE entries SET mood = 'glad'")
    db.commit()
    db.close()
    store = SqliteStore(path)
    await store.append(OWNER, "call", [NewEntry("ours", "turn", 0.0, b"x")])
    assert [e.uid for e in await store.read(OWNER)] == ["a-0", "ours"]
    await store.aclose()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (99,)
    assert db.execute("SELECT mood FROM entries ORDER BY seq").fetchall() == [("glad",), (None,)]
    db.close()


def _modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        vault = Vault(*await open_store(f"sqlite:///{tmp_path}/calls.db"))
        await vault.box(ADA)
        assert _modes(tmp_path) == {0o600}
        await vault.aclose()
    finally:
        os.umask(before)


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "calls.db")
    await store.open()
    await store.aclose()
    await store.aclose()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.read(OWNER)


def test_one_store_serves_one_loop_after_another(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "calls.db")
    for n in range(3):
        asyncio.run(store.append(OWNER, "call", [NewEntry(str(n), "turn", 0.0, b"x")]))
    assert len(asyncio.run(store.read(OWNER))) == 3
    asyncio.run(store.aclose())


@pytest.mark.parametrize("script", ["CREATE TABLE x (a); PRAGMA user_version = 7", "CREATE TABLE docs (a)"])
async def test_another_programs_database_is_refused_at_the_opening(tmp_path: Path, script: str) -> None:
    path = tmp_path / "app.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(script)
    with pytest.raises(StoreCorrupt, match=r"app\.db"):
        await open_store(f"sqlite:///{path}")
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
