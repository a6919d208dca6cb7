"""Numbers from samples: percentiles that the samples can carry, and what else went on meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import numpy as np

P99_NEEDS = 1000
"""A 99th percentile of fewer samples is the maximum in disguise."""


def percentiles(seconds: Sequence[float]) -> dict[str, float | None]:
    """p50, p95 and p99 in milliseconds; null where the samples are too few."""
    if not seconds:
        return {"p50": None, "p95": None, "p99": None}
    ms = np.asarray(seconds) * 1000
    return {
        "p50": round(float(np.percentile(ms, 50)), 4),
        "p95": round(float(np.percentile(ms, 95)), 4) if len(ms) >= 40 else None,
        "p99": round(float(np.percentile(ms, 99)), 4) if len(ms) >= P99_NEEDS else None,
    }


class Collector:
    """Pauses of the garbage collector, apart from everything else."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self._begun = 0.0

    def __call__(self, phase: str, _info: dict[str, Any]) -> None:
        if phase == "start":
            self._begun = time.perf_counter()
        else:
            self.pauses.append(time.perf_counter() - self._begun)

    def __enter__(self) -> Collector:
        gc.callbacks.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self)


@contextlib.asynccontextmanager
async def stalls(samples: list[float], tick: float = 0.002) -> AsyncGenerator[None]:
    """Append to `samples` by how much each tick of the event loop came late, seconds."""

    async def watch() -> None:
        while True:
            due = time.perf_counter() + tick
            await asyncio.sleep(tick)
            samples.append(max(0.0, time.perf_counter() - due))

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
