"""The one place of this front door where any exception is caught: memory may fail, the call may not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, ParamSpec

from loguru import logger

P = ParamSpec("P")


class Guard:
    """Catches what our code raises inside somebody else's pipeline, counts it, and says it once.

    Pipecat logs an escaping exception with its text, and that text may hold what a caller said; so
    nothing escapes from here. The log gets the type and the place, the first time each is seen.

    Args:
        call_id: named in the log.
        strict: re-raise instead. For tests.

    Example::

        with guard("tap"):
            translate(frame)
    """

    def __init__(self, call_id: str, *, strict: bool) -> None:
        self._call_id = call_id
        self._strict = strict
        self._seen: set[tuple[str, str]] = set()
        self.hook_errors = 0

    def __call__(self, place: str) -> _Guarded:
        return _Guarded(self, place)

    def hook(
        self, place: str, function: Callable[P, Coroutine[Any, Any, None]]
    ) -> Callable[P, Coroutine[Any, Any, None]]:
        """`function` under this guard: for handlers that a framework calls."""

        @functools.wraps(function)
        async def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            with self(place):
                await function(*args, **kwargs)

        return guarded

    def caught(self, place: str, error: Exception) -> bool:
        """Count and report one exception; True = swallow it."""
        self.hook_errors += 1
        key = (place, type(error).__name__)
        if key not in self._seen:
            self._seen.add(key)
            logger.warning(
                f"memory of call {self._call_id}: {key[1]} in {place}; the call goes on without it"
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
        # Cancellation is a BaseException and passes: an interruption must stop a waiting turn.
        return isinstance(error, Exception) and self._guard.caught(self._place, error)
