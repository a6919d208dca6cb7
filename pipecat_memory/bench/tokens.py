"""What a memory's model requests weigh in tokens: everything that was sent and answered, counted alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from ..reading.tokens import TokenCounter

CACHED_FROM = 1024
"""Tokens from which on a repeated beginning is read from the provider's cache (OpenAI, prompt caching)."""
CACHED_STEP = 128
"""Tokens by which the cached part grows (same place)."""
CACHED_PRICE = 0.25
"""A cached input token beside a fresh one: $0.10 to $0.40 for gpt-4.1-mini, our default (OpenAI's prices)."""


@dataclass(frozen=True, slots=True, repr=False)
class Exchange:
    """One request as it went out, and its answer."""

    prompt: str
    answer: str

    @classmethod
    def of(cls, body: dict[str, Any], answer: str) -> Exchange:
        """From a chat request's body. A JSON schema is prompt too, and stands first (OpenAI's guide)."""
        shape = body.get("response_format", {}).get("json_schema")
        parts = [json.dumps(shape, separators=(",", ":"))] if shape else []
        return cls("\n".join([*parts, *(message["content"] for message in body["messages"])]), answer)


def weigh(exchanges: Sequence[Exchange], count: TokenCounter) -> dict[str, Any]:
    """Requests, tokens in and out, and the same with the cached beginnings of prompts at their price."""
    tokens_in = sum(count(exchange.prompt) for exchange in exchanges)
    tokens_out = sum(count(exchange.answer) for exchange in exchanges)
    cached = sum(
        cached_tokens([e.prompt for e in exchanges[:n]], e.prompt, count) for n, e in enumerate(exchanges)
    )
    return {
        "requests": len(exchanges),
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "tokens": tokens_in + tokens_out,
        "tokens_cached": cached,
        "tokens_discounted": round(tokens_in - cached * (1 - CACHED_PRICE)) + tokens_out,
    }


def cached_tokens(before: Sequence[str], prompt: str, count: TokenCounter) -> int:
    """How much of a prompt a provider has in its cache, after these prompts."""
    shared = max((commonprefix([other, prompt]) for other in before), key=len, default="")  # noqa: RUF071 - texts, not paths
    size = count(shared)
    return size - size % CACHED_STEP if size >= CACHED_FROM else 0


def share(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, float]:
    """One of ours is how many of theirs: plain, and with cached tokens discounted."""
    return {
        name: round(theirs[key] / max(ours[key], 1), 1)
        for name, key in (("times_fewer", "tokens"), ("times_fewer_discounted", "tokens_discounted"))
    }
