"""The one broad except of this front door: memory may fail, the call may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from .log import logger

P = ParamSpec("P")


class Guard:
    """Runs hooks; what they raise is counted, logged once by type, and kept from the session.

    LiveKit runs event handlers inside its own pipeline tasks, and a `TypeError` in one of them ends the
    reply; so nothing of ours may get out.

    Args:
        strict: re-raise, for tests.
    """

    def __init__(self, *, strict: bool) -> None:
        self.errors = 0
        self._strict = strict
        self._named: set[str] = set()

    def hook(self, handler: Callable[P, None]) -> Callable[P, None]:
        """`handler`, guarded."""

        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                handler(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - the guard: counted, named, re-raised when strict
                self.failed(error)

        return guarded

    def failed(self, error: Exception) -> None:
        """Count a failure; log its type the first time. Never its text: it may quote a caller."""
        self.errors += 1
        name = type(error).__name__
        if name not in self._named:
            self._named.add(name)
            logger.error("a memory hook failed: %s (counted as hook_errors)", name)
        if self._strict:
            raise error
