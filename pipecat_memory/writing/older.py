"""The turns of calls long past: they stay in the store until a question finds nothing in the newer ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import StoreError
from ..reading.reader import build_index

if TYPE_CHECKING:
    from ..memory import Memory
    from ..reading.index import Index
    from ..reading.preload import Known
    from ..stores.caller_file import CallerFile

logger = logging.getLogger(__name__)


class Shelf:
    """What of one caller recall searches: the newest calls, and beside them one page of older ones at most.

    So however many calls there were, a call in this process weighs no more than twice the newest.

    Args:
        memory: whose settings and tasks these are.
        known: facts and summaries, which are searched of all calls.
        file: the caller's.
        calls: ids of all calls, newest first.
    """

    def __init__(self, memory: Memory, known: Known, file: CallerFile, calls: Sequence[str]) -> None:
        size = memory.settings.recall_calls
        self._memory = memory
        self._known = known
        self._file = file
        self._pages = [tuple(calls[at : at + size]) for at in range(0, len(calls), size)]
        self._next = 1
        self._fetching: asyncio.Task[None] | None = None

    async def open(self) -> Index:
        """The index of the newest calls."""
        # Where there is nothing to leave out, not even what belongs to no call is left out.
        return await self._index(self._pages[0] if len(self._pages) > 1 else ())

    def turn_page(self, take: Callable[[Index], None]) -> None:
        """Nothing was found: fetch the next older page in the background; after the oldest, the first again.

        Args:
            take: is given the index with that page, on the loop. Not called where there is nothing older.
        """
        if len(self._pages) > 1 and (self._fetching is None or self._fetching.done()):
            self._fetching = self._memory.tasks.spawn(self._fetch(take), "older calls")

    async def _fetch(self, take: Callable[[Index], None]) -> None:
        try:
            index = await self._index([*self._pages[0], *self._pages[self._next]])
        except StoreError as error:
            logger.warning("older calls could not be read: %s; the next question tries again", error)
            return
        self._next = self._next % (len(self._pages) - 1) + 1
        take(index)

    async def _index(self, calls: Sequence[str]) -> Index:
        loaded = await self._file.memories(calls)
        embedder = self._memory.embedder.name if self._memory.embedder else ""
        episodes = [episode for rows in loaded.episodes.values() for episode in rows]
        vectors = [*loaded.vectors.values(), *([loaded.fact_vectors] if loaded.fact_vectors else [])]
        with self._memory.archive.gauge.one():
            return await asyncio.to_thread(build_index, self._known, episodes, vectors, embedder)
