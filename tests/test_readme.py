"""The README's two programs, pasted and run as a newcomer would."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Any

import pytest
import websockets

from examples.phone_bot.line import Line
from pipecat_memory import Caller, Memory

README = Path(__file__).parents[1] / "README.md"
SERVICES = (
    *("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "DEEPGRAM_API_KEY", "OPENAI_API_KEY"),
    *("CARTESIA_API_KEY", "CARTESIA_VOICE_ID"),
)


def pasted(folder: Path, holding: str) -> Path:
    """The one Python block of the README that holds these words, as a file."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    (block,) = (block for block in blocks if holding in block)
    path = folder / "bot.py"
    path.write_text(block)
    return path


async def test_the_engine_alone_knows_the_caller_on_the_second_call(tmp_path: Path) -> None:
    program = pasted(tmp_path, "asyncio.run(main())")
    process = await asyncio.create_subprocess_exec(
        sys.executable, program, cwd=tmp_path, stdout=PIPE, stderr=STDOUT
    )
    printed = (await process.communicate())[0].decode()
    assert process.returncode == 0, printed
    second_call = printed.split("what do you know about me?")[0].split("\n\n", 1)[1]
    assert "Wren" in second_call
    assert "walnuts" in second_call


@pytest.mark.timeout(120)
async def test_the_bot_takes_a_call_and_leaves_it_in_its_store(tmp_path: Path) -> None:
    # The services are out of reach and the keys are none: what is shown is the wiring, from Twilio's
    # handshake to the store.
    program = pasted(tmp_path, "create_transport")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, **dict.fromkeys(SERVICES, "none")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, program, "-t", "twilio", "-x", "localhost", "--port", str(port)),
        cwd=tmp_path,
        env=env,
        stdout=PIPE,
        stderr=STDOUT,
    )
    reading = asyncio.create_task(process.communicate())
    try:
        line = await dialled(f"ws://127.0.0.1:{port}/ws", reading)
        store = tmp_path / "calls.db"
        while not store.exists() and not reading.done():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.05)
        await line.hang_up()
        exported: dict[str, Any] = {}
        while not exported.get("calls") and not reading.done():
            memory = await Memory.open(f"sqlite:///{store}", embedder=None)
            exported = await memory.export(Caller.phone("+15551230001"))
            await memory.close()
    finally:
        if process.returncode is None:
            process.kill()
        said = (await reading)[0].decode()
    assert [call["call"] for call in exported.get("calls", [])] == ["CA1"], said


async def dialled(url: str, bot: asyncio.Task[tuple[bytes, bytes]]) -> Line:
    while True:
        try:
            return await Line.dial(url, "+15551230001", "CA1")
        except (OSError, websockets.InvalidHandshake):
            assert not bot.done(), "the bot ended before it was called"
            await asyncio.sleep(0.1)
