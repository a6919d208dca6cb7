"""The bot in a process of its own, called over a websocket in Twilio's wire format; tones for voices."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest

from examples.phone_bot.demo_server import Server, serving
from examples.phone_bot.line import RATE, Line, to_mulaw
from examples.phone_bot.voice.local import hear_tones
from examples.phone_bot.voice.tones import encode
from pipecat_memory import Caller, Memory

# Processes of their own, which a busy machine starts slowly.
pytestmark = pytest.mark.timeout(180)

NUMBER = "+15551230001"
SCRIPTED = {"PHONE_BOT_VOICE": "scripted"}


def clip(text: str) -> bytes:
    return to_mulaw(encode(text))


def heard(line: Line, after: float) -> str:
    return hear_tones(line.heard(after).tobytes(), RATE)


async def say(line: Line, text: str) -> str:
    """Speak, and return the answer as the caller heard it."""
    begun = time.monotonic()
    await line.say(clip(text))
    assert await line.listened(begun, pause=0.3), "no answer came"
    return heard(line, begun)


async def dial(server: Server, call: str, number: str | None = NUMBER) -> tuple[Line, str]:
    line = await Line.dial(server.url, number, call)
    assert await line.listened(0.0, pause=0.3), "no greeting came"
    return line, heard(line, 0.0)


async def test_a_killed_process_loses_no_committed_turn_and_the_next_call_goes_on(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPTED) as server:
        line, greeting = await dial(server, "CA1")
        assert greeting == "Hello, thank you for calling. How can I help?"
        assert "Zoe" in await say(line, "Hi, my name is Zoe.")
        assert "table for 6" in await say(line, "A table for six people, please.")
        server.kill()
        await server.process.wait()
        await line.hang_up()
    async with serving(tmp_path, SCRIPTED) as server:
        line, greeting = await dial(server, "CA2")
        assert greeting.startswith("Hello Zoe, welcome back.")
        assert "table for 6" in greeting
        assert "Which day" in await say(line, "Yes please.")
        await line.hang_up()
        assert await server.ended("CA2")
        other, greeting = await dial(server, "CA3", None)
        assert greeting == "Hello, thank you for calling. How can I help?"
        await other.hang_up()


async def test_what_is_said_just_before_hanging_up_and_into_the_bots_words(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPTED) as server:
        line, _ = await dial(server, "CA1")
        await say(line, "Hi, my name is Zoe.")
        begun = time.monotonic()
        await line.say(clip("A table for six people, please."))
        assert await line.bot_starts(begun, 10.0)
        await asyncio.sleep(0.4)
        await say(line, "Excuse me.")
        assert line.clears > 0
        await line.say(clip("One of us sits in a wheelchair"))
        await asyncio.sleep(0.3)
        await line.hang_up()
        end = await server.until("end", "CA1")
        assert end is not None
        said = [item["text"] for item in end["history"] if item["role"] == "user"]
        assert said[-1] == "One of us sits in a wheelchair"
        cut = [item for item in end["history"] if item.get("interrupted")]
        assert len(cut) == 1
        assert cut[0]["text"]
        assert "What time" not in cut[0]["text"]
    memory = await Memory.open(f"sqlite:///{tmp_path / 'calls.db'}", embedder=None)
    report = await memory.export(Caller.phone(NUMBER))
    await memory.close()
    assert report["calls"][0]["history"][-1]["text"] == "One of us sits in a wheelchair"


def test_the_caller_of_the_tests_is_tones() -> None:
    assert np.abs(encode("a")).max() > 10_000


@pytest.mark.long
async def test_the_demo_fails_where_two_clips_are_swapped() -> None:
    import os
    import sys

    env = os.environ | {"PHONE_DEMO_SWAP": "name,booking", **SCRIPTED}
    command = [sys.executable, "-W", "ignore", "-m", "examples.phone_bot.demo", "--seed", "1"]
    process = await asyncio.create_subprocess_exec(*command, env=env)
    assert await process.wait() == 1
