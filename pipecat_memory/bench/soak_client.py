r"""One client process of the soak: holds calls, writes turns, notes what was acknowledged.

    python -m pipecat_memory.bench.soak_client --store URL --tenant T --acks FILE \
        --calls 0-9 --turns 20 --pace 0.5 --began 1790000000
    python -m pipecat_memory.bench.soak_client --store URL --tenant T --acks FOLDER \
        --calls 0-9 --turns 20 --verify

It may be killed at any moment. Started again with the same arguments it goes on behind what `FILE`
says was acknowledged. Lines of the file: `ack CALL TURN`, `foreign CALL TURN`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..call import CallMemory
from ..config import Settings
from ..errors import StoreUnavailable
from ..events import TurnEnded, UserFinal
from ..memory import Memory
from ..records.caller import Caller

T = TypeVar("T")
_CALLS_PER_CALLER = 2
_PAUSE = 0.1
"""Seconds between tries while the store is away."""
_SAID = re.compile(r"turn (\d+) of call (\d+) by ([a-j]+)")
_LETTERS = str.maketrans("0123456789", "abcdefghij")


@dataclass(frozen=True, slots=True)
class Plan:
    """What this process has to do.

    `began` (Unix seconds) and `pace` (seconds a turn) say when a turn is due: a process started again says
    at once what should have been said by now, so that however often it is killed the calls get on.
    """

    store: str
    tenant: str
    acks: Path
    calls: range
    turns: int
    pace: float
    began: float


def caller_of(call: int) -> Caller:
    """Who holds that call; two calls each."""
    return Caller.phone(f"+1555{call // _CALLS_PER_CALLER:07d}", how="verified")


def words_of(caller: Caller, call: int, turn: int) -> str:
    """What the caller says in a turn: who, which call, which turn. Letters, lest it be taken for a number."""
    return f"this is turn {turn} of call {call} by {_tag(caller)}"


async def hold_calls(plan: Plan) -> None:
    """Hold all calls of the plan at once, each to its end."""
    memory = await _memory(plan)
    done = acknowledged(plan.acks)
    log = os.open(plan.acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        await asyncio.gather(*(_hold(plan, memory, call, done, log) for call in plan.calls))
    finally:
        os.close(log)
        await memory.close()


async def _hold(plan: Plan, memory: Memory, number: int, done: set[tuple[int, int]], log: int) -> None:
    draw = random.Random(number)  # noqa: S311 -- a plan, not a secret
    caller = caller_of(number)
    # The same call id after a kill, as a carrier's line that goes on; the same ids of its finals.
    call = memory.call(caller, call_id=f"call-{number}")
    await call.preload()
    for turn in range(plan.turns):
        due = plan.began + plan.pace * (turn + draw.uniform(0.0, 1.0))
        if (number, turn) in done:
            continue
        await asyncio.sleep(max(0.0, due - time.time()))
        if _foreign(call.briefing().text, caller):
            os.write(log, f"foreign {number} {turn}\n".encode())
        call.apply(UserFinal(t=call.elapsed, text=words_of(caller, number, turn), id=f"t{turn}"))
        call.apply(TurnEnded(t=call.elapsed))
        await _durable(call)
        # One write to an appended file: a kill leaves the whole line or none.
        os.write(log, f"ack {number} {turn}\n".encode())
        if draw.random() < 0.3 and await _peek(memory, caller, draw):
            os.write(log, f"foreign {number} {turn}\n".encode())
    await call.close("hangup")


async def _durable(call: CallMemory) -> None:
    """Wait until the journal is written, however long the store is away."""
    if call.kept.opening is not None:
        await call.kept.opening
    while call.journal.waiting:
        await call.journal.flushed()
        await asyncio.sleep(0.01)  # where there is no file yet nothing is waited for


async def _peek(memory: Memory, caller: Caller, draw: random.Random) -> bool:
    """Read the calls back, given up at a random moment; True where they held something foreign."""
    try:
        async with asyncio.timeout(draw.uniform(0, 0.02)):
            return _foreign(json.dumps(await memory.export(caller)), caller)
    except (TimeoutError, StoreUnavailable):
        return False


async def verify(plan: Plan) -> dict[str, int]:
    """Finish what was left, read everything back, hold it against what was acknowledged, and remove it."""
    memory = await _memory(plan)
    acks = acknowledged(plan.acks)
    found: Counter[tuple[int, int]] = Counter()
    foreign = sum(path.read_text().count("foreign ") for path in ack_files(plan.acks))
    callers = {caller_of(call).label: caller_of(call) for call in plan.calls}
    try:
        for caller in callers.values():
            exported = await _until_there(partial(memory.export, caller))
            said = [item["text"] for call in exported["calls"] for item in call["history"]]
            foreign += _foreign(json.dumps(exported), caller)
            found.update((int(c), int(t)) for text in said for t, c, _ in _SAID.findall(text))
            await _until_there(partial(memory.forget, caller))
        await memory.tasks.drain(memory.clock, 3.0)
        await (await memory.archive.vault.trail(plan.tenant)).erase()
    finally:
        await memory.close()
    return {
        "turns_acknowledged": len(acks),
        "turns_found": len(acks & found.keys()),
        "turns_stored": found.total(),
        "duplicates": found.total() - len(found),
        "foreign_reads": foreign,
    }


def _foreign(text: str, caller: Caller) -> bool:
    """Whether any of these words are another caller's."""
    return any(tag != _tag(caller) for _, _, tag in _SAID.findall(text))


def _tag(caller: Caller) -> str:
    return caller.label.lstrip("+").translate(_LETTERS)


def acknowledged(acks: Path) -> set[tuple[int, int]]:
    """The (call, turn) pairs that were acknowledged, of one file or of all in a folder."""
    lines = [line.split() for path in ack_files(acks) for line in path.read_text().splitlines()]
    return {(int(line[1]), int(line[2])) for line in lines if line[0] == "ack"}


def ack_files(acks: Path) -> list[Path]:
    """The file itself, or all files of the folder; none where there is none yet."""
    if acks.is_dir():
        return sorted(acks.iterdir())
    return [acks] if acks.exists() else []


async def _memory(plan: Plan) -> Memory:
    settings = Settings(store_timeout=1.0)
    opened = partial(Memory.open, plan.store, tenant=plan.tenant, embedder=None, settings=settings)
    return await _until_there(opened)


async def _until_there(command: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await command()
        except StoreUnavailable:
            await asyncio.sleep(_PAUSE)


def main() -> None:
    """The process's entry."""
    parser = argparse.ArgumentParser(description="one client of the soak")
    parser.add_argument("--store", required=True)
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--acks", required=True, type=Path)
    parser.add_argument("--calls", required=True, help="first-last")
    parser.add_argument("--turns", required=True, type=int)
    parser.add_argument("--pace", type=float, default=0.0)
    parser.add_argument("--began", type=float, default=0.0)
    parser.add_argument("--verify", action="store_true")
    given = parser.parse_args()
    first, _, last = given.calls.partition("-")
    calls = range(int(first), int(last) + 1)
    plan = Plan(given.store, given.tenant, given.acks, calls, given.turns, given.pace, given.began)
    if given.verify:
        sys.stdout.write(json.dumps(asyncio.run(verify(plan))) + "\n")
    else:
        asyncio.run(hold_calls(plan))


if __name__ == "__main__":
    main()
