"""`pipecat-memory bench`: a pass-through, a floor and this memory, turn by turn in one run.

Absolute milliseconds measure the machine and the pace; ratios inside one run measure the design.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import events as ev
from ..call import CallMemory
from ..config import Settings
from ..errors import UsedWrongly
from ..memory import Memory
from ..prewarm import prewarm
from ..processors import MemoryProcessor
from ..reading.tokens import default_counter
from ..stores.caller_file import CallerFile
from . import peer_mem0
from .caller import question, seed, verified
from .costs import caller_weight, final_cost, preload_cost
from .figures import Collector, Stalls, percentiles
from .pipelines import Lane, PassThrough

TURNS_AT_ONCE = 2000
TURNS_AT_PACE = 60
CALL_TURNS = 100
"""Most turns of one call: more of them, and the collector's walk over a call that nobody has is measured."""
PEER_TURNS = 200
"""Most turns beside a peer: one of its turns takes as long as a hundred of ours."""
TURN_DETECTION = 0.02
"""Seconds between partial, final and end of turn at pace 0; a detector takes 0.2 s and more: Pipecat's voice
activity alone waits that long. Where the final comes with the end of the turn: see `turn_ms`."""
SETTLED = 0.002
"""Seconds between two lanes: what one leaves behind (its last frames) must not be timed with the next."""
WIDTH = 512
"""Of the floor's vectors: the in-process embedder's."""


async def bench(
    *,
    memories: list[int],
    past_calls: int,
    calls: list[int],
    paces: list[float],
    turns: int | None,
    embedder: bool,
    peer: str | None,
    store: str,
    settings: Settings,
) -> dict[str, Any]:
    """Measure every combination; see the module.

    Raises:
        UsedWrongly: the peer is not installed; said before anything is measured.
    """
    if peer is not None and not peer_mem0.installed():
        raise UsedWrongly("bench --peer mem0: mem0ai is not installed; pip install 'mem0ai>=2,<3'")
    if embedder:
        prewarm()
    default_counter()
    finals = await final_cost(settings)
    runs: list[dict[str, Any]] = []
    for size in memories:
        memory = await Memory.open(
            store, embedder="auto" if embedder else None, extraction="off", settings=settings
        )
        try:
            file = await seed(memory, size)
            weight = await caller_weight(memory, file)
            preload = await preload_cost(store, size, past_calls, settings)
            for at_once in calls:
                for pace in paces:
                    count = turns or (TURNS_AT_PACE if pace else TURNS_AT_ONCE)
                    run = await _Run(memory, file, size, at_once, pace, count).measure()
                    runs.append(run | preload | {"final_ms": finals, "kb_per_caller": weight})
        finally:
            await memory.close()
    result: dict[str, Any] = {"runs": runs}
    if peer is not None:
        result["peer"] = await beside_peer(memories[0], turns, embedder, settings)
    return result


async def beside_peer(memories: int, turns: int | None, embedder: bool, settings: Settings) -> dict[str, Any]:
    """One more run with the peer in it, turn by turn; and what a call of 50 turns costs each in tokens."""
    memory = await Memory.open(
        "memory://",
        tenant="bench-peer",
        embedder="auto" if embedder else None,
        extraction="off",
        settings=settings,
    )
    peer = peer_mem0.Mem0(memories)
    await peer.start()
    try:
        file = await seed(memory, memories)
        run = _Run(memory, file, memories, 1, 0.0, min(turns or TURNS_AT_PACE, PEER_TURNS), peer)
        ours = await run.measure()
    finally:
        await peer.stop()
        await memory.close()
    tokens = await peer_mem0.extraction_tokens()
    added = percentiles(_added(run.with_peer, run.plain))
    return {
        "name": peer_mem0.NAME,
        "version": peer_mem0.version(),
        "calls": tokens["mem0"]["requests"],
        "memories": memories,
        "turns": ours["turns"],
        "added_ms": added,
        "ours_added_ms": ours["added_ms"],
        "times_ours": {
            p: round(a / b, 1) if (a := added[p]) is not None and (b := ours["added_ms"][p]) else None
            for p in ("p50", "p95")
        },
        "extraction_tokens": tokens,
    }


class _Run:
    """One combination of size, calls at once and pace. It leaves the caller's memories as it found them."""

    def __init__(
        self,
        memory: Memory,
        file: CallerFile,
        memories: int,
        calls: int,
        pace: float,
        turns: int,
        peer: peer_mem0.Mem0 | None = None,
    ) -> None:
        self._memory = memory
        self._file = file
        self._peer = peer
        self._memories = memories
        self._calls = calls
        self._pace = pace
        self._turns = turns
        rng = np.random.default_rng(7)
        self._matrix = rng.standard_normal((max(memories, 1), WIDTH)).astype(np.float32)
        self._vector = rng.standard_normal(WIDTH).astype(np.float32)
        self.plain: list[float] = []
        self.floor: list[float] = []
        self.with_memory: list[float] = []
        self.plain_late: list[float] = []
        self.with_late_final: list[float] = []
        self.with_peer: list[float] = []
        self.tokens: dict[str, list[int]] = {}
        self.ready = 0
        self.vector_late = 0
        self._collector = Collector()
        self._stalls = Stalls(self._collector)
        self._replies = 0

    async def measure(self) -> dict[str, Any]:
        turns = range(self._turns)
        step = CALL_TURNS * self._calls
        for begin in turns[::step]:
            await self._hold(turns[begin : begin + step])
        return self._report()

    async def _hold(self, turns: range) -> None:
        """Hold calls of so many turns together."""
        plain = Lane(PassThrough())
        await plain.start()
        lanes: list[tuple[CallMemory, Lane]] = []
        for n in range(self._calls):
            call = self._memory.call(verified(), call_id=f"bench-{n}-{time.monotonic_ns()}", remember=True)
            await call.preload(60.0)
            if call.arrival.indexing is not None:
                await asyncio.wait({call.arrival.indexing})
            lane = Lane(MemoryProcessor(call))
            await lane.start()
            lanes.append((call, lane))
        gc.collect()
        gc.freeze()
        try:
            with self._collector:
                async with self._stalls.watching():
                    await self._drive(plain, lanes, turns)
        finally:
            gc.unfreeze()
        await plain.stop()
        for call, lane in lanes:
            await lane.stop()
            await call.close("hangup")
            await self._file.drop(call.id)
            self.vector_late += call.counters.get("vector_late", 0)

    async def _drive(self, plain: Lane, lanes: list[tuple[CallMemory, Lane]], turns: range) -> None:
        """Back to back the calls take turns; at a human pace they run at once, spread over the pace."""
        if not self._pace:
            for n in turns:
                await self._one(n, plain, *lanes[n % len(lanes)])
            return

        async def live(index: int, call: CallMemory, lane: Lane) -> None:
            await asyncio.sleep(self._pace * index / len(lanes))
            for n in turns[index :: len(lanes)]:
                begun = time.perf_counter()
                await self._one(n, plain if index == 0 else None, call, lane)
                await asyncio.sleep(max(0.0, self._pace - (time.perf_counter() - begun)))

        await asyncio.gather(*(live(i, *pair) for i, pair in enumerate(lanes)))

    async def _one(self, n: int, plain: Lane | None, call: CallMemory, lane: Lane) -> None:
        """One caller turn: spoken, ended, answered; timed from its end to the model's read.

        Every second one is followed by a turn whose final comes only with its end: what recognition
        leaves no time for is then paid by the reply.
        """
        text = question(n, self._memories)
        pause = TURN_DETECTION if not self._pace else min(0.2, self._pace / 4)
        await lane.hear(text[:40])
        await asyncio.sleep(pause)
        await lane.final(text)
        await asyncio.sleep(pause)
        if plain is not None:
            self.plain.append(await plain.turn(text))
            await asyncio.sleep(SETTLED)
        begun = time.perf_counter()
        _ = self._matrix @ self._vector
        self.floor.append(time.perf_counter() - begun)
        self._stalls.excuse()
        self.ready += call.reader.prefetch.take(text) is not None
        self.with_memory.append(await lane.turn(text))
        if self._peer is not None:
            await asyncio.sleep(SETTLED)
            self.with_peer.append(await self._peer.turn(text))
        self._told(call)
        if n % 2:
            return
        text = question(n + self._turns, self._memories)
        await lane.hear(text[:40])
        await asyncio.sleep(pause)
        if plain is not None:
            self.plain_late.append(await plain.turn(text, late=True))
            await asyncio.sleep(SETTLED)
        self.with_late_final.append(await lane.turn(text, late=True))
        self._told(call)

    def _told(self, call: CallMemory) -> None:
        """The agent answers, and is heard."""
        for part, size in call.briefing().tokens.items():
            self.tokens.setdefault(part, []).append(size)
        self._replies += 1
        reply = f"r{self._replies}"
        for event in (
            ev.ReplyStarted(t=call.elapsed, reply=reply),
            ev.ReplyText(t=call.elapsed, reply=reply, text="Noted."),
            ev.ReplyEnded(t=call.elapsed, reply=reply, interrupted=False, played=1.0),
        ):
            call.apply(event)

    def _report(self) -> dict[str, Any]:
        added_ms = percentiles(_added(self.with_memory, self.plain))
        floor_ms = percentiles(self.floor)
        return {
            "memories": self._memories,
            "calls": self._calls,
            "pace": self._pace,
            "embedder": self._memory.embedder.name if self._memory.embedder else None,
            "turns": len(self.with_memory),
            "vector_ready": round(self.ready / max(len(self.with_memory), 1), 3),
            "pass_through_ms": percentiles(self.plain),
            "added_ms": added_ms,
            "turn_ms": percentiles(_added(self.with_late_final, self.plain_late)),
            "floor_ms": floor_ms,
            "ratio_to_floor": {
                p: round(a / f, 2) if (a := added_ms[p]) is not None and (f := floor_ms[p]) else None
                for p in ("p50", "p99")
            },
            "vector_late": self.vector_late,
            "loop_stall_ms": self._stalls.report(),
            "gc_ms": {
                "pauses": len(self._collector.pauses),
                "max": round(max(self._collector.pauses, default=0.0) * 1000, 2),
            },
            "briefing_tokens": {
                part: round(float(np.mean(sizes)), 1) for part, sizes in sorted(self.tokens.items())
            },
        }


def _added(seconds: Sequence[float], plain: Sequence[float]) -> list[float]:
    """What memory adds to the pass-through's median, turn by turn."""
    base = float(np.median(plain)) if plain else 0.0
    return [each - base for each in seconds]
