"""An embedder whose outstanding work is counted, so that a held clock knows when to wait."""

from __future__ import annotations

from collections.abc import Sequence

from ..stores.caller_file import Gauge
from .base import Embedder, Vectors


class CountedEmbedder:
    """Passes on to `inner`; `gauge` shows what is under way."""

    def __init__(self, inner: Embedder, gauge: Gauge) -> None:
        self._inner = inner
        self._gauge = gauge

    @property
    def name(self) -> str:
        return self._inner.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        with self._gauge.one():
            return await self._inner.embed(texts)
