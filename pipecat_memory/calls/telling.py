"""What is told of a call: to the model in briefings, to the app as news."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from ..guard import Guard
from ..reading.briefing import Briefing

logger = logging.getLogger(__name__)

Listener = Callable[[str, dict[str, Any]], None]


class Telling:
    """Of one call.

    Args:
        call: its id.
        strict: a listener that raises raises here too.
    """

    def __init__(self, call: str, *, strict: bool) -> None:
        self._call = call
        self._given: Briefing | None = None
        self._listeners: list[Listener] = []
        self._listened = Guard(call, strict=strict, warn=logger.warning)

    def listen(self, callback: Listener) -> None:
        """See `CallMemory.listen`."""
        self._listeners.append(callback)

    def news(self, name: str, **payload: Any) -> None:
        """Tell whoever listens: ids and counts."""
        for listener in self._listeners:
            with self._listened("a listener"):
                listener(name, {"call_id": self._call, **payload})

    def stored(self, turn: int, facts: int) -> None:
        """Something was found in a turn, and is kept."""
        self.news("stored", turn=turn, facts=facts)

    def give(self, briefing: Briefing) -> bool:
        """A briefing is handed out; returns whether it is another one than the last."""
        new, self._given = briefing is not self._given, briefing
        return new

    def replied(self, otherwise: Callable[[], Briefing]) -> Briefing:
        """A reply began: it goes by the briefing that was handed out last, or by what would be."""
        given, self._given = self._given or otherwise(), None
        return given

    def begin_anew(self) -> None:
        """Somebody else is on the line: what was handed out last was not told of them."""
        self._given = None
