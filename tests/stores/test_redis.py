"""The fleet's store against a real server: cancelled commands, outages, circuits, erasure, clusters."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis

from pipecat_memory import Caller, Memory
from pipecat_memory.errors import StoreUnavailable, UsedWrongly, VersionConflict
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores import redis_hints as hints
from pipecat_memory.stores import redis_scripts as scripts
from pipecat_memory.stores.base import Job, NewEntry, PutDoc, Store
from pipecat_memory.stores.redis import RedisStore
from pipecat_memory.stores.redis_server import redis_server as redis_server_of
from pipecat_memory.stores.url import open_store
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing.redis_process import RedisProcess

OWNER = "acme:1"
ADA = Scope("acme", "+15551230001")
_numbers = count()


def entry(uid: str, blob: bytes = b"x") -> NewEntry:
    return NewEntry(uid, "turn", 0.0, blob)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisProcess]:
    """A server of the test's own, to be killed and frozen."""
    folder = tmp_path / "server"
    folder.mkdir()
    process = RedisProcess(folder).start()
    yield process
    process.stop()


@pytest.fixture
async def store(redis_server: RedisProcess) -> AsyncIterator[RedisStore]:
    store, keys = await open_store(f"{redis_server.url}?prefix=r{next(_numbers)}")
    assert isinstance(store, RedisStore)
    yield store
    await store.aclose()
    await keys.aclose()


async def _opened(url: str, seconds: float = 2.0) -> Store:
    store, keys = await open_store(url, command_timeout=seconds)
    await keys.aclose()
    return store


# Cancelled commands.


async def test_a_cancelled_command_leaves_no_answer_behind(server: RedisProcess) -> None:
    """One connection, frozen between question and answer: whoever asks next must not get A's."""
    store = await _opened(server.url)
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
    store = await _opened(server.url, seconds=0.3)
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
    store = await _opened(server.url)
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


# Outages.


async def test_a_killed_server_loses_nothing_and_is_found_again(server: RedisProcess) -> None:
    store = await _opened(server.url)
    for n in range(20):
        await store.append(OWNER, "call", [entry(str(n))])
    server.kill()
    with pytest.raises(StoreUnavailable):
        await store.append(OWNER, "call", [entry("away")])
    await asyncio.to_thread(server.start)
    await _until_there(store)
    assert len(await store.read(OWNER)) == 20
    await store.aclose()


async def _until_there(store: Store) -> None:
    while True:
        try:
            await store.read(OWNER)
        except StoreUnavailable:
            await asyncio.sleep(0.05)
        else:
            return


async def test_the_circuit_opens_and_closes_again(
    server: RedisProcess, caplog: pytest.LogCaptureFixture
) -> None:
    store = await _opened(server.url)
    assert isinstance(store, RedisStore)
    server.kill()
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="can't be reached"):
            await store.read(OWNER)
    with pytest.raises(StoreUnavailable, match="not asked again yet"):
        await store.read(OWNER)
    assert [r.message for r in caplog.records if "is away" in r.message] == [
        f"store 127.0.0.1:{server.port} is away; calls go on without it"
    ]
    await asyncio.to_thread(server.start)
    await _until_there(store)
    assert store._server._failures == 0
    await store.aclose()


async def test_a_dropped_idle_connection_costs_nothing(server: RedisProcess) -> None:
    store, other = await _opened(server.url), await _opened(server.url)
    assert isinstance(other, RedisStore)
    await store.append(OWNER, "call", [entry("1")])
    await other._server.run(lambda client: client.execute_command("CLIENT", "KILL", "SKIPME", "yes"))
    assert len(await store.read(OWNER)) == 1
    await store.aclose()
    await other.aclose()


async def test_a_server_that_is_down_at_open_is_a_warning(
    server: RedisProcess, caplog: pytest.LogCaptureFixture
) -> None:
    server.kill()
    store = await _opened(server.url)
    assert "does not answer" in caplog.text
    with pytest.raises(StoreUnavailable):
        await store.read(OWNER)
    await store.aclose()


async def test_a_wrong_password_is_a_mistake_of_the_url(tmp_path: Path) -> None:
    server = await asyncio.to_thread(_locked, tmp_path)
    try:
        with pytest.raises(UsedWrongly, match="password") as caught:
            await open_store(server.url.replace("//", "//:wrong-hunter2@"))
        assert "hunter2" not in str(caught.value)
        store = await _opened(server.url.replace("//", "//:right@"))
        await store.append(OWNER, "call", [entry("1")])
        await store.aclose()
    finally:
        server.stop()


async def test_a_password_that_changes_is_a_store_that_is_away(tmp_path: Path) -> None:
    server = await asyncio.to_thread(_locked, tmp_path)
    try:
        store = await _opened(server.url.replace("//", "//:right@"))
        await store.append(OWNER, "call", [entry("1")])
        async with Redis.from_url(server.url, password="right") as admin:
            await admin.config_set("requirepass", "other")
            await admin.client_kill_filter(_type="normal", skipme=True)
            with pytest.raises(StoreUnavailable, match="password"):
                await store.append(OWNER, "call", [entry("2")])
            await admin.config_set("requirepass", "right")
        await store.append(OWNER, "call", [entry("2")])
        assert [e.uid for e in await store.read(OWNER)] == ["1", "2"]
        await store.aclose()
    finally:
        server.stop()


async def test_a_server_that_is_away_at_the_opening_is_used_once_it_is_back(tmp_path: Path) -> None:
    server = await asyncio.to_thread(RedisProcess(tmp_path).start)
    server.kill()
    memory = await Memory.open(server.url, embedder=None)
    call = memory.call(Caller.phone("+15551230001"), call_id="c")
    assert not await call.preload(2.0)
    await asyncio.to_thread(server.start)
    try:
        await call.kept.durable()
        assert [meta["call"] for meta in (await memory.export(call.caller))["calls"]] == ["c"]
        await memory.close()
    finally:
        server.stop()


def _locked(folder: Path) -> RedisProcess:
    return RedisProcess(folder, {"requirepass": "right"}).start()


@pytest.mark.parametrize(
    ("options", "query", "warned"),
    [
        ({}, "", ""),
        ({"maxmemory-policy": "allkeys-lru"}, "", "allkeys-lru"),
        ({"maxmemory-policy": "volatile-ttl"}, "", ""),
        ({"maxmemory-policy": "volatile-ttl"}, "?ttl=60", "volatile-ttl"),
        ({"appendonly": "no"}, "", "append-only"),
    ],
)
async def test_a_server_that_would_lose_records_is_warned_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, options: dict[str, str], query: str, warned: str
) -> None:
    server = RedisProcess(tmp_path, options)
    await asyncio.to_thread(server.start)
    try:
        with caplog.at_level(logging.WARNING):
            store = await _opened(server.url + query)
            await store.read(OWNER)
        await store.aclose()
    finally:
        server.stop()
    assert len(caplog.records) == bool(warned)
    assert warned in caplog.text


async def test_a_full_server_is_unavailable_and_the_circuit_stays_shut(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path, {"maxmemory": "12mb"})
    await asyncio.to_thread(server.start)
    store = await _opened(server.url)
    try:
        with pytest.raises(StoreUnavailable, match="OutOfMemory"):
            await asyncio.gather(
                *(store.append(OWNER, "call", [entry(str(n), bytes(400_000))]) for n in range(100))
            )
        assert await store.read(OWNER) != [], "reads go on"
    finally:
        await store.aclose()
        server.stop()


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
    store = await _opened(f"{redis_server.url}?prefix=ttl&ttl=100")
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
