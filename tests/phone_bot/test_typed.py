"""The caller who types, in processes of their own; and what she notices of things that fail: nothing."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import sys
from pathlib import Path

import pytest

from examples.phone_bot.demo_server import KEYS, ROOT

TOLD = "Hi, my name is Zoe.\nA table for six people, please.\n"


async def typed(store: str, lines: str, **env: str) -> tuple[str, str]:
    """Type the lines from one number; returns what the bot said and what the log says."""
    given = {k: v for k, v in os.environ.items() if k not in KEYS} | {"PHONE_BOT_STORE": store} | env
    command = ["-W", "ignore", "-m", "examples.phone_bot", "--text", "--from", "+15551230001"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=ROOT, env=given, stdin=pipe, stdout=pipe, stderr=pipe
    )
    said, log = await process.communicate(lines.encode())
    assert process.returncode == 0, log.decode()
    return said.decode(), log.decode()


async def test_a_second_process_remembers(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'calls.db'}"
    said, _ = await typed(store, TOLD)
    assert "bot: Thank you, Zoe." in said
    said, _ = await typed(store, "Yes please.\n")
    assert "bot: Hello Zoe, welcome back." in said
    assert "table for 6" in said


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_an_unreachable_model_is_said_once_and_the_rules_answer() -> None:
    said, log = await typed("memory://", TOLD, OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port()}/v1")
    assert "bot: Thank you, Zoe." in said
    assert "table for 6" in said
    assert log.count("the model can't be used") == 1
    assert "Zoe" not in log


@pytest.mark.parametrize("trouble", ["locked", "no room"])
async def test_a_store_that_fails_is_said_and_the_caller_is_answered(tmp_path: Path, trouble: str) -> None:
    path = tmp_path / "calls.db"
    held = sqlite3.connect(path, isolation_level=None)
    if trouble == "locked":
        held.execute("PRAGMA locking_mode=EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        held.execute("CREATE TABLE t (x)")
    else:
        path = Path("/dev/full/calls.db")
    try:
        said, log = await typed(f"sqlite:///{path}", TOLD)
    finally:
        held.close()
    assert "bot: Thank you, Zoe." in said
    assert "table for 6" in said
    assert log.count("the store can't be used") == 1
    assert "Zoe" not in log
