"""How long a text is for a model: an offline tokenizer where installed, else a stated over-estimate."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import lru_cache

TokenCounter = Callable[[str], int]


def estimate(text: str) -> int:
    """An over-estimate without a vocabulary.

    English runs at about 4 characters a token in OpenAI's vocabularies and other scripts at up to
    one token a character (OpenAI's tokenizer guide); 3.2 and 1.1 stay above both.
    """
    plain = sum(1 for c in text if c.isascii())
    return math.ceil(plain / 3.2 + (len(text) - plain) * 1.1) if text else 0


@lru_cache(maxsize=1)
def default_counter() -> TokenCounter:
    """The o200k vocabulary in `bpe-openai` (extra `tokens`) where it is installed, else `estimate`."""
    if importlib.util.find_spec("bpe_openai") is None:
        return estimate
    import bpe_openai

    encode = bpe_openai.get_encoding("o200k_base").encode
    return lambda text: len(encode(text))
