"""Work on a loop of its own: its result, its faults, and its end with who waits for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from pipecat_memory.tasks import apart, breathing


async def test_work_apart_runs_in_another_thread_and_gives_its_result() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return threading.get_ident()

    assert await apart(work) != threading.get_ident()


async def test_what_work_apart_raises_is_raised() -> None:
    async def work() -> None:
        raise LookupError("x")

    with pytest.raises(LookupError):
        await apart(work)


async def test_who_is_cancelled_cancels_the_work_apart() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = asyncio.ensure_future(apart(work))
    await asyncio.to_thread(begun.wait, 30)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await asyncio.to_thread(ended.wait, 30)


async def test_long_work_in_a_thread_lets_go_of_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go: list[float] = []
    monkeypatch.setattr("pipecat_memory.tasks.time.sleep", let_go.append)
    assert list(breathing(range(20), every=8)) == list(range(20))
    assert let_go == [0, 0]
