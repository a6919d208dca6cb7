"""What tests of the fleet's store share."""

from __future__ import annotations

from pipecat_memory.stores.base import NewEntry, Store
from pipecat_memory.stores.url import open_store


def entry(uid: str, blob: bytes = b"x") -> NewEntry:
    return NewEntry(uid, "turn", 0.0, blob)


async def opened(url: str, seconds: float = 2.0) -> Store:
    store, keys = await open_store(url, command_timeout=seconds)
    await keys.aclose()
    return store
