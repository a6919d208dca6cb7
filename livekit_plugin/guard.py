"""The one place of this front door where any exception is caught: memory may fail, the call may not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec

from .log import logger

P = ParamSpec("P")


class Guard:
    """Catches what our code raises inside LiveKit's own tasks, counts it, and says it once.

    LiveKit runs event handlers inside its pipeline tasks, and a `TypeError` in one of them ends the
    reply; so nothing of ours may get out. The log gets the type and the place, never the text: that may
    quote a caller.

    Args:
        call_id: named in the log.
        strict: re-raise instead. For tests.

    Example::

        with guard("listener"):
            translate(event)
    """

    def __init__(self, call_id: str, *, strict: bool) -> None:
        self.errors = 0
        self._call_id = call_id
        self._strict = strict
        self._seen: set[tuple[str, str]] = set()

    def __call__(self, place: str) -> _Guarded:
        return _Guarded(self, place)

    def hook(self, place: str, handler: Callable[P, None]) -> Callable[P, None]:
        """`handler` under this guard: for event handlers."""

        @functools.wraps(handler)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            with self(place):
                handler(*args, **kwargs)

        return guarded

    def caught(self, place: str, error: Exception) -> bool:
        """Count and report one exception; True = swallow it."""
        self.errors += 1
        key = (place, type(error).__name__)
        if key not in self._seen:
            self._seen.add(key)
            logger.warning(
                "memory of call %s: %s in %s; the call goes on without it", self._call_id, key[1], place
            )
        return not self._strict


class _Guarded:
    def __init__(self, guard: Guard, place: str) -> None:
        self._guard = guard
        self._place = place

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        # Cancellation is a BaseException and passes: a superseded speculative reply must stop.
        return isinstance(error, Exception) and self._guard.caught(self._place, error)
