"""What the score needs of every entry, as columns of numbers computed when the entry comes in.

Kept apart from the entries so that a search touches no Python object but its few winners.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .entry import Entry

Floats = NDArray[np.float32]

NOBODY = -1
"""No neighbour: points at the spare last slot of a score array, which is always 0."""

STEPS = (-2, -1, 1, 2)
"""Neighbours looked at: two turns before, two after."""
PULL = (0.3, 0.3, 0.3, 0.2)
"""Share of each one's words that counts for the turn between them."""
AFTER_QUESTION = 0.8
"""Share of the turn before where it asks: an answer often lacks the word it answers."""
FADE = 35.0
"""Words at which a turn leans on its neighbours by a third: long ones speak for themselves."""

KINDS = {"fact": 0, "summary": 1, "turn": 2, "reflection": 3}

_Place = tuple[tuple[int, int, str, str], int]


class Columns:
    """Growing columns, one slot an entry, and the order of turns within each call."""

    def __init__(self) -> None:
        self.size = 0
        self.live = np.zeros(64, dtype=np.float32)
        """1 for entries that may be found, 0 for dropped ones."""
        self.boost = np.zeros(64, dtype=np.float32)
        """Shape, importance and correction, multiplied."""
        self.standing = np.zeros(64, dtype=np.float32)
        """1 for what holds, less for what was replaced since."""
        self.near = np.full((len(STEPS), 64), NOBODY, dtype=np.intp)
        self.pull = np.zeros((len(STEPS), 64), dtype=np.float32)
        self.lean = np.zeros(64, dtype=np.float32)
        self.asks = np.zeros(64, dtype=np.bool_)
        self.window = np.ones(64, dtype=np.float32)
        """One over the length of the summed vectors of a turn and its two neighbours."""
        self.call = np.zeros(64, dtype=np.intp)
        self.speaker = np.zeros(64, dtype=np.int32)
        self.kind = np.zeros(64, dtype=np.intp)
        self.line = np.zeros(64, dtype=np.int32)
        self.day = np.zeros(64, dtype=np.int32)
        self.month_day = np.zeros(64, dtype=np.int32)
        """month * 100 + day, for dates named without a year."""
        self._calls: dict[str, list[_Place]] = {}
        self._places: dict[int, tuple[str, _Place]] = {}

    def grow(self) -> int:
        """Room for one more entry; returns its slot."""
        slot = self.size
        if slot == len(self.live):
            for name, column in list(vars(self).items()):
                if isinstance(column, np.ndarray):
                    spare = np.full_like(column, NOBODY) if name == "near" else np.zeros_like(column)
                    setattr(self, name, np.concatenate([column, spare], axis=-1))
        self.size = slot + 1
        return slot

    def place(self, slots: Iterable[int], entries: Iterable[Entry]) -> list[int]:
        """Put turns among the turns of their calls; returns the slots whose neighbours changed."""
        moved: set[int] = set()
        for slot, entry in zip(slots, entries, strict=True):
            if entry.kind != "turn" or not entry.call:
                continue
            turns = self._calls.setdefault(entry.call, [])
            place: _Place = (_order(entry), slot)
            at = bisect_left(turns, place)
            turns.insert(at, place)
            self._places[slot] = (entry.call, place)
            moved.update(there for _, there in turns[max(0, at - 2) : at + 3])
        return self._relink(moved)

    def unplace(self, slot: int) -> list[int]:
        """Take a turn out of its call's order; returns the slots whose neighbours changed."""
        if slot not in self._places:
            return []
        call, place = self._places.pop(slot)
        turns = self._calls[call]
        at = bisect_left(turns, place)
        del turns[at]
        self.near[:, slot] = NOBODY
        return self._relink({there for _, there in turns[max(0, at - 2) : at + 2]})

    def _relink(self, moved: set[int]) -> list[int]:
        for slot in moved:
            call, place = self._places[slot]
            turns = self._calls[call]
            here = bisect_left(turns, place)
            for column, step in enumerate(STEPS):
                there = here + step
                self.near[column, slot] = turns[there][1] if 0 <= there < len(turns) else NOBODY
                self.pull[column, slot] = PULL[column] * self.lean[slot]
            before = self.near[1, slot]
            if before != NOBODY and self.asks[before]:
                self.pull[1, slot] = AFTER_QUESTION * self.lean[slot]
        return sorted(moved)


def _order(entry: Entry) -> tuple[int, int, str, str]:
    """Within a call: by turn, the person before the agent's answer, then by time and id."""
    return (entry.turn, 0 if entry.role == "user" else 1, entry.at, entry.id)
