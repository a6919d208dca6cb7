"""A memory is opened once, however many ask for it at once."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from pipecat_memory import Memory
from pipecat_memory.errors import StoreUnavailable

URL = "memory://"


async def test_the_same_arguments_give_the_same_memory() -> None:
    one = await Memory.open(URL, embedder=None)
    two = await Memory.open(URL, embedder=None)
    assert one is two
    assert await two.close() == 0
    assert await one.close() == 0
    three = await Memory.open(URL, embedder=None)
    assert three is not one
    await three.close()


async def test_those_who_open_at_once_share_it_too() -> None:
    one, two = await asyncio.gather(Memory.open(URL, embedder=None), Memory.open(URL, embedder=None))
    assert one is two
    await one.close()
    three = await Memory.open(URL, embedder=None)
    assert three is two, "one user is left"
    await two.close()
    await three.close()


async def test_who_gives_up_leaves_it_to_the_others() -> None:
    first = asyncio.ensure_future(Memory.open(URL, embedder=None))
    second = asyncio.ensure_future(Memory.open(URL, embedder=None))
    await asyncio.sleep(0)
    first.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await first
    memory = await second
    assert await memory.close() == 0
    another = await Memory.open(URL, embedder=None)
    assert another is not memory, "its only user had closed it"
    await another.close()


async def test_what_failed_to_open_is_tried_anew(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    url = f"sqlite:///{folder / 'calls.db'}"
    tries = [Memory.open(url, embedder=None) for _ in range(2)]
    failed = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(error) for error in failed] == [StoreUnavailable, StoreUnavailable]
    with pytest.raises(StoreUnavailable):
        await Memory.open(url, embedder=None)
    folder.mkdir()
    memory = await Memory.open(url, embedder=None)
    await memory.close()
