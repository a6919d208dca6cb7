"""The window on a Pipecat context, and what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loguru import logger
from pipecat.processors.aggregators.llm_context import LLMContextMessage, LLMSpecificMessage
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator

from ..config import Settings
from ..errors import UsedWrongly
from ..reading.window import select
from .view import Select


def window_of(settings: Settings, assistant: LLMAssistantAggregator | None) -> Select | None:
    """The window that the settings ask for, or None for the whole conversation.

    Raises:
        UsedWrongly: Pipecat's own summariser is on too. Both would rewrite the same messages.
    """
    if settings.window == "off":
        return None
    # Pipecat has no public way to ask whether the summariser is on.
    params = getattr(assistant, "_params", None)
    if getattr(params, "enable_auto_context_summarization", False):
        message = (
            "Settings(window=...) and Pipecat's context summarization are both on; switch one of them off "
            "(LLMAssistantAggregatorParams(enable_auto_context_summarization=False)). Memory keeps the whole "
            "context until then"
        )
        logger.error(message)
        raise UsedWrongly(message)

    def window(messages: Sequence[LLMContextMessage]) -> list[LLMContextMessage]:
        return select(messages, mode=settings.window, turns=settings.window_turns, read=read)

    return window


def read(message: LLMContextMessage) -> Mapping[str, Any] | None:
    """A message as a mapping; None for one in a provider's own form, which stays with its neighbours."""
    return None if isinstance(message, LLMSpecificMessage) else message
