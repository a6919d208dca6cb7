"""A process gets SIGKILL anywhere in a call; one `reprocess` later all is as if nobody had died."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Memory
from pipecat_memory.records.caller import Scope

from . import victim
from .processes import killed
from .script import NUMBER, SAID, ScriptClock, begin, caller, events

KILLS = 20
FIRST = 3
"""The step with which the first words may be on their way: before it a call has no records."""
FINISHING = 24
"""Steps of a process that finishes a call, or a few less or more."""


async def left(memory: Memory) -> dict[str, Any]:
    """What the call left behind: profile, summary, and what is known of its course."""
    export = await memory.export(caller())
    (call,) = export["calls"]
    kept = ("outcome", "history", "state", "tools", "summary")
    return {"profile": export["profiles"][NUMBER]} | {name: call[name] for name in kept}


async def journalled(memory: Memory) -> list[dict[str, Any]]:
    """The events that were durable when the process died."""
    file = await memory.archive.file(Scope("default", NUMBER), create=False)
    entries = await file.journal() if file else []
    return [json.loads(entry.blob) for entry in entries if entry.kind == "event"]


@cache
def undisturbed(count: int, reason: str) -> dict[str, Any]:
    """What a call leaves whose first `count` records were journalled and that was then ended in peace."""

    async def run() -> dict[str, Any]:
        memory = await victim.opened("memory://")
        clock = memory.clock
        assert isinstance(clock, ScriptClock)
        call = begin(memory)
        await call.preload(5.0)
        for event in (event for turn in events() for event in turn):
            if sum(kind == "event" for _, kind, _, _ in call.journal.records) >= count:
                break
            clock.moment = event.t
            call.apply(event)
            await call.writer.idle()
        await call.close(reason)
        await memory.tasks.drain(memory.clock, 10.0)
        result = await left(memory)
        await memory.close()
        return result

    return asyncio.run(run())


async def recovered(url: str) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """What is left after one `reprocess` of a fresh process's memory, what was durable, and what it did."""
    memory = await victim.opened(url)
    durable = await journalled(memory)
    done = await victim.reprocessed(memory)
    assert done["held"] == 0
    try:
        return await left(memory), durable, done["settled"]
    finally:
        await memory.close()


def hold_to_undisturbed(url: str, told: list[tuple[str, int]]) -> int:
    """One reprocess, then everything must be as if nobody had died. Returns the calls it settled."""
    found, durable, settled = asyncio.run(recovered(url))
    ended = any(event["type"] == "call_ended" for event in durable)
    expected = undisturbed(len(durable), "hangup" if ended else "error")
    assert found == expected
    said = " ".join(item["text"] for item in found["history"] if item["role"] == "user")
    for what, number in told:
        if what == "turn":
            assert SAID[number - 1][0] in said, "an acknowledged turn is missing"
    return settled


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many steps an undisturbed process takes from its first write to its last."""
    url = f"sqlite:///{tmp_path_factory.mktemp('whole') / 'calls.db'}"
    code, told = killed("hold", url, None)
    assert code == 0
    return max(number for what, number in told if what == "step")


def kill_and_make_good(url: str, draw: random.Random, at: int, *, more: int = 0) -> None:
    """Kill a call at that step and then `more` processes that try to finish it; then finish it."""
    code, told = killed("hold", url, at)
    assert code == -signal.SIGKILL
    for _ in range(more):
        code, _ = killed("finish", url, draw.randint(1, FINISHING))
        assert code in (-signal.SIGKILL, 0)
    hold_to_undisturbed(url, told)


@pytest.mark.parametrize("seed", range(KILLS))
def test_one_reprocess_makes_good_a_kill_anywhere_in_a_call(tmp_path: Path, whole: int, seed: int) -> None:
    draw = random.Random(seed)
    at = int(FIRST + (seed + draw.random()) * (whole - 3 - FIRST) / KILLS)
    kill_and_make_good(f"sqlite:///{tmp_path / 'calls.db'}", draw, at)


@pytest.mark.parametrize("seed", range(4))
def test_those_who_finish_the_call_may_be_killed_too(tmp_path: Path, whole: int, seed: int) -> None:
    draw = random.Random(1000 + seed)
    at = draw.randint(FIRST, whole - 3)
    kill_and_make_good(f"sqlite:///{tmp_path / 'calls.db'}", draw, at, more=seed % 3 + 1)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_two_hundred_kills(tmp_path: Path, whole: int) -> None:
    dead = 0
    for seed in range(200):
        draw = random.Random(seed)
        more = seed % 3
        kill_and_make_good(
            f"sqlite:///{tmp_path / f'{seed}.db'}", draw, draw.randint(FIRST, whole - 3), more=more
        )
        dead += 1 + more
    print(json.dumps({"calls": 200, "processes_killed_at_most": dead, "equal": 200}))  # noqa: T201 -- the claim
