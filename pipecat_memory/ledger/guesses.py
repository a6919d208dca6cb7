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
        self.withdrawn: list[tuple[Place, Place]] = []
        """Stretches in which replies were started on a guess that was taken back, in order."""
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
        if self._standing is not None:
            self.withdrawn.append((self._standing[0], at))
            self._standing = None

    def leave_open(self) -> None:
        """No turn end will come: what was never heard of a reply to the guess is no history."""
        self.take_back(_ALWAYS)

    def taken_back(self, place: Place) -> Iterator[Place]:
        """When guesses were taken back that stood at that moment."""
        last = bisect_right(self.withdrawn, place, key=lambda stretch: stretch[0])
        # One guess begins where the one before it ends: of a shared moment both stand.
        return (end for _, end in self.withdrawn[max(0, last - 2) : last] if place <= end)
