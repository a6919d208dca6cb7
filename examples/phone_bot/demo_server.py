"""The bot as the demo and the tests run it: a process of its own, on loopback, with a trace."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
READY = 240.0
"""Seconds for a bot to come up. It takes 6 on an idle machine, minutes on one that is far too busy."""
KEYS = ("DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")


@dataclass(slots=True)
class Server:
    """A running bot."""

    url: str
    process: Process
    trace: Path
    log: Path
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _read: int = 0

    def news(self) -> list[dict[str, Any]]:
        """What the trace says that it did not say before."""
        if not self.trace.exists():
            return []
        with self.trace.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        fresh = [json.loads(line) for line in whole.splitlines()]
        self.rows += fresh
        return fresh

    async def until(self, kind: str, call: str, seconds: float = 10.0) -> dict[str, Any] | None:
        """Wait for a row of the trace; None where it did not come. Reads, so call `news` before."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for row in self._peek():
                if row["kind"] == kind and row["call"] == call:
                    return row
            await asyncio.sleep(0.05)
        return None

    async def ended(self, call: str, seconds: float = 10.0) -> bool:
        """Wait until a call is closed and written."""
        return await self.until("end", call, seconds) is not None

    def added(self) -> float:
        """The most milliseconds that memory added to a reply."""
        return max((row["ms"] for row in self.rows if row["kind"] == "added"), default=0.0)

    def log_tail(self) -> str:
        """The last lines of the bot's log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])

    def kill(self) -> None:
        """As a machine that loses power."""
        self.process.send_signal(signal.SIGKILL)

    def _peek(self) -> list[dict[str, Any]]:
        if not self.trace.exists():
            return []
        lines = self.trace.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]


@asynccontextmanager
async def serving(
    folder: Path, env: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> AsyncGenerator[Server]:
    """Run a bot with its store, trace and log in `folder`, without keys unless `env` gives some."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log, trace = folder / f"bot-{port}.log", folder / f"trace-{port}.jsonl"
    given = {k: v for k, v in os.environ.items() if k not in KEYS} | {
        "PHONE_BOT_STORE": f"sqlite:///{folder / 'calls.db'}",
        "PHONE_BOT_TRACE": str(trace),
        "PIPECAT_LOG_LLM_CONTEXT": "off",
    }
    command = [sys.executable, "-W", "ignore", "-m", "examples.phone_bot", "--host", "127.0.0.1"]
    with log.open("wb") as sink:
        process = await asyncio.create_subprocess_exec(
            *command,
            "--port",
            str(port),
            *options,
            cwd=ROOT,
            env=given | dict(env or {}),
            stdout=sink,
            stderr=sink,
        )
    server = Server(f"ws://127.0.0.1:{port}/ws", process, trace, log)
    try:
        await _ready(server, port)
        yield server
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), 8.0)
            except TimeoutError:
                process.kill()
                await process.wait()


async def _ready(server: Server, port: int) -> None:
    deadline = time.monotonic() + READY
    while time.monotonic() < deadline:
        if server.process.returncode is not None:
            raise RuntimeError(f"the bot stopped at once:\n{server.log_tail()}")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        writer.close()
        return
    raise RuntimeError(f"the bot did not come up in {READY:.0f} s:\n{server.log_tail()}")
