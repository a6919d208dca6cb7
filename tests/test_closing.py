"""A memory that closes comes to an end, whatever its store does and whoever waits for what was said."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pipecat_memory import Memory
from pipecat_memory.events import TurnEnded, UserFinal
from pipecat_memory.stores.box import Box

from .kit import STRICT, verified


async def test_a_store_that_hangs_is_not_waited_for_by_those_who_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = asyncio.Event()

    async def never(*_: Any, **__: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Box, "append", never)
    memory = await Memory.open("memory://", embedder=None, settings=STRICT)
    call = memory.call(verified(), call_id="c1")
    waiting = [asyncio.ensure_future(call.kept.durable()) for _ in range(3)]
    call.apply(UserFinal(t=0.5, text="my name is Wren Okafor"))
    call.apply(TurnEnded(t=1.0))
    waiting.append(asyncio.ensure_future(call.kept.durable()))
    await asked.wait()
    async with asyncio.timeout(20):
        await memory.close(deadline=0.0)
        await asyncio.gather(*waiting)
