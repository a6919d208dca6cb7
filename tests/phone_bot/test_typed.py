"""The caller who types, in processes of their own; and what she notices of things that fail: nothing."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import sys
from pathlib import Path

import pytest

from examples.phone_bot.demo_server import KEYS, ROOT

from .stub import SENTENCE, model

# Processes of their own, which a busy machine starts slowly.
pytestmark = pytest.mark.timeout(180)

TOLD = "Hi, my name is Zoe.\nA table for six people, please.\n"


async def typed(store: str, lines: str, *, limit: str = "true", **env: str) -> tuple[str, str]:
    """Type the lines from one number; returns what the bot said and what the log says."""
    given = {k: v for k, v in os.environ.items() if k not in KEYS} | {"PHONE_BOT_STORE": store} | env
    command = [sys.executable, "-W", "ignore", "-m", "examples.phone_bot", "--text", "--from", "+15551230001"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        f'{limit}; exec "$0" "$@"',
        *command,
        cwd=ROOT,
        env=given,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
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


async def test_any_server_of_that_dialect_answers_without_a_key() -> None:
    with model() as (url, got):
        said, log = await typed("memory://", TOLD, OPENAI_BASE_URL=url)
    assert said.count(f"bot: {SENTENCE}") == 2
    asked = [body for body in got if body.get("stream")]
    assert "party" in json.dumps(asked[-1]["messages"])
    assert "<memory" in json.dumps(asked[-1]["messages"])
    assert "can't be used" not in log


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answered(said: str) -> bool:
    return "bot: Thank you, Zoe." in said and "table for 6" in said


async def test_a_wrong_key_and_a_full_disk_are_said_once_and_the_rules_answer(tmp_path: Path) -> None:
    with model(refuse=True) as (url, _):
        store = f"sqlite:///{tmp_path / 'calls.db'}"
        # No file may grow: to SQLite this is a full disk.
        said, log = await typed(store, TOLD, limit="ulimit -f 0", OPENAI_BASE_URL=url, OPENAI_API_KEY="wrong")
    assert answered(said)
    assert log.count("the model can't be used: AuthenticationError 401") == 1
    assert log.count("the store can't be used") == 1
    assert "Zoe" not in log


async def test_an_unreachable_model_and_a_locked_store_are_said_once_and_the_rules_answer(
    tmp_path: Path,
) -> None:
    held = sqlite3.connect(tmp_path / "calls.db", isolation_level=None)
    held.execute("PRAGMA locking_mode=EXCLUSIVE")
    held.execute("BEGIN EXCLUSIVE")
    held.execute("CREATE TABLE t (x)")
    url = f"http://127.0.0.1:{closed_port()}/v1"
    try:
        said, log = await typed(f"sqlite:///{tmp_path / 'calls.db'}", TOLD, OPENAI_BASE_URL=url)
    finally:
        held.close()
    assert answered(said)
    assert log.count("the model can't be used: APIConnectionError") == 1
    assert log.count("the store can't be used") == 1
    assert "Zoe" not in log
