"""The command line: who is meant, and what is said where something is missing."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipecat_memory import Caller, cli
from pipecat_memory.bench import peer_mem0

from .kit import ended, opened, say


def run(*args: str) -> Result:
    return CliRunner().invoke(cli.cli, args)


async def told_their_names(url: str, *callers: Caller) -> None:
    """One call of each, who says a name of their own."""
    async with opened(url) as (memory, clock):
        for number, caller in enumerate(callers):
            call = memory.call(caller, call_id=f"call-{number}")
            await say(call, clock, f"my name is {('Wren', 'Ana', 'Odile')[number]} Okafor")
            await ended(call, clock)


def test_ids_with_a_hash_of_their_own_are_found_and_erased(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    people = (
        Caller.account("cust#7"),
        Caller.phone("+15551230001", how="verified", person="a#b"),
        Caller.account("cust", person="8"),
    )
    asyncio.run(told_their_names(url, *people))

    def names(caller: str) -> list[Any]:
        result = run("show", caller, "--store", url, "--json")
        assert result.exit_code == 0
        return [fact["value"] for facts in json.loads(result.stdout)["profiles"].values() for fact in facts]

    found = {caller: names(caller) for caller in ("cust#7", "+15551230001#a#b", "cust#8", "cust#9")}
    assert found == {
        "cust#7": ["Wren Okafor"],
        "+15551230001#a#b": ["Ana Okafor"],
        "cust#8": ["Odile Okafor"],
        "cust#9": [],
    }
    erased = run("forget", "cust#7", "--store", url, "--yes", "--json")
    assert json.loads(erased.stdout)["erased"] is True
    assert names("cust#7") == []
    assert names("cust#8") == ["Odile Okafor"]


@pytest.mark.parametrize("caller", ["", "#", "#ana", "anonymous", "anonymous#ana"])
def test_nobody_is_no_caller_and_never_everybody(caller: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    asyncio.run(told_their_names(url, Caller.account("cust")))
    for command in (["show", caller], ["reprocess", caller], ["forget", caller, "--yes"]):
        result = run(*command, "--store", url)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "a number or id" in result.stderr


def test_a_peer_that_is_not_installed_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_mem0, "installed", lambda: False)
    monkeypatch.setattr(cli, "_only_warnings_of_pipecat", lambda: None)
    result = run("bench", "--peer", "mem0", "--no-embedder")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'mem0ai" in result.stderr


def test_bench_without_pipecat_names_the_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda _: None)
    result = run("bench")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'pipecat-memory[pipecat]'" in result.stderr


def test_bench_says_nothing_of_pipecats_frames() -> None:
    code = """
from pipecat_memory.cli import _only_warnings_of_pipecat
_only_warnings_of_pipecat()
import pipecat
from loguru import logger
logger.debug("of a frame")
logger.warning("of a fault")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "of a fault\n"


def test_a_reader_that_has_gone_is_no_news(tmp_path: Path) -> None:
    """`pipecat-memory replay FILE | head -1`."""
    recording = tmp_path / "calls.jsonl"
    recording.write_text("not an event\n" * 3000)
    code = "from pipecat_memory.cli import main; main()"
    command = [sys.executable, "-c", code, "replay", str(recording), "--no-embedder"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as replay:
        assert replay.stdout is not None
        assert replay.stderr is not None
        replay.stdout.close()
        assert replay.stderr.read() == ""
    assert replay.returncode == 1
