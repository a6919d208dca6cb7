"""One limiter per endpoint and event loop: so many requests at once, and calls take turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary


class Limiter:
    """Lets `size` requests run at once. Freed slots go round the waiting calls, one each.

    Args:
        size: requests at once; at least 1.
    """

    def __init__(self, size: int) -> None:
        self.size = max(1, size)
        self.busy = 0
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot now."""
        return sum(len(queue) for queue in self._queues.values())

    @asynccontextmanager
    async def slot(self, call: str) -> AsyncGenerator[None]:
        """Hold one slot on behalf of `call`."""
        if self.busy < self.size:
            self.busy += 1
        else:
            await self._wait(call)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, call: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(call, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()  # the slot was handed over just as the waiter left
            else:
                self._leave(call, turn)
            raise

    def _leave(self, call: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(call)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[call]

    def _release(self) -> None:
        while self._queues:
            call = next(iter(self._queues))
            queue = self._queues.pop(call)
            turn = queue.popleft()
            if queue:
                self._queues[call] = queue  # back to the end: the other calls come first
            if not turn.done():
                turn.set_result(None)
                return
        self.busy -= 1


@runtime_checkable
class Limited(Protocol):
    """A model that names its endpoint and how many requests it may have open."""

    @property
    def endpoint(self) -> str: ...

    @property
    def max_requests(self) -> int: ...


_LIMITERS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Limiter]] = WeakKeyDictionary()
_DEFAULT_SIZE = 4


def limiter_of(model: object) -> Limiter:
    """The limiter of a model's endpoint on the running loop; all its calls share it."""
    endpoint, size = (
        (model.endpoint, model.max_requests)
        if isinstance(model, Limited)
        else (f"object:{id(model)}", _DEFAULT_SIZE)
    )
    here = _LIMITERS.setdefault(asyncio.get_running_loop(), {})
    return here.setdefault(endpoint, Limiter(size))
