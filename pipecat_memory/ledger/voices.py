"""Voice activity as each process that held the call heard it: it says nothing of words that another told."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

from .speech import Place, Said, Voice


class Voices:
    """One `Voice` a process. By order of arrival an event tells whose it is, whatever moment it names."""

    def __init__(self) -> None:
        self._begins = [0]
        """Arrivals with which the processes took the call."""
        self._sounds: list[list[float]] = [[]]
        self._heard = [Voice()]

    def begin(self, arrival: int) -> None:
        """What arrives after that is told by the next process."""
        self._begins.append(arrival)
        self._sounds.append([])
        self._heard.append(Voice())

    def reset(self) -> None:
        """The voice activity is folded again; that the agent was heard stands."""
        self._heard = [Voice() for _ in self._begins]

    @property
    def now(self) -> Voice:
        """As the process hears it that holds the call."""
        return self._heard[-1]

    def of(self, arrival: int) -> Voice:
        """As the process heard it that told what came with that arrival."""
        return self._heard[self._at(arrival)]

    def sounded(self, t: float) -> None:
        """The agent was heard."""
        insort(self._sounds[-1], t)

    def silent(self, said: Said) -> bool:
        """True for words that came out of a long silence; see `Voice.silent`."""
        at = self._at(said.at[1])
        return self._heard[at].silent(said, self._sounds[at])

    def told_with(self, said: Sequence[Said], place: Place) -> Sequence[Said]:
        """Of what was said, that which the process told that told of that moment."""
        if len(self._begins) == 1:
            return said
        return [one for one in said if self._at(one.at[1]) == self._at(place[1])]

    def _at(self, arrival: int) -> int:
        return bisect_right(self._begins, arrival) - 1 if len(self._begins) > 1 else 0
