"""The window on a Pipecat context: what the model still gets of a long call, and what stands for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loguru import logger
from pipecat.processors.aggregators.llm_context import LLMContextMessage, LLMSpecificMessage
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator

from ..call import CallMemory
from ..errors import UsedWrongly
from ..writing.rolling import RollingWindow
from .view import content_text, leading


class Window(RollingWindow[LLMContextMessage]):
    """The rolling window over Pipecat's messages.

    Args:
        call: whose settings, model and budget count.
    """

    def __init__(self, call: CallMemory) -> None:
        super().__init__(call, read=read, text=_text)

    def select(self, messages: Sequence[LLMContextMessage]) -> list[LLMContextMessage]:
        """What the model gets of `messages`, the block for the others after the instructions."""
        kept = super().select(messages)
        if self.block:
            kept.insert(leading(kept), {"role": "user", "content": self.block})
        return kept


def window_of(call: CallMemory, assistant: LLMAssistantAggregator | None) -> Window | None:
    """The window that the settings ask for, or None for the whole conversation.

    Raises:
        UsedWrongly: Pipecat's own summariser is on too. Both would rewrite the same messages.
    """
    if call.settings.window == "off":
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
    return Window(call)


def read(message: LLMContextMessage) -> Mapping[str, Any] | None:
    """A message as a mapping; None for one in a provider's own form, which stays with its neighbours."""
    return None if isinstance(message, LLMSpecificMessage) else message


def _text(message: LLMContextMessage) -> str:
    return "" if isinstance(message, LLMSpecificMessage) else content_text(message.get("content"))
