"""The one place where any exception is caught, at a front door or around an app's listener."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, ParamSpec

P = ParamSpec("P")


class Guard:
    """Catches what our code raises inside a framework's own tasks, counts it, and says it once.

    A framework logs an escaping exception with its text, and that text may hold what a caller said; in
    LiveKit it may even end the reply. So nothing escapes from here: the log gets the type and the place,
    the first time each is seen.

    Args:
        call_id: named in the log.
        strict: re-raise instead. For tests.
        warn: writes one line to the framework's own log.

    Example::

        with guard("tap"):
            translate(frame)
    """

    def __init__(self, call_id: str, *, strict: bool, warn: Callable[[str], None]) -> None:
        self._call_id = call_id
        self._strict = strict
        self._warn = warn
        self._seen: set[tuple[str, str]] = set()
        self.hook_errors = 0

    def __call__(self, place: str) -> _Guarded:
        return _Guarded(self, place)

    def hook(self, place: str, handler: Callable[P, None]) -> Callable[P, None]:
        """`handler` under this guard: for handlers that a framework calls."""

        @functools.wraps(handler)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            with self(place):
                handler(*args, **kwargs)

        return guarded

    def async_hook(
        self, place: str, handler: Callable[P, Coroutine[Any, Any, None]]
    ) -> Callable[P, Coroutine[Any, Any, None]]:
        """`hook` for handlers that a framework awaits."""

        @functools.wraps(handler)
        async def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            with self(place):
                await handler(*args, **kwargs)

        return guarded

    def caught(self, place: str, error: Exception) -> bool:
        """Count and report one exception; True = swallow it."""
        self.hook_errors += 1
        key = (place, type(error).__name__)
        if key not in self._seen:
            self._seen.add(key)
            self._warn(f"memory of call {self._call_id}: {key[1]} in {place}; the call goes on without it")
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
        # Cancellation is a BaseException and passes: an interruption must stop a waiting turn, and a
        # superseded speculative reply must stop too.
        return isinstance(error, Exception) and self._guard.caught(self._place, error)
