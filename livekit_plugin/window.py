"""The window on a LiveKit context: older turns leave the model's copy, never the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from livekit.agents import llm

from pipecat_memory import CallMemory
from pipecat_memory.writing.rolling import RollingWindow


class Window(RollingWindow[llm.ChatItem]):
    """The rolling window over LiveKit's items. A tool call keeps its result.

    Args:
        call: whose settings, model and budget count.
    """

    def __init__(self, call: CallMemory) -> None:
        super().__init__(call, read=read, text=_text)


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


def _text(item: llm.ChatItem) -> str:
    return (item.text_content or "") if item.type == "message" else ""
