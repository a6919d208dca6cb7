"""How long a text is for a model: an offline tokenizer where installed, else a stated over-estimate."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

from ..config import Settings

TokenCounter = Callable[[str], int]


def estimate(text: str) -> int:
    """An over-estimate without a vocabulary.

    English runs at about 4 characters a token in OpenAI's vocabularies and other scripts at up to
    one token a character (OpenAI's tokenizer guide); 3.2 and 1.1 stay above both.
    """
    plain = sum(1 for c in text if c.isascii())
    return math.ceil(plain / 3.2 + (len(text) - plain) * 1.1) if text else 0


def sure_of_tokens(settings: Settings, counters: dict[str, int]) -> Settings:
    """The settings, with `estimate` for whatever the app's counter can not count: no reply lacks its memory.

    Args:
        settings: the app's.
        counters: where `count_tokens_failed` grows each time.
    """
    count = settings.count_tokens
    if count is None:
        return settings

    def counted(text: str) -> int:
        try:
            found: object = count(text)
        except Exception:  # noqa: BLE001 - the app's code may raise anything; it is this door's guard
            found = None
        if _is_count(found) and (found > 0 or not text):
            return math.ceil(found)
        counters["count_tokens_failed"] = counters.get("count_tokens_failed", 0) + 1
        return estimate(text)

    return replace(settings, count_tokens=counted)


def _is_count(found: object) -> TypeGuard[float]:
    """Whether it is a number of tokens; apps also write `len(text) / 4`."""
    return isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)


@lru_cache(maxsize=1)
def default_counter() -> TokenCounter:
    """The o200k vocabulary in `bpe-openai` (extra `tokens`) where it is installed, else `estimate`."""
    if importlib.util.find_spec("bpe_openai") is None:
        return estimate
    import bpe_openai

    encode = bpe_openai.get_encoding("o200k_base").encode
    return lambda text: len(encode(text))
