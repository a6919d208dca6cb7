"""A server that is away, that refuses, or that would lose records: said once, and calls go on."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from redis.asyncio import Redis

from pipecat_memory import Caller, Memory
from pipecat_memory.errors import StoreUnavailable, UsedWrongly
from pipecat_memory.stores.base import Store
from pipecat_memory.stores.redis import RedisStore
from pipecat_memory.stores.url import open_store
from pipecat_memory.testing.redis_process import RedisProcess

from .redis_kit import entry, opened

OWNER = "acme:1"


async def test_a_killed_server_loses_nothing_and_is_found_again(server: RedisProcess) -> None:
    store = await opened(server.url)
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
    store = await opened(server.url)
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
    store, other = await opened(server.url), await opened(server.url)
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
    store = await opened(server.url)
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
        store = await opened(server.url.replace("//", "//:right@"))
        await store.append(OWNER, "call", [entry("1")])
        await store.aclose()
    finally:
        server.stop()


async def test_a_password_that_changes_is_a_store_that_is_away(tmp_path: Path) -> None:
    server = await asyncio.to_thread(_locked, tmp_path)
    try:
        store = await opened(server.url.replace("//", "//:right@"))
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
            store = await opened(server.url + query)
            await store.read(OWNER)
        await store.aclose()
    finally:
        server.stop()
    assert len(caplog.records) == bool(warned)
    assert warned in caplog.text


async def test_a_full_server_is_unavailable_and_the_circuit_stays_shut(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path, {"maxmemory": "12mb"})
    await asyncio.to_thread(server.start)
    store = await opened(server.url)
    try:
        with pytest.raises(StoreUnavailable, match="OutOfMemory"):
            await asyncio.gather(
                *(store.append(OWNER, "call", [entry(str(n), bytes(400_000))]) for n in range(100))
            )
        assert await store.read(OWNER) != [], "reads go on"
    finally:
        await store.aclose()
        server.stop()
