"""A call begins with the head of a long profile, and is told the same as by the whole of it."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory.bench.caller import question, seed
from pipecat_memory.records.profile import Profile
from pipecat_memory.stores.seal import MAGIC, VERSION

from ..kit import NUMBER, ended, opened, say, verified

MANY = 300
WHO = [Caller.phone(NUMBER), verified()]
SCHEMA = {"version": 1, "slots": [{"name": "colour", "type": "choice", "values": ["red", "green"]}]}


async def preloaded(
    memory: Memory, caller: Caller, id: str = "c1", schema: dict[str, Any] | None = SCHEMA
) -> CallMemory:
    call = memory.call(caller, call_id=id, schema=schema)
    assert await call.preload(60.0)
    return call


async def read_on(call: CallMemory) -> None:
    assert call.arrival.indexing is not None
    await asyncio.wait({call.arrival.indexing})
    await asyncio.sleep(0)


def begun_with_head(call: CallMemory) -> bool:
    assert call.reader.known is not None
    return call.reader.known.head is not None


def edit(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as db:
        assert db.execute(statement, values).rowcount == 1


def head_blob(path: Path) -> bytes:
    with sqlite3.connect(path) as db:
        return db.execute("SELECT blob FROM docs WHERE kind = 'head'").fetchone()[0]


@pytest.mark.parametrize("caller", WHO, ids=lambda who: who.how)
async def test_what_is_told_stays_the_same_when_the_rest_is_there(caller: Caller, tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    async with opened(f"sqlite:///{path}") as (memory, clock):
        await seed(memory, MANY, NUMBER, facts=MANY)
        news: list[tuple[str, dict[str, Any]]] = []
        call = memory.call(caller, call_id="c1", schema=SCHEMA)
        call.listen(lambda name, payload: news.append((name, payload)))
        assert await call.preload(60.0)
        assert begun_with_head(call)
        first = call.briefing()
        await read_on(call)
        assert not begun_with_head(call)
        assert call.briefing().text == first.text
        call.identity.take(verified())
        later = call.briefing().text
        edit(path, "DELETE FROM docs WHERE kind = 'head'")
        whole = await preloaded(memory, caller, "c2")
        assert not begun_with_head(whole)
        assert whole.briefing().text == first.text
        assert ("preloaded", {"call_id": "c1", "facts": whole.reader.seen.count, "open_items": 0}) in news
        whole.identity.take(verified())
        assert whole.briefing().text == later
        await ended(whole, clock)
        await ended(call, clock)


async def test_who_is_known_better_before_the_rest_is_there_is_told_as_much(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        await seed(memory, MANY, NUMBER, facts=MANY)
        call = await preloaded(memory, Caller.phone(NUMBER))
        call.identity.take(verified())
        assert begun_with_head(call)
        first = call.briefing().text
        await read_on(call)
        assert call.briefing().text == first
        assert len(call.reader.seen.facts) == MANY
        await say(call, clock, question(280, MANY))
        assert "[recall.fact." in call.briefing().text
        await ended(call, clock)


async def test_a_slot_whose_fact_is_not_in_the_head_is_known_at_once(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'calls.db'}") as (memory, clock):
        await seed(memory, MANY, NUMBER, facts=MANY)
        slots = [{"name": "topic_299", "type": "text"}]
        call = await preloaded(memory, verified(), schema={"version": 1, "slots": slots})
        assert call.course.notes.known.values == {"topic_299": "value 299"}
        await ended(call, clock)
        # The next call of that schema has it in the head.
        again = await preloaded(memory, verified(), schema={"version": 1, "slots": slots})
        assert begun_with_head(again)
        assert again.course.notes.known.values == {"topic_299": "value 299"}
        await ended(again, clock)


async def test_the_head_of_an_earlier_profile_is_not_taken(tmp_path: Path) -> None:
    """An older version of this software wrote the profile, and knows of no head."""
    path = tmp_path / "calls.db"
    async with opened(f"sqlite:///{path}") as (memory, clock):
        await seed(memory, MANY, NUMBER, facts=MANY)
        edit(path, "UPDATE docs SET version = version + 1 WHERE kind = 'profile'")
        call = await preloaded(memory, verified())
        assert not begun_with_head(call)
        assert len(call.reader.seen.facts) == MANY
        await ended(call, clock)
        call = await preloaded(memory, verified())
        assert begun_with_head(call)
        await ended(call, clock)


async def test_the_head_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    newer = MAGIC + bytes((VERSION + 1, 0)) + b"of another form"
    async with opened(f"sqlite:///{path}") as (memory, clock):
        await seed(memory, MANY, NUMBER, facts=MANY)
        edit(path, "UPDATE docs SET blob = ? WHERE kind = 'head'", newer)
        call = await preloaded(memory, verified(), schema=None)
        assert not begun_with_head(call)
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock)
        assert "Wren Okafor" in [fact["value"] for fact in await memory.profile(verified())]
    assert head_blob(path) == newer


async def test_what_leaves_the_profile_leaves_the_head(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    async with opened(f"sqlite:///{path}") as (memory, _):
        file = await seed(memory, MANY, NUMBER, facts=MANY)
        assert (await file.glance(lambda _id, _past: False)).head is not None
        await file.settle(None, lambda _: Profile())
        head = (await file.glance(lambda _id, _past: False)).head
        assert head is not None
        assert (head.facts, head.summaries, head.elsewhere) == ((), (), "")
        await memory.forget(verified())
    with sqlite3.connect(path) as db:
        left = db.execute("SELECT kind FROM docs WHERE kind <> 'segment'").fetchall()
    assert left == [("keys",)]  # the store's own mark of its keys
