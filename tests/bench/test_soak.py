"""What was acknowledged is found, once, and by nobody else, whatever died meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory.bench.soak import EMBEDDED, soak
from pipecat_memory.errors import UsedWrongly


def _hold(found: dict[str, Any], turns: int, faults: int, kinds: set[str]) -> None:
    print(json.dumps(found))  # noqa: T201 -- the line that docs/claims.md quotes
    assert found["ok"]
    assert found["turns_planned"] == found["turns_acknowledged"] == found["turns_found"] == turns
    assert found["duplicates"] == found["foreign_reads"] == found["clients_unfinished"] == 0
    assert found["faults"]["all"] == faults
    assert kinds <= found["faults"].keys()


REDIS = {"server_killed", "client_killed", "connections_cut", "connections_stalled"}
SQLITE = {"client_killed", "file_locked"}


def test_redis_keeps_what_it_acknowledged() -> None:
    found = soak(EMBEDDED, calls=12, seconds=6, chaos=True, faults=20, clients=2)
    _hold(found, 240, 20, REDIS)
    assert len(found["server_pids"]) == 6


def test_sqlite_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    found = soak(f"sqlite:///{tmp_path / 'soak.db'}", calls=12, seconds=6, chaos=True, faults=12, clients=2)
    _hold(found, 240, 12, SQLITE)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_redis_keeps_ten_thousand_turns() -> None:
    _hold(soak(EMBEDDED, calls=500, seconds=240, chaos=True, faults=200), 10_000, 200, REDIS)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_sqlite_keeps_ten_thousand_turns(tmp_path: Path) -> None:
    found = soak(f"sqlite:///{tmp_path / 'soak.db'}", calls=500, seconds=240, chaos=True, faults=200)
    _hold(found, 10_000, 200, SQLITE)


@pytest.mark.parametrize("url", ["memory://", "redis://example.org:6379/0", "redis+cluster://127.0.0.1:7000"])
def test_only_stores_of_this_machine_are_soaked(url: str) -> None:
    with pytest.raises(UsedWrongly):
        soak(url, calls=1, seconds=1)
