"""Processes that get SIGKILL: one that holds the call, one that finishes it. They tell how far they are."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.stores.base import Doc, Entry, Erasure, Job, NewEntry, PutDoc, Store

from .script import CALL, NUMBER, SAID, ScriptClock, SlowModel, begin, caller, events

T = TypeVar("T")

LEASE = 0.3
"""Seconds until a dead worker's job is free: short, so that nobody waits for it."""

DELAY = 0.03
"""Seconds of one model answer: longer than a turn of the victim, so that the writer is behind."""

PACE = 0.012
"""Seconds of one turn: a few writes to the journal each, and the deep path never up to date."""

OVER = 1_000_000
"""A step that no number of writes comes to."""

SETTINGS = Settings(strict=True, lease=LEASE, drain=30.0)
"""A call that is not finished within its drain is told a first summary by rules, and the model's is its
second version: a slow machine must not bring that about here."""

ACCOUNT = Caller.account("customer-77")

TOLD = ("call me Wrennie when you ring back", "I keep a heron", "a table for five on Friday please")

Tell = Callable[[str, int], None]


class Watched:
    """A store that tells the parent when a write begins and when it is acknowledged."""

    def __init__(self, store: Store, tell: Tell) -> None:
        self._store = store
        self._tell = tell
        self._steps = 0

    async def _write(self, write: Awaitable[T], size: int = 1) -> T:
        """One step when a write begins and one when it is acknowledged, for each record in it."""
        self._step(size)
        done = await write
        self._step(size)
        return done

    def _step(self, size: int) -> None:
        self._steps += size
        self._tell("step", self._steps)

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        write = self._store.append(owner, call, entries, instead_of=instead_of)
        return await self._write(write, len(entries))

    async def put(self, owner: str, docs: Sequence[PutDoc], *, jobs: Sequence[Job] = ()) -> None:
        await self._write(self._store.put(owner, docs, jobs=jobs))

    async def drop(self, owner: str, call: str, *, keep: Sequence[str] = ()) -> int:
        return await self._write(self._store.drop(owner, call, keep=keep))

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        return await self._store.claim(worker, lease, kinds=kinds, job=job)

    async def finish(self, worker: str, job: Job) -> bool:
        return await self._write(self._store.finish(worker, job))

    async def read(self, owner: str, *, call: str | None = None, after: int = 0) -> list[Entry]:
        return await self._store.read(owner, call=call, after=after)

    async def load(self, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()) -> list[Doc]:
        return await self._store.load(owner, kinds, names=names)

    async def erase(self, owner: str) -> Erasure:
        return await self._write(self._store.erase(owner))

    async def aclose(self) -> None:
        await self._store.aclose()


async def opened(url: str, tell: Tell | None = None, *, delay: float = 0.0, **options: Any) -> Memory:
    """The memory of the script's call."""
    defaults: dict[str, Any] = {"embedder": None, "settings": SETTINGS, "model": SlowModel(delay)}
    memory = await Memory.open(url, clock=ScriptClock(), **(defaults | options))
    if tell is not None:
        memory.archive.vault.store = Watched(memory.archive.vault.store, tell)
    return memory


async def hold(url: str, tell: Tell) -> None:
    """Hold the whole call and end it."""
    memory = await opened(url, tell, delay=DELAY)
    clock = memory.clock
    assert isinstance(clock, ScriptClock)
    call = begin(memory)
    await call.preload(5.0)
    for number, turn in enumerate(events(), 1):
        for event in turn:
            clock.moment = event.t
            call.apply(event)
            await asyncio.sleep(PACE / len(turn))
        await call.kept.durable()
        tell("turn", number)
    await call.close("hangup")
    tell("closed", 0)
    await memory.close(deadline=10.0)


async def identify(url: str, tell: Tell) -> None:
    """Hold a call whose caller is known by number first, then by an account."""
    memory = await opened(url, tell)
    call = memory.call(Caller.phone(NUMBER), call_id=CALL)
    await call.preload(5.0)
    for number in range(1, 7):
        if number == 4:
            await call.identify(ACCOUNT)
            tell("known", number)
        say(call, number, SAID[number - 1][0])
        await call.kept.durable()
        tell("turn", number)
    await call.close("hangup")
    await memory.close(deadline=10.0)


async def strike(url: str, tell: Tell) -> None:
    """Say a few things, have the last one struck out, and wait."""
    memory = await opened(url, tell, extraction="off")
    call = memory.call(Caller.phone(NUMBER, how="verified"), call_id=CALL)
    for number, text in enumerate(TOLD, 1):
        say(call, number, text)
    await call.kept.durable()
    tell("turn", len(TOLD))
    call.apply(ev.MemoryForgetLast(t=60.0))
    await call.kept.durable()
    tell("step", OVER)
    await asyncio.Event().wait()


async def talk(url: str, tell: Tell) -> None:
    """Say a few things, and stay on the line with a model that takes its time from the third turn on."""
    memory = await opened(url, model=_quick_at_first)
    call = memory.call(Caller.phone(NUMBER), call_id=CALL)
    for number, text in enumerate(TOLD, 1):
        say(call, number, text)
        if number == 2:
            await call.writer.idle()
    await call.kept.durable()
    tell("turn", len(TOLD))
    await asyncio.Event().wait()


async def go_on(url: str, tell: Tell) -> None:
    """Take a call's line, which another process may have held before, and stay on it."""
    memory = await opened(url, delay=DELAY)
    await _go_on(memory)
    tell("turn", len(TOLD))
    await asyncio.Event().wait()


async def come_to_an_end(url: str, tell: Tell) -> None:
    """Take the line likewise, and end the call."""
    memory = await opened(url, delay=DELAY)
    call = await _go_on(memory)
    tell("turn", len(TOLD))
    await call.close("hangup")
    await memory.close(deadline=10.0)


async def _go_on(memory: Memory) -> CallMemory:
    call = memory.call(caller(), call_id=CALL)
    await call.preload(5.0)
    for number, text in enumerate(TOLD, 1):
        # No two processes give one id to what they hear.
        call.apply(ev.UserFinal(t=number + 0.5, text=text, id=f"{os.getpid()}-{number}", started=number))
        call.apply(ev.TurnEnded(t=number + 0.7))
    await call.kept.durable()
    return call


async def hang_up(url: str, tell: Tell) -> None:
    """Say the same and hang up at once; the write-back waits for the model, and the process lives on."""
    memory = await opened(url, model=_never, settings=replace(SETTINGS, drain=0.0))
    call = memory.call(Caller.phone(NUMBER), call_id=CALL)
    for number, text in enumerate(TOLD, 1):
        say(call, number, text)
    await call.close("hangup")
    tell("closed", 0)
    await asyncio.Event().wait()


def say(call: CallMemory, number: int, text: str) -> None:
    """One caller turn."""
    t = number * 10.0
    call.apply(ev.UserFinal(t=t + 1, text=text, id=f"u{number}", started=t))
    call.apply(ev.TurnEnded(t=t + 1.2))


async def _quick_at_first(request: ModelRequest) -> str:
    if max(request.turns, default=9) > 2:
        await asyncio.Event().wait()
    facts = [{"key": "pet", "value": "a heron", "text": "", "quote": "I keep a heron", "explicit": True}]
    return json.dumps({"facts": facts if 2 in request.turns else []})


async def _never(request: ModelRequest) -> str:
    await asyncio.Event().wait()
    return ""


async def reprocessed(memory: Memory) -> dict[str, int]:
    """One `reprocess`, as soon as the lease of a worker that was killed before has run out."""
    await asyncio.sleep(LEASE)
    return await memory.reprocess(caller())


async def finish(url: str, tell: Tell) -> None:
    """Finish whatever was left, as a worker does."""
    memory = await opened(url, tell, delay=DELAY)
    await reprocessed(memory)
    await memory.close()


WORK: dict[str, Callable[[str, Tell], Awaitable[None]]] = {
    work.__name__: work for work in (hold, finish, identify, strike, talk, hang_up, go_on, come_to_an_end)
}


def run(work: str, url: str, pipe: Connection) -> None:
    """A process's entry."""
    logging.disable(logging.CRITICAL)

    async def main() -> None:
        await WORK[work](url, lambda what, number: pipe.send((what, number)))

    asyncio.run(main())
    pipe.close()
