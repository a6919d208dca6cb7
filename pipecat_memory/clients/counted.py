"""The embedder as the engine uses it: counted, for a held clock has to know, and held to its word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ModelError, ModelUnavailable
from ..stores.caller_file import Gauge
from .base import Embedder, Vectors
from .embedders import unit_rows


class CountedEmbedder:
    """Passes on to `inner`; `gauge` shows what is under way.

    Whatever `inner` raises or gives instead of vectors is `ModelUnavailable`: an app may give any object.
    """

    def __init__(self, inner: Embedder, gauge: Gauge) -> None:
        self._inner = inner
        self._gauge = gauge

    @property
    def name(self) -> str:
        return self._inner.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        with self._gauge.one():
            try:
                rows: Any = await self._inner.embed(texts)
            except ModelError:
                raise
            except Exception as error:  # noqa: BLE001 - the app's code may raise anything; it is its guard
                raise ModelUnavailable(f"the embedder raised {type(error).__name__}") from None
        return rows if _whole(rows, len(texts)) else unit_rows(rows, len(texts))


def _whole(rows: Any, expected: int) -> bool:
    return (
        isinstance(rows, np.ndarray)
        and rows.dtype == np.float32
        and rows.ndim == 2
        and len(rows) == expected
        and bool(np.isfinite(rows).all())
    )
