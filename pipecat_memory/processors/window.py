"""The window on a Pipecat context: what the model still gets of a long call, and what stands for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loguru import logger
from pipecat.processors.aggregators.llm_context import LLMContextMessage, LLMSpecificMessage
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator

from ..call import CallMemory
from ..errors import UsedWrongly
from ..reading.briefing import Line, plain, stable_block
from ..reading.window import Mode, leaving, select
from ..records.turn import HistoryItem
from ..writing.summary import compress
from .view import content_text, leading, role


class Window:
    """Lets older turns leave; under `summary` and `hybrid` only once a summary stands for them.

    The summary is made in the background, between turns; it takes effect with the next turn, never in the
    middle of one. The context itself stays whole.

    Args:
        call: whose settings, model and budget count.
    """

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._mode: Mode = call.settings.window
        self._turns = call.settings.window_turns
        self._count = 0
        self._covered = 0
        self._text = ""
        self._made: tuple[int, str] | None = None

    def select(self, messages: Sequence[LLMContextMessage]) -> list[LLMContextMessage]:
        """What the model gets of `messages`."""
        count = sum(role(message) == "user" for message in messages)
        if count < self._count:
            self._covered, self._made = 0, None  # the context was reset
        if count != self._count and self._made is not None:
            (self._covered, self._text), self._made = self._made, None
        self._count = count
        kept = select(messages, mode=self._mode, turns=self._turns, covered=self._covered, read=read)
        if self._text:
            lines = [Line(f"window.{i}", "summary", plain(t)) for i, t in enumerate(self._text.split("\n"))]
            block = stable_block(lines, self._call.settings.stable_budget, self._call.settings.count_tokens)
            kept.insert(leading(kept), {"role": "user", "content": block.text})
        return kept

    async def roll(self, messages: Sequence[LLMContextMessage]) -> None:
        """Sum up the turns that should leave next, if any do. Off the reply path."""
        if self._mode not in ("summary", "hybrid") or self._made is not None:
            return
        gone = leaving(messages, mode=self._mode, turns=self._turns, read=read)
        starts = [i for i, message in enumerate(messages) if role(message) == "user"]
        if gone <= self._covered:
            return
        part = messages[starts[self._covered] : starts[gone]]
        items = [
            HistoryItem("user" if role(m) == "user" else "assistant", text, started=0.0, turn=0)
            for m in part
            if not isinstance(m, LLMSpecificMessage) and role(m) in ("user", "assistant")
            if (text := content_text(m.get("content")))
        ]
        text = await compress(
            self._call.memory.model,
            call=self._call.id,
            clock=self._call.memory.clock,
            settings=self._call.settings,
            items=items,
            earlier=self._text,
            usage=self._call.writer.usage,
        )
        self._made = (gone, text)


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
