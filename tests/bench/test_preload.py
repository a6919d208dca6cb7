"""What a preload costs does not grow with how many other callers the store holds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Memory, Settings
from pipecat_memory.bench.caller import seed
from pipecat_memory.bench.costs import measure_preload

FACTS, OTHERS = 1000, 200_000


def crowd(path: Path, others: int) -> None:
    """Other callers, each with a profile and a call, written past the store: through it they take an hour."""
    blob = bytes(60)
    with sqlite3.connect(path) as db:
        first = db.execute("SELECT max(id) FROM owners").fetchone()[0] + 1
        ids = range(first, first + others)
        db.executemany("INSERT INTO owners (id, owner) VALUES (?, ?)", ((n, f"x:{n:064}.0") for n in ids))
        db.executemany(
            "INSERT INTO docs (owner, kind, name, version, blob) VALUES (?, ?, ?, 1, ?)",
            ((n, kind, name, blob) for n in ids for kind, name in (("call", "c1"), ("profile", "main"))),
        )
    with sqlite3.connect(f"{path}.keys") as db:
        keys = ((f"x:{n:064}", bytes(33)) for n in range(others))
        db.executemany("INSERT INTO keys (name, key) VALUES (?, ?)", keys)


def plan(path: Path, query: str) -> str:
    """How SQLite looks for it."""
    with sqlite3.connect(path) as db:
        return " ".join(str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))


async def preloads(url: str) -> dict[str, Any]:
    memory = await Memory.open(url, embedder=None, extraction="off", settings=Settings(strict=True))
    try:
        found = await measure_preload(memory, await seed(memory, FACTS, facts=FACTS))
        return {name: found[f"preload_{name}_ms"]["p50"] for name in ("raw", "whole")}
    finally:
        await memory.close()


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_two_hundred_thousand_callers_beside_make_no_preload_slower(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    url = f"sqlite:///{path}"
    alone = await preloads(url)
    crowd(path, OTHERS)
    among = await preloads(url)
    line = {"facts": FACTS, "alone": alone, f"among_{OTHERS}": among}
    print(json.dumps(line))  # noqa: T201 -- the line that docs/claims.md quotes
    # No clock is asserted on: every look-up of a preload goes by an index, whatever the machine does.
    docs = "SELECT blob FROM docs WHERE owner = (SELECT id FROM owners WHERE owner = 'x') AND kind IN ('a')"
    keys = "SELECT key FROM keys WHERE name = 'x'"
    for file, query in ((path, docs), (tmp_path / "calls.db.keys", keys)):
        assert "SCAN" not in plan(file, query)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM owners").fetchone()[0] > OTHERS
