"""Vectors of what is remembered: made when it is written, and made anew for another embedder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ..clients.base import Embedder
from ..clients.probe import PROBE, same_model
from ..errors import Erased, ModelError, StoreError
from ..records.profile import Episode, Profile
from ..records.summary import Summary
from ..stores.caller_file import CallerFile
from ..stores.contents import PROBED, VectorSet

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


async def renew(file: CallerFile, embedder: Embedder, newest: str) -> int:
    """Make the vectors of earlier calls that have none, or another embedder's; returns of how many.

    Meant for the background, after a call: until then recall goes by keywords for those calls.

    Args:
        file: the caller's.
        embedder: the one in use.
        newest: a call whose vectors were just made. Earlier ones are held against its vectors, since
            an app may put another model behind the same name.
    """
    renewed = 0
    try:
        loaded, summaries = await file.memories(), (await file.load()).profile.summaries
        now = loaded.vectors.get(newest)
        if now is None or now.embedder != embedder.name:
            return renewed  # the embedder is away; a later call mends it
        for call, episodes in loaded.episodes.items():
            held = loaded.vectors.get(call)
            if held is not None and _alike(held, now):
                continue
            made = await call_vectors(embedder, episodes, _summary(summaries, call))
            if made is None:
                break
            blob = made.pack()
            await file.change("vectors", call, lambda _old, blob=blob: blob)
            renewed += 1
    except Erased:
        logger.info("a caller was forgotten while vectors were made; they were not kept")
    except StoreError as error:
        logger.error("vectors could not be kept: %s; the next call makes them", error)
    return renewed


def _alike(held: VectorSet, now: VectorSet) -> bool:
    """Whether both come from one model, by all that a set says; one that says too little is made anew."""
    said = (held.embedder, held.width, held.probe is None) == (now.embedder, now.width, now.probe is None)
    return said and same_model(held.probe, now.probe)


def _summary(summaries: Sequence[Summary], call: str) -> Summary | None:
    return next((summary for summary in summaries if summary.call == call), None)


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
