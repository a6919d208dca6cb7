"""The window on a LiveKit context: older turns leave the model's copy, never the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from livekit.agents import llm

from pipecat_memory import Settings
from pipecat_memory.reading.window import select


def windowed(chat_ctx: llm.ChatContext, settings: Settings) -> llm.ChatContext:
    """A copy that holds what `Settings(window=...)` leaves. A tool call keeps its result."""
    copy = chat_ctx.copy()
    if settings.window != "off":
        copy.items[:] = select(copy.items, mode=settings.window, turns=settings.window_turns, read=read)
    return copy


def read(item: llm.ChatItem) -> Mapping[str, Any] | None:
    """An item as a mapping; None for what no model is given (handoffs, configuration)."""
    match item:
        case llm.ChatMessage():
            return {"role": item.role}
        case llm.FunctionCall():
            return {"role": "assistant", "tool_calls": [{"id": item.call_id}]}
        case llm.FunctionCallOutput():
            return {"role": "tool", "tool_call_id": item.call_id}
        case _:
            return None
