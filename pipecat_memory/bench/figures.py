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


class Stalls:
    """By how much each tick of the event loop came late, and how much of that this process computed.

    On a machine that does other things as well a tick is late though nothing of ours ran. What ran of ours
    is at most the processor time that all threads of this process had meanwhile; what of it the garbage
    collector took is told apart.

    Args:
        collector: its pauses, as far as they are known.
        every: seconds between two ticks.
    """

    def __init__(self, collector: Collector, every: float = 0.002) -> None:
        self.late: list[float] = []
        self.ours: list[float] = []
        self._collector = collector
        self._every = every
        self._excused = False

    def excuse(self) -> None:
        """Something ran that is no part of what is measured: the tick it fell into is left out."""
        self._excused = True

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Look on while the block runs."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def tick(self, late: float, computed: float, collected: float = 0.0) -> None:
        """A tick came so many seconds late; meanwhile this process computed, and the collector collected."""
        if not self._excused:
            self.late.append(max(0.0, late))
            self.ours.append(max(0.0, min(late, computed) - collected))
        self._excused = False

    async def _watch(self) -> None:
        while True:
            computed = time.process_time()
            pauses = len(self._collector.pauses)
            due = time.perf_counter() + self._every
            await asyncio.sleep(self._every)
            collected = sum(self._collector.pauses[pauses:])
            self.tick(time.perf_counter() - due, time.process_time() - computed, collected)

    def report(self) -> dict[str, float | None]:
        """Percentiles and the longest in milliseconds; `ours_max`: the longest of what was ours."""
        return percentiles(self.late) | {
            "max": round(max(self.late, default=0.0) * 1000, 2),
            "ours_max": round(max(self.ours, default=0.0) * 1000, 2),
        }
