"""Every background task has an owner: this one. It starts, tracks, drains and reports."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeVar

from .clock import Clock

logger = logging.getLogger(__name__)

T = TypeVar("T")

_ROUNDS = 8
"""Rounds of the event loop that background work stands back."""


class Tasks:
    """The background tasks of one `Memory`. Failures are logged by type and counted."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self.failed = 0

    @property
    def busy(self) -> int:
        return len(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Run `work` in the background, held until it is done."""
        task = asyncio.get_running_loop().create_task(work, name=f"pipecat-memory {name}")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def drain(self, clock: Clock, deadline: float) -> int:
        """Wait for all tasks, at most `deadline` seconds, then cancel. Returns how many were left.

        One task's end may begin another: a call's file was opened, and now its journal is written.
        """
        timer = asyncio.ensure_future(clock.sleep(deadline))
        while self._tasks and not timer.done():
            await asyncio.wait({timer, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
        timer.cancel()
        left = 0
        while self._tasks:
            for task in (tasks := list(self._tasks)):
                task.cancel()
            left += len(tasks)
            await asyncio.wait(tasks)
        return left

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failed += 1
            logger.error("%s failed: %s", task.get_name(), type(error).__name__)


async def outlived(task: asyncio.Task[T]) -> T | None:
    """Wait for a task of ours without ending it; None where a memory that closed has.

    Whoever waits is an app's own task, which nobody has cancelled: it must not seem so to it.
    """
    await asyncio.wait({task})
    return None if task.cancelled() else task.result()


async def in_thread(function: Callable[..., Any], *args: Any, thread: Executor | None = None) -> Any:
    """Run an app's function, which may block, in a worker thread; an awaitable that it gives is awaited.

    Args:
        function: any callable that is not itself a coroutine function.
        *args: for it.
        thread: where; None takes the loop's own workers.
    """

    def run() -> Any:
        try:
            return function(*args)
        except StopIteration:
            # No future can carry it: whoever waits would wait for ever.
            raise RuntimeError("StopIteration") from None

    found = await asyncio.get_running_loop().run_in_executor(thread, run)
    return await found if inspect.isawaitable(found) else found


async def called(function: Callable[..., Any], *args: Any) -> Any:
    """What an app's function gives: a coroutine function runs here, any other in a worker thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    return await in_thread(function, *args)


async def apart(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `work` on an event loop of its own, in a thread: what holds its loop for long between two awaits.

    Whoever is cancelled here cancels it there, so that it delays nobody's end.
    """
    inside: asyncio.Task[Any] | None = None

    async def held() -> T:
        nonlocal inside
        inside = asyncio.current_task()
        return await work()

    try:
        return await asyncio.to_thread(lambda: asyncio.run(held()))
    except asyncio.CancelledError:
        if inside is not None:
            with contextlib.suppress(RuntimeError):  # its loop is closed: it was done
                inside.get_loop().call_soon_threadsafe(inside.cancel)
        raise


def breathing(items: Iterable[T], every: int = 8) -> Iterator[T]:
    """The items, for long work in a thread: between them it lets go of the interpreter.

    By itself Python hands it over every 5 ms (`sys.getswitchinterval`), and an event loop that has to wait
    for that in each of its rounds carries no audio meanwhile.

    Args:
        items: any.
        every: how many are worked on in one go; half a millisecond's worth is well.
    """
    for n, item in enumerate(items):
        if n and n % every == 0:
            time.sleep(0)
        yield item


async def stand_back() -> None:
    """Let what the loop has to do now go first.

    The frame that asks the model needs a round or two a processor, who waits for a preload is reached within
    three; what only has to be done soon begins behind them. An idle loop passes the rounds in microseconds.
    """
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)


def behind(do: Callable[[], None], rounds: int = _ROUNDS) -> None:
    """Call `do` when what the loop has to do now is done, as `stand_back` waits for it: without a task."""
    loop = asyncio.get_running_loop()
    loop.call_soon(behind, do, rounds - 1) if rounds else loop.call_soon(do)


async def within(clock: Clock, seconds: float, work: Awaitable[T]) -> tuple[bool, T | None]:
    """Wait for `work` at most `seconds` of the clock. The work itself is never cancelled.

    Returns:
        (True, result), or (False, None) where time ran out. An exception of the work is raised.
    """
    task = asyncio.ensure_future(work)
    if task.done():
        return True, task.result()
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
    return (True, task.result()) if task.done() else (False, None)
