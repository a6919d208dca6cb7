"""Early guesses that the caller's turn has ended, and what became of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from ..events import Event
from .speech import Place

_ALWAYS: Place = (float("inf"), 0)


class LeftOpen(Event):
    """Told by nobody: whoever held the call holds it no more, and a guess that stands then stays one."""


class Guesses:
    """At most one guess stands at a time. Fed in order of time."""

    def __init__(self) -> None:
        self.withdrawn: list[tuple[Place, Place, Place]] = []
        """Stretches in which replies were started on a guess that did not hold, in order; and by when they
        must have been heard."""
        self._standing: tuple[Place, str] | None = None

    @property
    def stands(self) -> bool:
        """Whether a reply that starts now answers a guess."""
        return self._standing is not None

    def make(self, at: Place, text: str) -> None:
        """The turn seems to have ended with these words; the same guess again is none."""
        if self._standing is None or self._standing[1] != text:
            self.take_back(at)
            self._standing = (at, text)

    def confirm(self) -> None:
        """The turn has ended."""
        self._standing = None

    def take_back(self, at: Place) -> None:
        """The turn goes on."""
        self._end(at, at)

    def leave_open(self, at: Place) -> None:
        """No turn end will come: a reply to the guess is history as far as it was ever heard."""
        self._end(at, _ALWAYS)

    def taken_back(self, place: Place) -> Iterator[Place]:
        """By when a reply that began then has to have been heard: as guesses stood that did not hold."""
        last = bisect_right(self.withdrawn, place, key=lambda stretch: stretch[0])
        # One guess begins where the one before it ends: of a shared moment both stand.
        return (heard for _, end, heard in self.withdrawn[max(0, last - 2) : last] if place <= end)

    def _end(self, at: Place, heard: Place) -> None:
        if self._standing is not None:
            self.withdrawn.append((self._standing[0], at, heard))
            self._standing = None
