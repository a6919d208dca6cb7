"""A guard around tools that change something: only with confirmed slots."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import ParamSpec, TypeVar

from livekit.agents import ToolError, llm

from pipecat_memory import CallMemory
from pipecat_memory.errors import NotConfirmed
from pipecat_memory.notes.guard import guarded, needed, refusal

P = ParamSpec("P")
T = TypeVar("T")


def requires_confirmed(
    *slots: str, call: CallMemory | Callable[[], CallMemory]
) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    """Refuse a tool until these slots are confirmed; the model is told what to ask.

    Once they are, the briefing's next step names the tool.

    Args:
        slots: names in the call's schema.
        call: the call's memory, or a callable that gives it.

    Example::

        @function_tool()
        @requires_confirmed("date", "party_size", call=call)
        async def book(ctx: RunContext) -> str: ...
    """

    def guard(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        @functools.wraps(tool)
        async def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            memory = call if isinstance(call, CallMemory) else call()
            try:
                memory.require(*slots)
            except NotConfirmed as error:
                raise ToolError(refusal(memory.course.notes, error.slots)) from None
            return await tool(*args, **kwargs)

        return guarded(checked, slots)

    return guard


def guards(tools: Sequence[llm.Tool | llm.Toolset]) -> dict[str, tuple[str, ...]]:
    """The guarded ones of a model's tools, by name, with the slots each requires."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in tools:
        if isinstance(tool, llm.Toolset):
            found |= guards(tool.tools)
        elif isinstance(tool, llm.FunctionTool | llm.RawFunctionTool) and (slots := needed(tool)):
            found[tool.info.name] = slots
    return found
