"""How much an endpoint may send: an answer without end, or packed into little, is given up by its size."""

from __future__ import annotations

import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from ..errors import ModelAnswerBad

PLAIN = {"Accept-Encoding": "identity"}
"""Asks an endpoint not to pack what it sends; some do all the same."""

_GZIP = 16 + zlib.MAX_WBITS


def at_most(size: int) -> Callable[[Any], Awaitable[None]]:
    """A `response` hook for the client of an SDK: httpx, or a library of the same form.

    Args:
        size: bytes of a body, unpacked. Reading more raises `ModelAnswerBad`, which an SDK may wrap.
    """

    async def bounded(response: Any) -> None:
        library = sys.modules[type(response).__module__.partition(".")[0]]
        packed = response.headers.pop("content-encoding", "identity").strip().lower()
        pieces = _bounded(response.stream, size, packed)

        class Bounded(library.AsyncByteStream):
            """What a response may read of its stream."""

            def __init__(self, stream: Any) -> None:
                self._stream = stream

            def __aiter__(self) -> AsyncIterator[bytes]:
                return pieces

            async def aclose(self) -> None:
                await self._stream.aclose()

        response.stream = Bounded(response.stream)

    return bounded


async def _bounded(stream: Any, size: int, packed: str) -> AsyncIterator[bytes]:
    if packed not in ("", "identity", "gzip", "x-gzip"):
        raise ModelAnswerBad("an answer packed in a way that nobody asked for")
    unpack = zlib.decompressobj(_GZIP) if packed.endswith("gzip") else None
    left = size
    async for chunk in stream:
        try:
            piece = unpack.decompress(chunk, left + 1) if unpack is not None else chunk
        except zlib.error:
            raise ModelAnswerBad("an answer that can't be unpacked") from None
        left -= len(piece)
        if left < 0:
            raise ModelAnswerBad(f"an answer of more than {size} bytes")
        yield piece


def size_fault(error: BaseException) -> ModelAnswerBad | None:
    """What `at_most` raised, where an SDK wrapped it in an error of its own."""
    return error.__cause__ if isinstance(error.__cause__, ModelAnswerBad) else None
