r"""One client process of the soak: holds calls, writes turns, notes what was acknowledged.

    python -m pipecat_memory.bench.soak_client --store URL --tenant T --acks FILE \
        --calls 0-9 --turns 20 --pace 0.5
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
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..errors import StoreUnavailable
from ..records.caller import Scope
from ..stores.base import Entry
from ..stores.url import open_store
from ..stores.vault import Box, Vault

_CALLS_PER_CALLER = 2
_PAUSE = 0.1
"""Seconds between tries while the store is away."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """What this process has to do."""

    store: str
    tenant: str
    acks: Path
    calls: range
    turns: int
    pace: float


def caller_of(call: int) -> str:
    """The number that call comes from; two calls each."""
    return f"+1555{call // _CALLS_PER_CALLER:07d}"


async def hold_calls(plan: Plan) -> None:
    """Hold all calls of the plan at once, each to its end."""
    vault = await _until_there(lambda: _vault(plan.store))
    done = acknowledged(plan.acks)
    log = os.open(plan.acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        await asyncio.gather(*(_hold(plan, vault, call, done, log) for call in plan.calls))
    finally:
        os.close(log)
        await vault.aclose()


async def _hold(plan: Plan, vault: Vault, call: int, done: set[tuple[int, int]], log: int) -> None:
    draw = random.Random(call)  # noqa: S311 -- a plan, not a secret
    scope = Scope(plan.tenant, caller_of(call))
    box = await _until_there(lambda: vault.box(scope))
    assert box is not None
    for turn in range(plan.turns):
        if (call, turn) in done:
            continue
        await asyncio.sleep(plan.pace * draw.uniform(0.5, 1.5))
        payload = json.dumps({"caller": scope.caller, "call": call, "turn": turn}).encode()
        record = (f"t{turn}", "turn", float(turn), payload)
        await _until_there(lambda record=record: box.append(f"call-{call}", [record]))
        # One write to an appended file: a kill leaves the whole line or none.
        os.write(log, f"ack {call} {turn}\n".encode())
        if draw.random() < 0.3 and await _peek(box, scope.caller, draw):
            os.write(log, f"foreign {call} {turn}\n".encode())


async def _peek(box: Box, caller: str, draw: random.Random) -> bool:
    """Read the journal back, given up at a random moment; True where it held something foreign."""
    try:
        async with asyncio.timeout(draw.uniform(0, 0.02)):
            return is_foreign(await box.read(), caller) or bool(box.corrupt)
    except (TimeoutError, StoreUnavailable):
        return False


def is_foreign(entries: list[Entry], caller: str) -> bool:
    """Whether any of these records is not this caller's."""
    return any(json.loads(entry.blob)["caller"] != caller for entry in entries)


async def verify(plan: Plan) -> dict[str, int]:
    """Read everything back, hold it against what was acknowledged, and remove it."""
    vault = await _until_there(lambda: _vault(plan.store))
    acks = acknowledged(plan.acks)
    found: Counter[tuple[int, int]] = Counter()
    foreign = sum(path.read_text().count("foreign ") for path in ack_files(plan.acks))
    try:
        for caller in sorted({caller_of(call) for call in plan.calls}):
            box = await vault.box(Scope(plan.tenant, caller), create=False)
            entries = await box.read() if box else []
            foreign += is_foreign(entries, caller) + len(box.corrupt if box else ())
            found.update((said["call"], said["turn"]) for said in (json.loads(e.blob) for e in entries))
            if box is not None:
                await box.erase()
    finally:
        await vault.aclose()
    return {
        "turns_acknowledged": len(acks),
        "turns_found": len(acks & found.keys()),
        "turns_stored": found.total(),
        "duplicates": found.total() - len(found),
        "foreign_reads": foreign,
    }


def acknowledged(acks: Path) -> set[tuple[int, int]]:
    """The (call, turn) pairs that were acknowledged, of one file or of all in a folder."""
    lines = [line.split() for path in ack_files(acks) for line in path.read_text().splitlines()]
    return {(int(line[1]), int(line[2])) for line in lines if line[0] == "ack"}


def ack_files(acks: Path) -> list[Path]:
    """The file itself, or all files of the folder; none where there is none yet."""
    if acks.is_dir():
        return sorted(acks.iterdir())
    return [acks] if acks.exists() else []


async def _vault(url: str) -> Vault:
    store, keys = await open_store(url, command_timeout=1.0)
    vault = Vault(store, keys)
    try:
        await vault.open()
    except BaseException:
        await vault.aclose()
        raise
    return vault


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
    parser.add_argument("--verify", action="store_true")
    given = parser.parse_args()
    first, _, last = given.calls.partition("-")
    calls = range(int(first), int(last) + 1)
    plan = Plan(given.store, given.tenant, given.acks, calls, given.turns, given.pace)
    if given.verify:
        sys.stdout.write(json.dumps(asyncio.run(verify(plan))) + "\n")
    else:
        asyncio.run(hold_calls(plan))


if __name__ == "__main__":
    main()
