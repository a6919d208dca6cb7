"""The two protocols behind which models live: one that answers, one that embeds."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Purpose = Literal["extract", "summarise", "compress", "consolidate"]
Finish = Literal["stop", "length", "error", "timeout"]
Vectors = NDArray[np.float32]


_MOST_TOKENS = 10_000_000
"""Of one request, beyond which a count is a fault of whoever counts: no model takes as many."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelRequest:
    """One question to a language model.

    Args:
        fixed: the part that is the same in every request of this purpose; it stands first.
        text: the changing part.
        schema: JSON schema of the answer, for endpoints that take one.
        max_tokens: room for the answer.
        turns: (number) of the caller turns it covers; () = the whole call.
    """

    purpose: Purpose
    fixed: str
    text: str
    schema: dict[str, Any] | None = None
    max_tokens: int = 700
    call: str = ""
    turns: tuple[int, ...] = ()
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelReply:
    """What came back. `finish` other than `stop` means: not a whole answer."""

    text: str
    finish: Finish = "stop"
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0


def counted(tokens: object) -> int:
    """Tokens as an endpoint or an app's model counts them; what can be no count spends no budget."""
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        return 0
    return tokens if 0 <= tokens <= _MOST_TOKENS else 0


@dataclass(slots=True)
class Usage:
    """Requests and tokens, by purpose.

    Args:
        by_purpose: the counts; `tokens_cached`, a part of `tokens_in`, where a provider reported any.
        above: what this is a part of: a call's usage counts towards its tenant's too.
    """

    by_purpose: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    above: Usage | None = None

    def add(self, purpose: str, reply: ModelReply) -> None:
        row = self.by_purpose.setdefault(purpose, {"requests": 0, "tokens_in": 0, "tokens_out": 0})
        row["requests"] += 1
        row["tokens_in"] += reply.tokens_in
        row["tokens_out"] += reply.tokens_out
        if reply.tokens_cached:
            row["tokens_cached"] = row.get("tokens_cached", 0) + reply.tokens_cached
        if self.above is not None:
            self.above.add(purpose, reply)

    def include(self, other: Usage) -> None:
        """Count here too what was counted there; what stands above both has it already."""
        for purpose, row in other.by_purpose.items():
            mine = self.by_purpose.setdefault(purpose, {})
            for name, count in row.items():
                mine[name] = mine.get(name, 0) + count

    @property
    def tokens(self) -> int:
        return sum(row["tokens_in"] + row["tokens_out"] for row in self.by_purpose.values())


class LanguageModel(Protocol):
    """Anything that answers a `ModelRequest`. Off the reply path, always."""

    @property
    def name(self) -> str:
        """The model's name, as reports show it."""
        ...

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Answer, or say how it failed.

        Raises:
            ModelUnavailable: no answer could be had; the turn is parked, not lost.
        """
        ...


@runtime_checkable
class Warmable(Protocol):
    """A `LanguageModel` that has something to load, such as an SDK or weights: optional beside `answer`."""

    def warm(self) -> Awaitable[None] | None:
        """Load it, for good: asked for when a memory's first call begins, and before each request.

        No part of it counts against a request's deadline. A coroutine function runs on the event loop and
        must not hold it; a plain function runs in a worker thread.

        Raises:
            ModelUnavailable: it can't be loaded; the turn is parked, not lost.
        """
        ...


class Embedder(Protocol):
    """Anything that turns texts into unit vectors of one length."""

    @property
    def name(self) -> str:
        """Name and version; vectors of another name are made anew in the background."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, float32, unit length. Runs off the event loop.

        Raises:
            ModelUnavailable: no vectors could be had; recall goes on with keywords alone.
        """
        ...
