"""A job that is killed, or a worker that is stopped, at any moment of a call: what was durable is found."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random

import pytest

from livekit_plugin import Memory, Settings

from .conftest import ANA
from .kit import until
from .worker import sentence

PATIENCE = 150.0
"""Longest wait for a worker, seconds: on a busy machine its processes take long to start."""

pytestmark = [pytest.mark.long, pytest.mark.timeout(3 * PATIENCE)]


def lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


async def stopped(store: Path, how: signal.Signals, dice: Random) -> list[str]:
    """Run a worker, stop it at some moment of its call, and return what the job noted."""
    log = Path(f"{store}.log")
    # LiveKit's own command line, with nobody at the other end.
    nobody = ["--url", "ws://127.0.0.1:9", "--api-key", "key", "--api-secret", "secret"]
    command = ["-W", "ignore", "-m", "livekit.agents", "start", "tests/livekit/cli_worker.py", *nobody]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        env=os.environ | {"TEST_WAY": "talks", "TEST_STORE": str(store)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    turns, rest = dice.randint(1, 12), dice.random() * 0.03
    try:
        await until(lambda: f"durable {turns}" in lines(log), PATIENCE)
        await asyncio.sleep(rest)  # some way into the next turn
        if how == signal.SIGKILL:
            os.kill(int(lines(log)[0].removeprefix("pid ")), how)
            process.terminate()
        else:
            process.send_signal(how)
        await asyncio.wait_for(process.wait(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return lines(log)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["job killed", "worker stopped"])
async def test_at_any_moment(tmp_path: Path, how: signal.Signals, seed: int) -> None:
    store = tmp_path / "calls.db"
    noted = await stopped(store, how, Random(seed))
    durable = sum(line.startswith("durable") for line in noted)
    # A stopped worker gives its job seconds, which may be few on a busy machine.
    assert how == signal.SIGTERM or "session_end" not in noted
    memory = await Memory.open(f"sqlite:///{store}", embedder=None, settings=Settings(strict=True))
    call = memory.call(ANA, call_id="the-next")
    assert await call.preload(5.0)
    (kept,) = [one for one in (await memory.export(ANA))["calls"] if one["call"] != "the-next"]
    await memory.close()
    said = [item["text"] for item in kept["history"] if item["role"] == "user"]
    assert said == [sentence(number) for number in range(len(said))]
    assert durable <= len(said) <= durable + 2
