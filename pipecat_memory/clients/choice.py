"""Which model an app asked for, or the one that the environment offers."""

from __future__ import annotations

import os

from ..config import Settings
from .base import LanguageModel
from .function import ModelFunction, language_model

DEFAULT_MODEL = "gpt-4.1-mini"
"""Asked for extraction where a key is there and no model was named: small and cheap (OpenAI's price list)."""


def offered() -> bool:
    """Whether the environment names an endpoint or a key."""
    return bool(os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"))


def model_of(
    model: str | LanguageModel | ModelFunction | None,
    base_url: str | None,
    api_key: str | None,
    settings: Settings,
) -> LanguageModel | None:
    """The model as `Memory.open` takes it; None where none was asked for and no endpoint or key is there."""
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if model is None:
        if not (url or key):
            return None
        model = os.environ.get("OPENAI_MODEL", DEFAULT_MODEL)
    return language_model(
        model, base_url=url, api_key=key, timeout=settings.model_timeout, max_requests=settings.max_requests
    )
