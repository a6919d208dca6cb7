"""The fleet's store against a real server: cancelled commands, outages, circuits, erasure, clusters."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis

from pipecat_memory.errors import StoreUnavailable, VersionConflict
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores import redis_hints as hints
from pipecat_memory.stores import redis_scripts as scripts
from pipecat_memory.stores.base import Job, PutDoc, Store
from pipecat_memory.stores.redis import RedisStore
from pipecat_memory.stores.redis_server import redis_server as redis_server_of
from pipecat_memory.stores.url import open_store
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing.redis_process import RedisProcess

from .redis_kit import entry, opened

OWNER = "acme:1"
ADA = Scope("acme", "+15551230001")
_numbers = count()


@pytest.fixture
async def store(redis_server: RedisProcess) -> AsyncIterator[RedisStore]:
    store, keys = await open_store(f"{redis_server.url}?prefix=r{next(_numbers)}")
    assert isinstance(store, RedisStore)
    yield store
    await store.aclose()
    await keys.aclose()


# Cancelled commands.


async def test_a_cancelled_command_leaves_no_answer_behind(server: RedisProcess) -> None:
    """One connection, frozen between question and answer: whoever asks next must not get A's."""
    store = await opened(server.url)
    for owner in ("a", "b"):
        await store.append(owner, "call", [entry("1", owner.encode())])
    for _ in range(5):
        server.freeze()
        asked = asyncio.ensure_future(store.read("a"))
        while not asked.done() and not _waits_for_an_answer(store):  # noqa: ASYNC110 -- the library has no event for it
            await asyncio.sleep(0)
        asked.cancel()
        server.thaw()
        assert [e.blob for e in await store.read("b")] == [b"b"]
        assert asked.cancelled()
    await store.aclose()


def _waits_for_an_answer(store: Store) -> bool:
    assert isinstance(store, RedisStore)
    client, _ = store._server._client()
    return any(c.is_connected for c in client.connection_pool._in_use_connections)


async def test_a_command_that_runs_out_of_time_leaves_no_answer_behind(server: RedisProcess) -> None:
    store = await opened(server.url, seconds=0.3)
    for owner in ("a", "b"):
        await store.append(owner, "call", [entry("1", owner.encode())])
    server.freeze()
    with pytest.raises(StoreUnavailable, match=r"within 0\.3 s|can't be reached"):
        await store.read("a")
    server.thaw()
    assert [e.blob for e in await store.read("b")] == [b"b"]
    await store.aclose()


async def test_reads_given_up_at_random_show_nobody_anothers_record(
    server: RedisProcess,
) -> None:
    store = await opened(server.url)
    draw = random.Random(5)
    owners = [f"acme:{n}" for n in range(200)]
    for owner in owners:
        await store.append(owner, "call", [entry("1", owner.encode())])
    foreign = 0

    async def read(owner: str) -> None:
        nonlocal foreign
        for _ in range(5):
            try:
                async with asyncio.timeout(draw.uniform(0, 0.03)):
                    foreign += any(e.blob != owner.encode() for e in await store.read(owner))
            except (TimeoutError, StoreUnavailable):
                continue

    await asyncio.gather(*(read(owner) for owner in owners))
    for owner in owners[::10]:
        foreign += [e.blob for e in await store.read(owner)] != [owner.encode()]
    assert foreign == 0
    await store.aclose()


def test_one_store_serves_one_loop_after_another(redis_server: RedisProcess) -> None:
    """Each loop closes what it opened; the store object is the same."""
    server_of = redis_server_of(urlsplit(redis_server.url), {}, 2.0)
    store = RedisStore(server_of, prefix="loops")

    async def turn(n: int) -> int:
        await store.append(OWNER, "call", [entry(str(n))])
        found = len(await store.read(OWNER))
        await store.aclose()
        return found

    assert [asyncio.run(turn(n)) for n in range(3)] == [1, 2, 3]


# Atomicity.


async def test_a_put_whose_answer_was_lost_is_not_its_own_conflict(store: RedisStore) -> None:
    arguments = (store._base(OWNER), 0, "token", 1, "profile", "main", 0, b"x", "j", "settle", "call")
    for _ in range(2):
        assert await store._server.eval(scripts.PUT, *arguments) == [b"ok", b"j"]
    (doc,) = await store.load(OWNER)
    assert doc.version == 1
    with pytest.raises(VersionConflict):
        await store.put(OWNER, [PutDoc("profile", "main", b"y", 0)])


async def test_a_job_whose_putter_died_before_its_hint_is_still_found(store: RedisStore) -> None:
    arguments = (store._base(OWNER), 0, "token", 0, "j", "settle", "call")
    await store._hint(-1.0, "new", {"j": ("settle", f"{OWNER} j")})  # the grace has passed
    await store._server.eval(scripts.PUT, *arguments)
    job = await store.claim("w", 60)
    assert job is not None
    assert (job.id, job.call) == ("j", "call")


async def test_a_hint_without_its_job_is_cleared_away(store: RedisStore) -> None:
    await store._hint(-1.0, "new", {f"{n}": ("settle", f"{OWNER} {n}") for n in range(50)})
    await store.put(OWNER, [], jobs=[_job("real")])
    job = await store.claim("w", 60)
    assert job is not None
    assert job.id == "real"
    assert await store._server.eval(hints.DUE, store._jobs, 100) == []


def _job(name: str) -> Job:
    return Job(name, "settle", OWNER, "call")


async def test_the_scripts_come_back_after_a_flush(store: RedisStore) -> None:
    await store.append(OWNER, "call", [entry("1")])
    await store._server.run(lambda client: client.execute_command("SCRIPT", "FLUSH"))
    assert len(await store.read(OWNER)) == 1


async def test_records_go_after_their_time_to_live(redis_server: RedisProcess) -> None:
    store = await opened(f"{redis_server.url}?prefix=ttl&ttl=100")
    assert isinstance(store, RedisStore)
    await store.append(OWNER, "call", [entry("1")])
    await store.put(OWNER, [PutDoc("profile", "main", b"x", 0)], jobs=[_job("j")])

    async def times(client: Redis) -> list[int]:
        names = [name async for name in client.scan_iter("ttl:{acme:1}*")]
        return [await client.ttl(name) for name in names]

    left = await store._server.run(times)
    assert len(left) == 7
    assert all(0 < seconds <= 100 for seconds in left)
    await store.aclose()


# Forgetting.


def _search(folder: Path, *words: bytes) -> set[bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return {word for path in files for word in words if word in path.read_bytes()}


async def test_forget_leaves_no_words_in_dump_or_log_and_no_readable_copy(
    tmp_path: Path, server: RedisProcess
) -> None:
    url = f"{server.url}?keys=sqlite:///{tmp_path}/elsewhere"
    vault = Vault(*await open_store(url))
    box = await vault.box(ADA)
    assert box is not None
    await box.append("call-1", [("1", "turn", 0.0, b"my name is Wren Okafor, +15551230001")])
    await box.put([PutDoc("profile", "main", b"Wren" * 999, 0)], [box.job("settle", "call-1")])
    words = (b"Wren", b"Okafor", b"5551230001", box._key)
    assert isinstance(vault.store, RedisStore)
    await vault.store._server.run(lambda client: client.save())
    data = server.folder
    assert _search(data, *words) == set()
    assert _search(data, box.owner.encode()) != set(), "the search itself works"
    sealed = (await vault.store.read(box.owner))[0].blob
    await box.erase()
    await vault.store._server.run(lambda client: client.save())
    assert _search(tmp_path, *words, sealed[16:], b"profile") <= {sealed[16:], b"profile"}
    assert await vault.box(ADA, create=False) is None
    await vault.aclose()
