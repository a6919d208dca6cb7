"""Which of a model's tools are guarded, and by which slots."""

from __future__ import annotations

from collections.abc import Sequence

from livekit.agents import llm

from pipecat_memory.notes.guard import needed


def guards(tools: Sequence[llm.Tool | llm.Toolset]) -> dict[str, tuple[str, ...]]:
    """The guarded ones of a model's tools, by name, with the slots each requires."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in tools:
        if isinstance(tool, llm.Toolset):
            found |= guards(tool.tools)
        elif isinstance(tool, llm.FunctionTool | llm.RawFunctionTool) and (slots := needed(tool)):
            found[tool.info.name] = slots
    return found
