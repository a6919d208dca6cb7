"""Commands that look into a store make none: a mistyped path is an error, not an empty answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipecat_memory import Memory
from pipecat_memory.cli import cli
from pipecat_memory.errors import StoreUnavailable

from .kit import NUMBER, ended, opened, say, verified

COMMANDS = [
    ["show", NUMBER],
    ["export", NUMBER],
    ["why", NUMBER, "allergic"],
    ["forget", NUMBER, "--yes"],
    ["reprocess", NUMBER],
    ["reprocess", "--all"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_that_is_not_there_is_named_and_not_made(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "call.db"
    result = CliRunner().invoke(cli, [*command, "--store", f"sqlite:///{path}", "--json"])
    assert result.exit_code == 1
    assert not result.stdout
    assert f"{path}: no such file" in result.stderr
    assert "sqlite:///calls.db" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_store_that_begins_empty_holds_nothing_to_look_at(command: list[str]) -> None:
    result = CliRunner().invoke(cli, [*command, "--store", "memory://"])
    assert result.exit_code == 2
    assert "memory:// begins empty" in result.stderr


@pytest.mark.parametrize("options", ["", "?mode=ro"])
async def test_records_without_their_keys_are_no_empty_store(options: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    async with opened(f"sqlite:///{path}") as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock)
    keys = path.with_name("calls.db.keys").rename(tmp_path / "elsewhere.keys")
    with pytest.raises(StoreUnavailable, match=r"calls\.db\.keys: no such file.*restore it"):
        await Memory.open(f"sqlite:///{path}{options}", embedder=None)
    assert not path.with_name("calls.db.keys").exists()
    async with opened(f"sqlite:///{path}?keys=sqlite:///{keys.with_suffix('')}") as (memory, _):
        assert [fact["value"] for fact in await memory.profile(verified())] == ["Wren Okafor"]
