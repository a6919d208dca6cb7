"""What the model reads: the shared context, plus two memory messages that are stored nowhere.

Every provider adapter reads the context with its own filter name; aggregators, the summariser, RTVI and
tracing read it without one. So the two blocks stand in filtered reads only, and the shared context holds
nothing but what was said. The view shares the message list of the context it stands for: what a tool or
a service writes through `params.context` lands in the real one.

The stable block stands right after the leading instructions and does not change during a call, so that
everything before the last exchange stays byte-identical and cacheable. The changing block stands directly
before the last user message. Both have role `user`: memory has no authority.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pipecat.processors.aggregators.llm_context import (
    NOT_GIVEN,
    LLMContext,
    LLMContextMessage,
    LLMSpecificMessage,
)

Select = Callable[[Sequence[LLMContextMessage]], list[LLMContextMessage]]
"""Chooses which messages of a context the model still gets (`reading.window`)."""


class MemoryView(LLMContext):
    """An `LLMContext` that reads as `base` with memory laid over it.

    Args:
        base: the context of the pipeline, or the provisional copy of a speculative turn.
        stable: the block after the instructions, or "".
        changing: the block before the last user message, or "".
        select: the window, or None for all messages.
    """

    def __init__(
        self, base: LLMContext, *, stable: str = "", changing: str = "", select: Select | None = None
    ) -> None:
        super().__init__(tools=base.tools, tool_choice=base.tool_choice)
        # The constructor copies an empty list, so the sharing has to be done by hand.
        self._messages = base.messages
        self._base = base
        self._stable = stable
        self._changing = changing
        self._select = select

    @property
    def base(self) -> LLMContext:
        """The context this view stands for."""
        return self._base

    def get_messages(
        self, llm_specific_filter: str | None = None, *, truncate_large_values: bool = False
    ) -> list[LLMContextMessage]:
        """Messages as `LLMContext.get_messages` gives them, with memory where an adapter asks.

        Pipecat reads with `truncate_large_values` only to log, so what was recalled stays out there.
        """
        messages = super().get_messages(llm_specific_filter, truncate_large_values=truncate_large_values)
        if llm_specific_filter is None:
            return messages
        if self._select is not None:
            messages = self._select(messages)
        return messages if truncate_large_values else overlay(messages, self._stable, self._changing)

    def set_tools(self, tools: Any = NOT_GIVEN) -> None:
        """Set the tools, of the real context too: nothing written to a view may get lost."""
        super().set_tools(tools)
        self._base.set_tools(tools)

    def set_tool_choice(self, tool_choice: Any) -> None:
        """Set the tool choice, of the real context too."""
        super().set_tool_choice(tool_choice)
        self._base.set_tool_choice(tool_choice)


def overlay(messages: Sequence[LLMContextMessage], stable: str, changing: str) -> list[LLMContextMessage]:
    """`messages` with the two blocks at their places; the list given stays as it is."""
    laid = list(messages)
    head = leading(laid)
    if changing:
        # With nothing said yet (a greeting), or the last words inside the instructions' part, it ends up
        # behind the head: after the stable block, before anything else.
        last = max((i for i, m in enumerate(laid) if i >= head and role(m) == "user"), default=None)
        laid.insert(last if last is not None else head, _message(changing))
    if stable:
        laid.insert(head, _message(stable))
    return laid


def leading(messages: Sequence[LLMContextMessage]) -> int:
    """How many messages at the start are instructions (system or developer)."""
    return next((i for i, m in enumerate(messages) if role(m) not in ("system", "developer")), len(messages))


def role(message: LLMContextMessage) -> str:
    """The role of a message; "" for one in a provider's own form, which has none we could read."""
    return "" if isinstance(message, LLMSpecificMessage) else str(message.get("role") or "")


def last_user_text(messages: Sequence[LLMContextMessage]) -> str | None:
    """The text of the last user message, or None where there is none with text."""
    for message in reversed(messages):
        if not isinstance(message, LLMSpecificMessage) and message.get("role") == "user":
            return content_text(message.get("content")) or None
    return None


def content_text(content: object) -> str:
    """The text of a message's content, whatever its form: text, parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return " ".join(text for text in texts if isinstance(text, str))
    return ""


def _message(text: str) -> LLMContextMessage:
    return {"role": "user", "content": text}
