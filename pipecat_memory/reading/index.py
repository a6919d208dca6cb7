"""The index of one caller's memories. In process; built at preload, grown during the call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..clients.base import Vectors
from .entry import Entry, Hit, Query

__all__ = ["Entry", "Hit", "Index", "Query"]


class Index:
    """Finds what a caller's words are about among what is remembered."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entries: Sequence[Entry], vectors: Vectors | None = None) -> None:
        """Add or replace entries; `vectors` has a row an entry (a row of zeros = none yet)."""
        self._entries |= {entry.id: entry for entry in entries}

    def discard(self, ids: Iterable[str]) -> None:
        """Forget entries; unknown ids are ignored."""
        for gone in ids:
            self._entries.pop(gone, None)

    def encodings(self, text: str) -> tuple[str, ...]:
        """What of a query to embed, one row each: names stripped, one a clause in Chinese."""
        return (text,)

    def search(self, query: Query) -> list[Hit]:
        """The best hits, best first; ties by time, then id."""
        return []
