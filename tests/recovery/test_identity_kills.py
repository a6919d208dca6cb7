"""A process gets SIGKILL while a late identity moves its call: the call is with one caller, whole."""

from __future__ import annotations

import asyncio
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Caller

from . import victim
from .processes import killed
from .script import NUMBER, SAID

KILLS = 12


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> int:
    code, told = killed("identify", f"sqlite:///{tmp_path_factory.mktemp('whole') / 'calls.db'}", None)
    assert code == 0
    return max(number for what, number in told if what == "step")


async def found(url: str) -> list[tuple[str, list[str], list[Any]]]:
    """(caller, the caller's turns, values of facts) of every call, once a worker has finished all."""
    memory = await victim.opened(url)
    await asyncio.sleep(victim.LEASE)
    await memory.reprocess()
    rows: list[tuple[str, list[str], list[Any]]] = []
    for caller in (Caller.phone(NUMBER), victim.ACCOUNT):
        export = await memory.export(caller)
        facts = [fact["value"] for facts in export["profiles"].values() for fact in facts]
        for call in export["calls"]:
            said = [item["text"] for item in call["history"] if item["role"] == "user"]
            assert call["summary"] is not None
            rows.append((str(caller.id), said, facts))
    await memory.close()
    return rows


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_move_is_whole_or_not_begun(tmp_path: Path, whole: int, seed: int) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    at = int(3 + (seed + random.Random(seed).random()) * (whole - 6) / KILLS)
    code, told = killed("identify", url, at)
    assert code == -signal.SIGKILL
    rows = asyncio.run(found(url))
    assert len(rows) == 1, "one call, with one caller"
    caller, said, facts = rows[0]
    acknowledged = [SAID[number - 1][0] for what, number in told if what == "turn"]
    assert said[: len(acknowledged)] == acknowledged
    assert len(said) <= len(acknowledged) + 1
    assert "Wren Okafor" in facts
    if any(what == "known" for what, _ in told):
        assert caller == victim.ACCOUNT.id
