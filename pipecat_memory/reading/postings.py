"""Which entry holds which term how often, and how much that says: BM25 over plain postings."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]

SATURATION = 0.9
"""BM25's k1. Spoken turns are short: a word said twice in one says little more than said once."""
LENGTH = 0.4
"""BM25's b. Length differences between turns are style, not padding, so they count by less than half."""


class Postings:
    """An inverted index that grows by one row at a time.

    Rows are never reused: a dropped row leaves the counts and is ignored by whoever reads scores.
    """

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self._held: dict[str, int] = {}
        self._terms: list[frozenset[str]] = []
        self._lengths = np.zeros(64, dtype=np.float32)
        self._total = 0
        self._live = 0

    def __len__(self) -> int:
        return len(self._terms)

    def add(self, terms: Sequence[str], pairs: Sequence[str] = ()) -> int:
        """Take in one entry's terms, and pairs of them that don't count as length; returns its row."""
        row = len(self._terms)
        if row == len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
        counts = Counter(terms)
        counts.update(pairs)
        for term, count in counts.items():
            rows = self._rows.get(term)
            if rows is None:
                rows = self._rows[term] = array("i")
                self._counts[term] = array("f")
                self._held[term] = 0
            rows.append(row)
            self._counts[term].append(count)
            self._held[term] += 1
        self._terms.append(frozenset(counts))
        self._lengths[row] = len(terms)
        self._total += len(terms)
        self._live += 1
        return row

    def drop(self, row: int) -> None:
        """Take a row out of the counts, so that rarity is judged by what is still there."""
        for term in self._terms[row]:
            self._held[term] -= 1
        self._terms[row] = frozenset()
        self._total -= int(self._lengths[row])
        self._live -= 1

    def terms(self, row: int) -> frozenset[str]:
        """The terms and pairs of a live row."""
        return self._terms[row]

    def rarity(self, term: str) -> float:
        """How much finding the term says: most for one nobody used, near 0 for one that is everywhere."""
        held = self._held.get(term, 0)
        return math.log(1 + (self._live - held + 0.5) / (held + 0.5))

    def scores(self, weighted: Iterable[tuple[str, float]], size: int) -> Scores:
        """BM25 of every row for the weighted terms; `size` rows are returned, spare ones zero."""
        rows: list[NDArray[np.int32]] = []
        counts: list[NDArray[np.float32]] = []
        values: list[float] = []
        for term, weight in weighted:
            held = self._rows.get(term)
            if held is None or weight <= 0:
                continue
            # Views on growing arrays. They die with this call: an array can't grow under a view.
            rows.append(np.frombuffer(held, dtype=np.int32))
            counts.append(np.frombuffer(self._counts[term], dtype=np.float32))
            values.append(weight * self.rarity(term) * (SATURATION + 1))
        if not rows:
            return np.zeros(size, dtype=np.float32)
        usual = max(self._total / max(self._live, 1), 1.0)
        where = np.concatenate(rows)
        count = np.concatenate(counts)
        value = np.repeat(np.asarray(values, dtype=np.float32), [len(part) for part in rows])
        pad = self._lengths[where] * np.float32(SATURATION * LENGTH / usual) + np.float32(
            SATURATION * (1 - LENGTH)
        )
        value *= count / (count + pad)
        return np.bincount(where, weights=value, minlength=size).astype(np.float32)
