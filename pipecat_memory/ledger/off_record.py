"""What is off the record: paused stretches and forgotten turns, with all that came from them."""

from __future__ import annotations

from .speech import Place

_ALWAYS: Place = (float("inf"), 0)


class OffRecord:
    """Stretches of a call that are no history. Fed in order of time."""

    def __init__(self) -> None:
        self._pauses: list[tuple[Place, Place]] = []
        self._forgotten: list[tuple[Place, Place]] = []

    @property
    def paused(self) -> bool:
        return bool(self._pauses) and self._pauses[-1][1] == _ALWAYS

    def pause(self, at: Place) -> None:
        if not self.paused:
            self._pauses.append((at, _ALWAYS))

    def resume(self, at: Place) -> None:
        if self.paused:
            self._pauses[-1] = (self._pauses[-1][0], at)

    def forget(self, start: Place, end: Place) -> None:
        self._forgotten.append((start, end))

    def forgot_at(self, t: float) -> bool:
        """Whether the request of that moment was carried out: delivered twice, it is one."""
        return any(end[0] == t for _, end in self._forgotten)

    def pauses(self, place: Place) -> bool:
        """Whether what began there was said while paused."""
        return any(start <= place < end for start, end in self._pauses)

    def drops(self, place: Place) -> bool:
        """Whether a reply or tool call that began there is no history."""
        if not self._pauses and not self._forgotten:
            return False
        return self.pauses(place) or any(start <= place <= end for start, end in self._forgotten)
