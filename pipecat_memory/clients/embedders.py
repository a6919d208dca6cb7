"""Embedders besides the in-process one, and the choice among them."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np

from ..errors import ModelUnavailable, UsedWrongly
from ..tasks import in_thread
from . import sdk
from .base import Embedder, Vectors
from .bounded import size_fault
from .use import sentence_encoder

EmbedCall = Callable[[list[str]], Sequence[Sequence[float]] | Awaitable[Sequence[Sequence[float]]]]
"""What an app may hand over as its embedder, sync or async."""

BATCH = 32
"""Texts of one remote request: to read the vectors of as many takes 10 ms, in which no other thread runs."""

MOST = BATCH * 100_000
"""Bytes of its answer: 4,096 numbers a text in their longest form."""


def unit_rows(rows: Sequence[Sequence[float]] | Vectors, expected: int) -> Vectors:
    """The rows as float32 of unit length.

    Raises:
        ModelUnavailable: not one finite row a text.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelUnavailable(f"the embedder's rows are no numbers: {type(error).__name__}") from None
    if matrix.ndim != 2 or len(matrix) != expected or not np.isfinite(matrix).all():
        raise ModelUnavailable(f"the embedder gave no {expected} finite rows of one length")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.maximum(lengths, 1e-12)


class CallableEmbedder:
    """An app's own function. A sync one runs in one worker thread, so the loop never waits for it."""

    def __init__(self, call: EmbedCall) -> None:
        self._call = call
        self._async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(
            getattr(call, "__call__", None)  # noqa: B004 - an object with an async call counts too
        )
        self._thread: ThreadPoolExecutor | None = None
        self.name = f"app:{getattr(call, '__qualname__', type(call).__qualname__)}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        try:
            if self._async:
                rows = await cast("Awaitable[Any]", self._call(list(texts)))
            else:
                rows = await self._in_thread(list(texts))
        except ModelUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the app's code may raise anything; it is this door's guard
            raise ModelUnavailable(f"the app's embedder raised {type(error).__name__}") from None
        return unit_rows(rows, len(texts))

    async def _in_thread(self, texts: list[str]) -> Any:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="pipecat-memory-embed")
        # A plain function may still hand back an awaitable (functools.partial, a wrapper).
        return await in_thread(self._call, texts, thread=self._thread)


class RemoteEmbedder:
    """An OpenAI-compatible endpoint (`/v1/embeddings`).

    Args:
        model: the endpoint's name of the model.
        base_url: None for the SDK's default.
        api_key: None for the SDK's default (the environment, read now).
        timeout: seconds of one request and its second try together.
    """

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: str | None = None, timeout: float = 8.0
    ) -> None:
        try:
            import openai  # here, not above: it is an extra
        except ImportError:
            raise UsedWrongly("a remote embedder needs the openai package: pipecat-memory[openai]") from None
        sdk.rehearse()
        self.name = f"remote:{model}"
        self._model = model
        self._failures = (openai.OpenAIError, TimeoutError)
        self._timeout = timeout
        self._client = openai.AsyncOpenAI(
            base_url=base_url, api_key=api_key, timeout=timeout, max_retries=1, http_client=sdk.bounded(MOST)
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        parts: list[Vectors] = []
        for start in range(0, len(texts), BATCH):
            batch = [text or " " for text in texts[start : start + BATCH]]
            try:
                async with asyncio.timeout(self._timeout):
                    body = await sdk.embeddings(self._client, self._model, batch)
            except self._failures as error:
                reason = f"the embedding endpoint failed: {type(error).__name__}"
                raise size_fault(error) or ModelUnavailable(reason) from None
            parts.append(await asyncio.to_thread(_vectors, body, len(batch)))
        if len({part.shape[1] for part in parts}) > 1:
            raise ModelUnavailable("the embedding endpoint's vectors have several lengths")
        return np.concatenate(parts)

    async def close(self) -> None:
        """Close the endpoint's connections."""
        await self._client.close()


def _vectors(body: bytes, expected: int) -> Vectors:
    """The vectors in an endpoint's answer, in the order of the texts."""
    try:
        data = json.loads(body)["data"]
        rows = [row["embedding"] for row in sorted(data, key=lambda row: row.get("index", 0))]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ModelUnavailable("the embedding endpoint's answer holds no vectors") from None
    return unit_rows(rows, expected)


def resolve_embedder(choice: str | Embedder | EmbedCall | None) -> Embedder | None:
    """The embedder an app asked for.

    Args:
        choice: `"auto"` (the in-process one where installed), None (keywords alone), an object
            with `name` and `embed`, or a sync or async callable `list[str] -> list[list[float]]`.

    Blocks for about a second when `"auto"` loads the model: call it in a thread, or `prewarm` first.
    """
    if choice is None:
        return None
    if isinstance(choice, str):
        if choice != "auto":
            raise UsedWrongly('embedder is "auto", None, an Embedder or a callable')
        return sentence_encoder()
    if hasattr(choice, "embed"):
        return cast("Embedder", choice)
    if not callable(choice):
        raise UsedWrongly('embedder is "auto", None, an Embedder or a callable')
    return CallableEmbedder(choice)
