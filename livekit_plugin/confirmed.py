"""A guard around tools that change something: only with confirmed slots."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from livekit.agents import RunContext, ToolError

from pipecat_memory import CallMemory
from pipecat_memory.errors import NotConfirmed, UsedWrongly
from pipecat_memory.notes.guard import guarded, refusal

from .attachment import Attachment
from .log import logger

P = ParamSpec("P")
T = TypeVar("T")


def requires_confirmed(
    *slots: str, call: CallMemory | Callable[[], CallMemory] | None = None
) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    """Refuse a tool until these slots are confirmed; the model is told what to ask.

    Once they are, the briefing's next step names the tool.

    Args:
        slots: names in the call's schema.
        call: the call's memory, or a callable that gives it. None: the memory attached to the session in
            which the tool runs, known by the tool's `RunContext`.

    Raises:
        UsedWrongly: neither a call, nor a `RunContext` among what the tool takes.

    Example::

        class Booker(Agent):
            @function_tool()
            @requires_confirmed("date", "party_size")
            async def book(self, context: RunContext) -> str: ...
    """

    def guard(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        if call is None and not _takes_context(tool):
            raise UsedWrongly(
                f"@requires_confirmed on {getattr(tool, '__name__', 'a tool')}: give call=, or let the tool "
                "take a context: RunContext"
            )

        @functools.wraps(tool)
        async def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            given = (*args, *kwargs.values())
            memory = _of_session(given) if call is None else call if isinstance(call, CallMemory) else call()
            if memory is None:
                # Without its memory the guard can't know; letting the tool run would break its promise.
                logger.warning("a guarded tool was refused: no memory is attached to its session")
                raise ToolError("Not done: what it needs can't be checked now.")
            try:
                memory.require(*slots)
            except NotConfirmed as error:
                raise ToolError(refusal(memory.course.notes, error.slots)) from None
            return await tool(*args, **kwargs)

        return guarded(checked, slots)

    return guard


def _takes_context(tool: Callable[..., Any]) -> bool:
    """Whether LiveKit gives the tool its context; an annotation may be a class or its name."""
    return any("RunContext" in str(taken.annotation) for taken in inspect.signature(tool).parameters.values())


def _of_session(given: Iterable[object]) -> CallMemory | None:
    """The memory of the session in which a tool runs, by what it was given."""
    for context in given:
        if isinstance(context, RunContext):
            tools: list[Any] = context.session.tools
            return next((tool.call for tool in tools if isinstance(tool, Attachment)), None)
    return None
