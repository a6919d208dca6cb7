"""What is measured beside the turns: preload and a raw read, a caller's weight, the notes of a final."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import tempfile
import time
import tracemalloc
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from .. import events as ev
from ..config import Settings
from ..memory import Memory
from ..records.schema import MemorySchema
from ..stores.caller_file import AT_ONCE, CallerFile
from .caller import seed, verified
from .figures import percentiles

PRELOADS = 40
"""Enough for a 95th percentile."""
_IDLE = 0.02
"""Seconds before each read: a call comes in when its process waits, not right after another piece of work."""


async def preload_cost(store: str, facts: int, past_calls: int, settings: Settings) -> dict[str, Any]:
    """What a preload of so many facts and past calls costs; see `measure_preload`.

    On the store named; `memory://` has no bytes to read, so a SQLite file stands in for it.
    """
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.db" if store == "memory://" else store
        memory = await Memory.open(
            url, tenant="bench-preload", embedder=None, extraction="off", settings=settings
        )
        try:
            return await measure_preload(
                memory, await seed(memory, facts, facts=facts, past_calls=past_calls)
            )
        finally:
            await memory.close()


async def measure_preload(memory: Memory, file: CallerFile) -> dict[str, Any]:
    """A raw read and a preload of a seeded caller, by turns.

    Returns:
        `preload_raw_ms`: to read the very documents that a preload reads, as sealed bytes: the whole profile
        and the heads of all past calls among them. `preload_ms`: until the call can brief its first reply
        with all that belongs into it; a long profile's head is opened by then and what matters of the calls,
        the rest is in memory as sealed bytes. `preload_whole_ms`:
        until the rest is opened as well and recall has its index. `preload_bytes`: `read` as the store holds
        them (the same for both), `opened` for the first reply, and `whole` when all is opened.
    """
    raw: list[float] = []
    loads: list[float] = []
    wholes: list[float] = []
    gc.collect()
    gc.freeze()
    for n in range(PRELOADS):
        await asyncio.sleep(_IDLE)
        begun = time.perf_counter()
        await file.box.store.load(file.box.owner, AT_ONCE)
        raw.append(time.perf_counter() - begun)
        await asyncio.sleep(_IDLE)
        call = memory.call(verified(), call_id=f"preload-{n}-{time.monotonic_ns()}", remember=True)
        begun = time.perf_counter()
        await call.preload(60.0)
        loads.append(time.perf_counter() - begun)
        if call.arrival.indexing is not None:
            await asyncio.wait({call.arrival.indexing})
        wholes.append(time.perf_counter() - begun)
        await call.close("hangup")
        await file.drop(call.id)
    gc.unfreeze()
    return {
        "preload_raw_ms": percentiles(raw),
        "preload_ms": percentiles(loads),
        "preload_whole_ms": percentiles(wholes),
        "preload_bytes": await preload_bytes(file),
    }


async def preload_bytes(file: CallerFile) -> dict[str, int]:
    """What a preload reads, and what of it is opened before the first reply and behind it."""
    sealed = await file.box.store.load(file.box.owner, AT_ONCE)
    past = (await file.glance(lambda _id, _past: False)).past
    whole = [doc for doc in await file.box.load(AT_ONCE) if doc.kind != "call" or doc.name not in past]
    return {
        "read": sum(len(doc.blob) for doc in sealed),
        "opened": sum(len(doc.blob) for doc in whole if doc.kind != "profile"),
        "whole": sum(len(doc.blob) for doc in whole),
    }


async def caller_weight(memory: Memory, file: CallerFile) -> float:
    """What the caller's memories weigh in this process during a call, index and vectors included, in kB."""
    async with _in_call(memory, file):
        pass  # tables and stems that are made once a process weigh on no caller
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    async with _in_call(memory, file):
        gc.collect()
        weight = (tracemalloc.get_traced_memory()[0] - before) / 1024
        tracemalloc.stop()
    return round(weight, 1)


@contextlib.asynccontextmanager
async def _in_call(memory: Memory, file: CallerFile) -> AsyncGenerator[None]:
    """Hold the caller's memories, as a call that goes on does; it leaves no trace."""
    call = memory.call(verified(), call_id=f"weight-{time.monotonic_ns()}")
    await call.preload(60.0)
    if call.arrival.indexing is not None:
        await asyncio.wait({call.arrival.indexing})
    await asyncio.sleep(0.05)  # the thread that built the index lets go of what it was given
    yield
    await call.close("hangup")
    await file.drop(call.id)


async def final_cost(settings: Settings, finals: int = 1200) -> dict[str, Any]:
    """What one final segment costs on the loop, on a state of 50 slots, without and with a time in it."""
    kinds = ("text", "name", "number", "date", "time", "phone", "email", "digits", "money", "quantity")
    schema = MemorySchema.from_dict(
        {"version": 1, "slots": [{"name": f"{kinds[n % 10]}_{n}", "type": kinds[n % 10]} for n in range(50)]}
    )
    memory = await Memory.open("memory://", embedder=None, extraction="off", settings=replace(settings))
    found: dict[str, Any] = {}
    try:
        for label, words in (
            ("plain", "well I was just wondering about the garden and the boiler you know"),
            ("timed", "could you make it next Thursday at half past seven for four people"),
        ):
            call = memory.call(None, call_id=f"finals-{label}", schema=schema)
            for n, slot in enumerate(schema.slots):
                call.course.notes.state.slots.get(slot.name)
                if slot.type in ("text", "name"):
                    call.correct(f"/slots/{slot.name}", f"Value {n}", by="operator")
            samples: list[float] = []
            for n in range(finals):
                t = float(n)
                begun = time.perf_counter()
                call.apply(ev.UserFinal(t=t, text=f"{words} number {n % 7}", id=f"f{n}", started=t))
                samples.append(time.perf_counter() - begun)
                call.apply(ev.TurnEnded(t=t + 0.5))
                await asyncio.sleep(0)
            found[label] = percentiles(samples)
            await call.close("hangup")
    finally:
        await memory.close()
    return found
