"""The store is away while a caller is read: once it is back the call has its memory, and only its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.errors import StoreUnavailable
from pipecat_memory.stores.base import Doc
from pipecat_memory.stores.sqlite import SqliteStore
from pipecat_memory.testing.redis_process import RedisProcess

from ..kit import ended, opened, rest, say, verified

PATIENT = Settings(strict=True, store_timeout=10.0)
OTHER = Caller.phone("+15551230002", how="verified")
_numbers = count()


async def until(true: Callable[[], bool]) -> None:
    """Wait until it is so, as long as a test may last at all."""
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 -- nothing tells of it
            await asyncio.sleep(0.02)


async def left_behind(url: str, caller: Caller = verified(), words: str = "my name is Wren Okafor") -> None:  # noqa: B008 -- frozen
    async with opened(url, settings=PATIENT) as (memory, clock):
        call = memory.call(caller, call_id=f"before-{next(_numbers)}")
        await say(call, clock, words)
        await ended(call, clock)
        await rest(memory, clock)


@pytest.fixture
def server(tmp_path: Path) -> Any:
    process = RedisProcess(tmp_path).start()
    yield process
    process.stop()


async def live(url: str) -> Memory:
    return await Memory.open(url, embedder=None, settings=PATIENT)


async def test_recall_comes_once_the_store_is_back(server: RedisProcess) -> None:
    await left_behind(server.url)
    memory = await live(server.url)
    call = memory.call(verified(), call_id="now")
    assert await call.preload(30)
    server.kill()  # before what is read behind the preload has been asked for
    assert call.greeting_name() == "Wren"
    await until(lambda: memory.counters["store_retries"] > 0)
    assert not len(call.reader.index)
    server.start()
    await until(lambda: len(call.reader.index) > 0)
    assert memory.counters["index_failed"] == 0
    await memory.close()


async def test_a_preload_that_failed_comes_once_the_store_is_back(server: RedisProcess) -> None:
    await left_behind(server.url)
    memory = await live(server.url)
    server.kill()
    call = memory.call(verified(), call_id="now")
    assert not await call.preload(30)
    assert memory.counters["preload_failed"] == 1
    server.start()
    await until(lambda: call.reader.known is not None and len(call.reader.index) > 0)
    assert call.greeting_name() == "Wren"
    await memory.close()


class Gate:
    """A real store in which recall's documents can't be read, or one load waits until it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.failing = False
        self.open = asyncio.Event()
        self.hold = False
        self.holds = asyncio.Event()
        load = SqliteStore.load

        async def gated(
            store: SqliteStore, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()
        ) -> list[Doc]:
            found = await load(store, owner, kinds, names=names)
            if self.failing and "episodes" in kinds:
                raise StoreUnavailable("away")
            if self.hold:
                self.hold = False
                self.holds.set()
                await self.open.wait()
            return found

        monkeypatch.setattr(SqliteStore, "load", gated)


async def test_a_store_that_stays_away_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    await left_behind(url)
    gate = Gate(monkeypatch)
    gate.failing = True
    async with opened(url) as (memory, clock):
        call = memory.call(verified(), call_id="now")
        assert await call.preload(30)
        over = memory.call(verified(), call_id="over")
        assert await over.preload(30)
        await ended(over, clock)
        await rest(memory, clock)
        assert memory.counters["index_failed"] == 1  # not for the call that was over
        assert call.greeting_name() == "Wren"


async def late(memory: Memory, gate: Gate) -> CallMemory:
    """A call whose preload has read the caller's file and holds what it read."""
    gate.hold = True
    call = memory.call(verified(), call_id="now")
    memory.tasks.spawn(call.preload(0.0), "asked for")
    await gate.holds.wait()
    return call


async def test_what_was_read_of_one_caller_is_not_told_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    await left_behind(url)
    await left_behind(url, OTHER, "my name is Tam Birch")
    gate = Gate(monkeypatch)
    memory = await live(url)
    call = await late(memory, gate)
    told: list[str | None] = []
    call.listen(lambda name, _: told.append(call.greeting_name()) if name == "preloaded" else None)
    identified = asyncio.ensure_future(call.identify(OTHER))
    await asyncio.sleep(0)
    gate.open.set()
    await identified
    await until(lambda: call.reader.known is not None)
    assert told == ["Tam"]
    await memory.close()


async def test_what_was_read_before_the_caller_was_forgotten_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'calls.db'}"
    await left_behind(url)
    gate = Gate(monkeypatch)
    memory = await live(url)
    call = await late(memory, gate)
    assert (await memory.forget(verified()))["erased"]
    gate.open.set()
    assert call.arrival.loading is not None
    await asyncio.wait({call.arrival.loading})
    assert call.greeting_name() is None
    await memory.close()
