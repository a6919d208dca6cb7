"""The events of a call in order of time, whatever order they came in."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from ..events import Event, UserPartial
from .speech import Place

_TIDY = 512
"""Events between two tidyings."""
_LATEST = 300.0
"""Seconds by which an event may come late and still find the interim texts of its time."""


class Timeline:
    """Keeps what a fold of the call needs again when an event comes late."""

    def __init__(self) -> None:
        self._entries: list[tuple[Place, Event]] = []
        self._tidied = 0

    def add(self, at: Place, event: Event) -> bool:
        """Put one event in its place; returns whether that is the end."""
        if len(self._entries) % _TIDY == 0:
            self._tidy(at[0] - _LATEST)
        if not self._entries or at > self._entries[-1][0]:
            self._entries.append((at, event))
            return True
        insort(self._entries, (at, event), key=_place)
        return False

    def swap(self, old: Event, new: Event) -> None:
        """Put another event in the place of one."""
        for index in range(len(self._entries) - 1, -1, -1):
            at, event = self._entries[index]
            if event is old:
                self._entries[index] = (at, new)
                return

    def __iter__(self) -> Iterator[tuple[Place, Event]]:
        return iter(self._entries)

    def _tidy(self, before: float) -> None:
        """Interim texts are many; old ones have long become words or a promoted turn."""
        end = bisect_left(self._entries, (before, 0), key=_place)
        kept = [e for e in self._entries[self._tidied : end] if not isinstance(e[1], UserPartial)]
        self._entries[self._tidied : end] = kept
        self._tidied += len(kept)


def _place(entry: tuple[Place, Event]) -> Place:
    return entry[0]
