"""A memory for each test of a front door, and its calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings

MakeCall = Callable[..., CallMemory]
ANA = Caller.phone("+15551230001", how="verified")


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True))
    yield memory
    await memory.close()


@pytest.fixture
def make_call(memory: Memory) -> MakeCall:
    """Begins a call; numbered, with a verified caller unless told otherwise."""
    made: list[CallMemory] = []

    def make(caller: Caller | None = ANA, **kwargs: Any) -> CallMemory:
        call = memory.call(caller, call_id=f"call-{len(made) + 1}", **kwargs)
        made.append(call)
        return call

    return make
