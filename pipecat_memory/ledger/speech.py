"""Voice activity and what the recogniser made of it: when speech started, and whether there was any."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..records.turn import Segment

Place = tuple[float, int]
"""A moment of the call and, for ties, the order of arrival."""

SLACK = 0.5
"""Seconds by which a recogniser's start may miss the voice activity it belongs to (design rule 1)."""
GRACE = 2.0
"""Seconds after voice stopped in which words without a start still belong to it; recognisers
finalise within one to two."""

SILENCE = 5.0
"""Seconds without a sound of either side after which words without voice activity are an invention
of the recogniser. Sooner they are taken for speech too quiet for the voice detector."""


@dataclass(slots=True, repr=False)
class Window:
    """One stretch of voice activity. `partial` is its last interim text, `words` when its last final came."""

    place: Place
    stop: float | None = None
    partial: str = ""
    partial_at: float = 0.0
    emptied: bool = False
    promoted: bool = False
    words: float | None = None

    @property
    def start(self) -> float:
        return self.place[0]

    def covers(self, moment: float) -> bool:
        return self.start - SLACK <= moment and (self.stop is None or moment <= self.stop + SLACK)

    def recent(self, moment: float) -> bool:
        return self.stop is not None and self.stop <= moment <= self.stop + SILENCE


@dataclass(slots=True, repr=False)
class Said:
    """A segment in its place. `at` is when it was delivered, `ident` what makes it the same final."""

    segment: Segment
    place: Place
    at: Place
    ident: tuple[Any, ...]
    done: bool = True
    """False: more keys follow."""


@dataclass(slots=True, repr=False)
class _Loose:
    """Partials that came before any voice activity was reported."""

    place: Place
    text: str
    at: float
    emptied: bool = False


@dataclass(slots=True, repr=False)
class Voice:
    """All voice activity of a call. Fed in order of time."""

    windows: list[Window] = field(default_factory=list[Window])
    _loose: _Loose | None = None

    @property
    def active(self) -> bool:
        return bool(self.windows) and self.windows[-1].stop is None

    @property
    def goes_on(self) -> bool:
        """Somebody speaks, or has interim words that are no final yet."""
        return self.active or self._loose is not None

    def begin(self, place: Place, ended: Place | None) -> Window | None:
        """Voice started. `ended` is the last turn end; returns the new window, if it is one."""
        if self.active:
            last = self.windows[-1]
            if ended is None or ended < last.place:
                return None
            last.stop = ended[0]
        window = Window(place)
        loose, self._loose = self._loose, None
        if loose is not None and place[0] - loose.at <= SLACK:
            window.partial, window.partial_at, window.emptied = loose.text, loose.at, loose.emptied
        self.windows.append(window)
        return window

    def end(self, t: float) -> Window | None:
        """Voice stopped. Returns a window whose start was never reported, if this reveals one."""
        if self.active:
            self.windows[-1].stop = t
            return None
        loose, self._loose = self._loose, None
        if loose is None:
            return None
        window = Window(loose.place, t, loose.text, loose.at, loose.emptied)
        self.windows.append(window)
        return window

    def partial(self, place: Place, text: str, ended: Place | None) -> None:
        last = self._recent(place[0], ended)
        if last is not None:
            last.partial, last.partial_at = text, place[0]
        elif self._loose is None:
            self._loose = _Loose(place, text, place[0])
        else:
            self._loose.text, self._loose.at = text, place[0]

    def empty(self, t: float, ended: Place | None) -> None:
        """The recogniser closed an utterance without words."""
        last = self._recent(t, ended)
        if last is not None:
            last.emptied = True
        elif self._loose is not None:
            self._loose.emptied = True

    def turn_ended(self) -> None:
        self._loose = None

    def place(self, at: Place, ends: list[Place]) -> Place:
        """Where words without a start of their own began.

        Args:
            at: when they were delivered.
            ends: turn ends so far, in order.
        """
        window = self.windows[-1] if self.windows else None
        if window is None:
            return at
        if window.words is None:
            return at if self._closed(window, at[0], ends) else window.place
        between = bisect_right(ends, (window.words, 1 << 62))
        if between == len(ends):
            within = window.stop is None or at[0] - window.stop <= GRACE
            return (max(window.start, window.words), at[1]) if within else at
        late = window.stop is not None and at[0] - window.stop <= GRACE
        return (window.words, window.place[1]) if late else at

    @staticmethod
    def _closed(window: Window, t: float, ends: list[Place]) -> bool:
        """The recogniser is done with a voice it had partials of: what comes now is something else."""
        if not window.partial or window.stop is None or t - window.stop <= GRACE:
            return False
        return window.emptied or (bool(ends) and ends[-1][0] >= window.stop)

    def words(self, said: Said) -> None:
        """A final with words came: its voice activity has been accounted for."""
        self._loose = None
        for window in reversed(self.windows[-4:]):
            if window.covers(said.place[0]) or window.place == said.place:
                window.words = max(window.words or 0.0, said.at[0])

    def silent(self, said: Said, sounds: Sequence[float]) -> bool:
        """True for words that came out of a long silence on a line whose voice activity is reported.

        Args:
            said: the words.
            sounds: when the agent was heard, in order.
        """
        if not self.windows or self.windows[0].start > said.at[0]:
            return False
        start = said.place[0]
        near = bisect_right(self.windows, start + SLACK, key=lambda w: w.start)
        if any(w.covers(start) or w.recent(start) for w in self.windows[max(0, near - 2) : near]):
            return False
        heard = bisect_right(sounds, start)
        return not heard or start - sounds[heard - 1] > SILENCE

    def _recent(self, t: float, ended: Place | None) -> Window | None:
        """The window that an interim text of now belongs to."""
        last = self.windows[-1] if self.windows else None
        if last is None or (ended is not None and last.place < ended):
            return None
        return last if last.stop is None or t - last.stop <= GRACE else None
