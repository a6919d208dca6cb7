"""Vectors of what is remembered: made when it is written, and made anew for another embedder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from ..clients.base import Embedder
from ..clients.probe import PROBE, same_model
from ..errors import Erased, ModelError, StoreError
from ..records.profile import Episode, Profile
from ..records.summary import Summary
from ..stores.caller_file import CallerFile
from ..stores.contents import PROBED, Loaded, VectorSet

logger = logging.getLogger(__name__)

PATIENCE = 30.0
"""Longest that a call's end waits for its vectors, seconds; an utterance takes 3 ms in process. What the
caller said must not wait for an embedder that hangs."""


async def call_vectors(
    embedder: Embedder | None, episodes: Sequence[Episode], summary: Summary | None
) -> VectorSet | None:
    """Of one call's items and its summary."""
    texts = [(episode.id, episode.text) for episode in episodes]
    if summary is not None:
        texts.append((f"summary.{summary.call}", summary.text))
    return await _embedded(embedder, texts)


async def fact_vectors(embedder: Embedder | None, profile: Profile) -> VectorSet | None:
    """Of all facts that recall may find."""
    facts = [(f"fact.{f.id}", f.text) for f in profile.facts if f.status in ("current", "superseded")]
    return await _embedded(embedder, facts)


async def renew(file: CallerFile, embedder: Embedder, newest: str, page: int) -> int:
    """Make the vectors of earlier calls that have none, or another embedder's; returns of how many.

    Meant for the background, after a call: until then recall goes by keywords for those calls. The newest are
    looked at each time, and the oldest: they come last, so that they tell whether it was ever done.

    Args:
        file: the caller's.
        embedder: the one in use.
        newest: a call whose vectors were just made. Earlier ones are held against its vectors, since
            an app may put another model behind the same name.
        page: calls that are read at once.
    """
    renewal = _Renewal(file, embedder)
    try:
        loaded = await file.load()
        if await renewal.start(newest):
            await renewal.run(loaded, page)
    except Erased:
        logger.info("a caller was forgotten while vectors were made; they were not kept")
    except StoreError as error:
        logger.error("vectors could not be kept: %s; the next call makes them", error)
    return renewal.made


class _Renewal:
    """Makes vectors anew, some calls at a time."""

    def __init__(self, file: CallerFile, embedder: Embedder) -> None:
        self.made = 0
        self._file = file
        self._embedder = embedder
        self._now: VectorSet | None = None

    async def start(self, newest: str) -> bool:
        """Whether the embedder made vectors of the newest call; else it is away, a later call mends it."""
        now = (await self._file.memories([newest])).vectors.get(newest)
        self._now = now if now is not None and now.embedder == self._embedder.name else None
        return self._now is not None

    async def run(self, loaded: Loaded, page: int) -> None:
        """Go through the calls, newest first, so many at a time."""
        summaries = {summary.call: summary for summary in loaded.profile.summaries}
        calls = loaded.newest_first
        # Where all fits into one page, what belongs to no call is looked at as well.
        pages = [calls[at : at + page] for at in range(0, len(calls), page)] if len(calls) > page else [[]]
        there = await self._make(pages[0], summaries)
        older = pages[1:] if self.made or (len(pages) > 1 and await self._lacking(pages[-1])) else []
        for calls in older:
            there = there and await self._make(calls, summaries)

    async def _make(self, calls: Sequence[str], summaries: Mapping[str, Summary]) -> bool:
        """Make what these calls lack; False where the embedder gave none."""
        for call, episodes in (await self._lacking(calls)).items():
            made = await call_vectors(self._embedder, episodes, summaries.get(call))
            if made is None:
                return False
            blob = made.pack()
            await self._file.change("vectors", call, lambda _old, blob=blob: blob)
            self.made += 1
        return True

    async def _lacking(self, calls: Sequence[str]) -> dict[str, tuple[Episode, ...]]:
        """What of these calls has no vectors of the model in use, by call."""
        loaded = await self._file.memories(calls)
        held = loaded.vectors
        return {
            call: tuple(episodes)
            for call, episodes in loaded.episodes.items()
            if call not in held or self._now is None or not _alike(held[call], self._now)
        }


def _alike(held: VectorSet, now: VectorSet) -> bool:
    """Whether both come from one model, by all that a set says; one that says too little is made anew."""
    said = (held.embedder, held.width, held.probe is None) == (now.embedder, now.width, now.probe is None)
    return said and same_model(held.probe, now.probe)


async def _embedded(embedder: Embedder | None, texts: Sequence[tuple[str, str]]) -> VectorSet | None:
    """Vectors, or None where they can't be had: recall then goes by keywords and a later call mends it."""
    if embedder is None or not texts:
        return None
    try:
        async with asyncio.timeout(PATIENCE):
            rows = await embedder.embed([*(text for _, text in texts), PROBE])
    except (ModelError, TimeoutError):
        return None
    return VectorSet(embedder.name, (*(id for id, _ in texts), PROBED), rows)
