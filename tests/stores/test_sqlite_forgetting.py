"""What is forgotten is in no file of the embedded store any more, nor readable in a copy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import NewEntry, PutDoc
from pipecat_memory.stores.sqlite import SqliteStore
from pipecat_memory.stores.url import open_store
from pipecat_memory.stores.vault import Vault

OWNER = "acme:1"
ADA = Scope("acme", "+15551230001")


def _copied(folder: Path, to: Path) -> Path:
    # In another process: to open and close the files here would drop this process's locks.
    subprocess.run([shutil.which("cp") or "cp", "-r", str(folder), str(to)], check=True)
    return to


def _search(folder: Path, *words: bytes) -> set[bytes]:
    return {word for path in folder.iterdir() for word in words if word in path.read_bytes()}


async def test_forget_leaves_no_bytes_and_no_readable_copy(tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.mkdir()
    url = f"sqlite:///{live}/calls.db"
    vault = Vault(*await open_store(url))
    box, other = await vault.box(ADA), await vault.box(Scope("acme", "bob"))
    assert box is not None
    assert other is not None
    said = [f"my name is Wren Okafor {n}".encode() for n in range(200)]
    await box.append("call-of-wren", [(f"uid-of-wren-{n}", "turn", 0.0, text) for n, text in enumerate(said)])
    await box.put([PutDoc("profile", "doc-of-wren", b"Wren" * 5000, 0)], [box.job("settle", "call-of-wren")])
    await other.append("call-of-bob", [("1", "turn", 0.0, b"hello")])
    data_key, owner = box._key, box.owner.rpartition(".")[0].encode()
    words = (b"Wren", b"Okafor", b"5551230001")
    ids = (b"call-of-wren", b"uid-of-wren-7", b"doc-of-wren", data_key)

    before = _copied(live, tmp_path / "before")
    assert _search(before, *words) == set()
    assert _search(before, *ids) == set(ids), "the search itself works"
    await box.erase()
    after = _copied(live, tmp_path / "after")
    assert _search(after, *words, *ids) == set()
    assert b"call-of-bob" in _search(after, b"call-of-bob")
    assert _search(after, owner) == {owner}, "the tombstone, a keyed hash"
    await vault.aclose()

    # The database of the copy, restored beside today's keys: that is all a backup of the data holds.
    _restore(before / "calls.db", live / "calls.db")
    vault = Vault(*await open_store(url))
    assert await vault.box(ADA, create=False) is None
    again = await vault.box(ADA)
    assert again is not None
    assert await again.read() == []
    assert len(await vault.store.read(box.owner)) == 200, "the sealed rows are there, and stay shut"
    await vault.aclose()


def _restore(copy: Path, to: Path) -> None:
    for end in ("-wal", "-shm"):
        to.with_name(to.name + end).unlink(missing_ok=True)
        if copy.with_name(copy.name + end).exists():
            shutil.copy(copy.with_name(copy.name + end), to.with_name(to.name + end))
    shutil.copy(copy, to)


async def test_drop_leaves_no_bytes_of_the_call(tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.mkdir()
    store = SqliteStore(live / "calls.db")
    await store.append(
        OWNER, "call-1", [NewEntry(f"uid-one-{n}", "turn", 0.0, b"x" * 900) for n in range(50)]
    )
    await store.append(OWNER, "call-2", [NewEntry("uid-two", "turn", 0.0, b"x")])
    await store.drop(OWNER, "call-1")
    assert _search(_copied(live, tmp_path / "after"), b"uid-one", b"call-1", b"uid-two") == {b"uid-two"}
    await store.aclose()
