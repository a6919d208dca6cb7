"""Which entry holds which term how often, and how much that says: BM25 over plain postings.

All of it lies in a few flat arrays: a caller's thousands of rows are no objects for the collector to walk.
"""

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
    """An inverted index that grows by rows: add some, then `sort`.

    Rows are never reused: a dropped row leaves the counts and is ignored by whoever reads scores.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """Of every term, from 0 in the order they came."""
        self._names: tuple[str, ...] = ()
        self._held = array("i")
        """In how many live rows each term stands."""
        self._terms = array("i")
        """The terms of row 0, then those of row 1, and so on; `_starts` says where each row begins."""
        self._counts = array("f")
        self._starts = array("i", [0])
        self._lengths = array("f")
        self._total = 0
        self._dropped: set[int] = set()
        self._where = np.zeros(0, np.int32)
        """The rows that hold term 0, then those that hold term 1; `_firsts` says where each term begins."""
        self._often = np.zeros(0, np.float32)
        self._firsts = array("i", [0])

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, terms: Sequence[str], pairs: Sequence[str] = ()) -> int:
        """Take in one entry's terms, and pairs of them that don't count as length; returns its row."""
        counts = Counter(terms)
        counts.update(pairs)
        for term, count in counts.items():
            number = self._numbers.setdefault(term, len(self._held))
            if number == len(self._held):
                self._held.append(0)
            self._held[number] += 1
            self._terms.append(number)
            self._counts.append(count)
        self._starts.append(len(self._terms))
        self._lengths.append(len(terms))
        self._total += len(terms)
        return len(self._lengths) - 1

    def sort(self) -> None:
        """Make what was added findable: put what lies row by row in the order of terms as well."""
        self._names = tuple(self._numbers)
        if not self._terms:
            return
        terms = np.array(self._terms, dtype=np.int32)
        rows = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(np.array(self._starts)))
        order = np.argsort(terms, kind="stable")
        self._where, self._often = rows[order], np.array(self._counts, dtype=np.float32)[order]
        self._firsts = array("i", [0, *np.cumsum(np.bincount(terms, minlength=len(self._held))).tolist()])

    def drop(self, row: int) -> None:
        """Take a row out of the counts, so that rarity is judged by what is still there."""
        for number in self._row(row):
            self._held[number] -= 1
        self._total -= int(self._lengths[row])
        self._dropped.add(row)

    def terms(self, row: int) -> frozenset[str]:
        """The terms and pairs of a live row."""
        return frozenset() if row in self._dropped else frozenset(self._names[n] for n in self._row(row))

    def rarity(self, term: str) -> float:
        """How much finding the term says: most for one nobody used, near 0 for one that is everywhere."""
        number = self._numbers.get(term)
        held = 0 if number is None else self._held[number]
        return math.log(1 + (self._live - held + 0.5) / (held + 0.5))

    def scores(self, weighted: Iterable[tuple[str, float]], size: int) -> Scores:
        """BM25 of every row for the weighted terms; `size` rows are returned, spare ones zero."""
        parts: list[slice] = []
        values: list[float] = []
        for term, weight in weighted:
            number = self._numbers.get(term)
            if number is None or weight <= 0:
                continue
            parts.append(slice(self._firsts[number], self._firsts[number + 1]))
            values.append(weight * self.rarity(term) * (SATURATION + 1))
        if not parts:
            return np.zeros(size, dtype=np.float32)
        usual = max(self._total / max(self._live, 1), 1.0)
        where = np.concatenate([self._where[part] for part in parts])
        count = np.concatenate([self._often[part] for part in parts])
        value = np.repeat(np.array(values, dtype=np.float32), [part.stop - part.start for part in parts])
        lengths = np.frombuffer(self._lengths, dtype=np.float32)  # dies here: no array grows under a view
        pad = lengths[where] * np.float32(SATURATION * LENGTH / usual) + np.float32(SATURATION * (1 - LENGTH))
        value *= count / (count + pad)
        return np.bincount(where, weights=value, minlength=size).astype(np.float32)

    @property
    def _live(self) -> int:
        return len(self._lengths) - len(self._dropped)

    def _row(self, row: int) -> array[int]:
        return self._terms[self._starts[row] : self._starts[row + 1]]
