"""Keys of other records open nothing: that is an error, never an empty store or a receipt of an erasure."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipecat_memory import Memory
from pipecat_memory.cli import cli
from pipecat_memory.errors import StoreCorrupt, UsedWrongly
from pipecat_memory.stores.memory import MemoryKeyStore, MemoryStore
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing.redis_process import RedisProcess

from ..kit import NUMBER, ended, opened, say, verified

OTHERS = "the data keys are not those that these records were made with"


async def remembered(url: str) -> None:
    """A caller who said their name, in a store that is closed again."""
    async with opened(url) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock)


async def names(url: str) -> list[object]:
    async with opened(url) as (memory, _):
        return [fact["value"] for fact in await memory.profile(verified())]


async def test_the_keys_of_another_file_are_refused_and_the_right_ones_taken_again(tmp_path: Path) -> None:
    for name in ("mine", "other"):
        await remembered(f"sqlite:///{tmp_path / name}.db")
    keys, others = tmp_path / "mine.db.keys", tmp_path / "other.db.keys"
    right = keys.read_bytes()
    keys.write_bytes(others.read_bytes())
    for options in ("", "?mode=ro"):
        with pytest.raises(StoreCorrupt, match=f"{OTHERS}.*restore the right ones"):
            await Memory.open(f"sqlite:///{tmp_path / 'mine.db'}{options}", embedder=None)
    keys.write_bytes(right)
    assert await names(f"sqlite:///{tmp_path / 'mine.db'}") == ["Wren Okafor"]


@pytest.mark.parametrize("keys", ["memory://", "sqlite:///{}/new.db", "redis"])
async def test_another_key_store_is_refused(tmp_path: Path, redis_server: RedisProcess, keys: str) -> None:
    records = f"{redis_server.url}?prefix=r{secrets.token_hex(4)}"
    await remembered(records)
    elsewhere = (
        f"{redis_server.url}%3Fprefix=k{secrets.token_hex(4)}" if keys == "redis" else keys.format(tmp_path)
    )
    with pytest.raises(StoreCorrupt, match=OTHERS):
        await Memory.open(f"{records}&keys={elsewhere}", embedder=None)
    assert await names(records) == ["Wren Okafor"]


@pytest.mark.parametrize("command", [["show"], ["export"], ["forget", "--yes"], ["reprocess"]], ids=" ".join)
def test_the_command_line_fails_with_them(command: list[str], tmp_path: Path) -> None:
    for name in ("mine", "other"):
        asyncio.run(remembered(f"sqlite:///{tmp_path / name}.db"))
    (tmp_path / "mine.db.keys").write_bytes((tmp_path / "other.db.keys").read_bytes())
    result = CliRunner().invoke(cli, [*command, NUMBER, "--store", f"sqlite:///{tmp_path / 'mine.db'}"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert OTHERS in result.stderr


async def test_several_processes_that_begin_a_store_at_once_agree() -> None:
    store, keys = MemoryStore(), MemoryKeyStore()
    vaults = [Vault(store, keys) for _ in range(8)]
    await asyncio.gather(*(vault.open() for vault in vaults))
    with pytest.raises(StoreCorrupt, match=OTHERS):
        await Vault(store, MemoryKeyStore()).open()


@pytest.mark.parametrize("version", [0, 1, 7])
async def test_another_programs_file_is_refused_and_left_as_it_is(tmp_path: Path, version: int) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE songs (title)")
        theirs.execute(f"PRAGMA user_version = {version}")
    theirs.close()
    before = path.read_bytes()
    (tmp_path / "theirs.db.keys").touch()
    for options in ("", "?mode=ro"):
        with pytest.raises(StoreCorrupt, match=r"theirs\.db: a database, but not of this memory"):
            await Memory.open(
                f"sqlite:///{path}{options}&keys=memory://".replace("db&", "db?"), embedder=None
            )
    assert path.read_bytes() == before


async def test_a_url_that_is_none_is_named_so() -> None:
    with pytest.raises(UsedWrongly, match="a store's URL looks like"):
        await Memory.open("redis://[half", embedder=None)
