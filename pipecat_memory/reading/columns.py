"""What the score needs of every entry, as columns of numbers computed when the entry comes in.

Kept apart from the entries so that a search touches no Python object but its few winners.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from .entry import Entry

NOBODY = -1
"""No neighbour: points at the spare last slot of a score array, which is always 0."""

REACH = (-2, -1, 1, 2)
"""Neighbours looked at: two turns before, two after."""


class Columns:
    """Growing columns, one slot an entry, and the order of turns within each call."""

    def __init__(self) -> None:
        self.size = 0
        self.live = np.zeros(64, dtype=np.bool_)
        self.boost = np.zeros(64, dtype=np.float32)
        """Role, standing, shape and importance, multiplied."""
        self.question = np.zeros(64, dtype=np.bool_)
        self.fade = np.zeros(64, dtype=np.float32)
        """How much an entry leans on its neighbours: short ones much, long ones little."""
        self.near = np.full((len(REACH), 64), NOBODY, dtype=np.int32)
        self.pull = np.zeros((len(REACH), 64), dtype=np.float32)
        """Share of each neighbour's words that counts for this entry."""
        self.call = np.zeros(64, dtype=np.int32)
        self.speaker = np.zeros(64, dtype=np.int32)
        self.kind = np.zeros(64, dtype=np.int8)
        self.line = np.zeros(64, dtype=np.int32)
        self.when = np.zeros(64, dtype=np.float64)
        self._calls: dict[str, list[tuple[tuple[int, int, str, str], int]]] = {}

    def grow(self) -> int:
        """Room for one more entry; returns its slot."""
        slot = self.size
        if slot == len(self.live):
            for name, column in vars(self).items():
                if isinstance(column, np.ndarray):
                    spare = np.full_like(column, NOBODY) if name == "near" else np.zeros_like(column)
                    setattr(self, name, np.concatenate([column, spare], axis=-1))
        self.size = slot + 1
        return slot

    def place(self, slot: int, entry: Entry) -> list[int]:
        """Put a turn among the turns of its call; returns the slots whose neighbours changed."""
        if entry.kind != "turn" or not entry.call:
            return []
        turns = self._calls.setdefault(entry.call, [])
        key = (_order(entry), slot)
        insort(turns, key)
        return self._relink(turns, bisect_left(turns, key))

    def unplace(self, slot: int, entry: Entry) -> list[int]:
        """Take a turn out of its call's order; returns the slots whose neighbours changed."""
        turns = self._calls.get(entry.call)
        key = (_order(entry), slot)
        if not turns or key not in turns:
            return []
        at = turns.index(key)
        del turns[at]
        self.near[:, slot] = NOBODY
        return self._relink(turns, at)

    def _relink(self, turns: list[tuple[tuple[int, int, str, str], int]], at: int) -> list[int]:
        touched = range(max(0, at - 2), min(len(turns), at + 3))
        for here in touched:
            slot = turns[here][1]
            for column, step in enumerate(REACH):
                there = here + step
                self.near[column, slot] = turns[there][1] if 0 <= there < len(turns) else NOBODY
        return [turns[here][1] for here in touched]


def _order(entry: Entry) -> tuple[int, int, str, str]:
    """Within a call: by turn, the person before the agent's answer, then by time and id."""
    return (entry.turn, 0 if entry.role == "user" else 1, entry.at, entry.id)


FloatColumn = NDArray[np.float32]
