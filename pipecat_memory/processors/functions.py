"""For Pipecat functions: a guard for the app's own, and three optional ones of ours."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from loguru import logger
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import FunctionCallParams

from ..call import CallMemory
from ..errors import NotConfirmed
from ..notes.guard import guarded, refusal
from .memory import MemoryProcessor

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


def requires_confirmed(*slots: str) -> Callable[[F], F]:
    """Let a function run only when these slots of the call's notes are confirmed.

    Otherwise the model gets a refusal that names what to ask, and the function does not run. Once they
    are, the briefing's next step names the function. Works for handlers (`async def book(params)`) and
    for direct functions (`async def book(params, date: str)`).

    Args:
        *slots: names of slots in the app's schema.

    Example::

        @requires_confirmed("date", "party_size")
        async def book(params: FunctionCallParams) -> None: ...
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        async def checked(params: FunctionCallParams, *args: Any, **kwargs: Any) -> Any:
            call = call_of(params)
            if call is None:
                # Without its memory the guard can't know; letting the function run would break its promise.
                logger.warning(
                    f"{params.function_name}: no MemoryProcessor in this pipeline, so it is refused"
                )
                await params.result_callback({"error": "not_confirmed", "message": "memory is missing here"})
                return None
            try:
                call.require(*slots)
            except NotConfirmed as error:
                message = refusal(call.course.notes, error.slots)
                await params.result_callback(
                    {"error": "not_confirmed", "slots": list(error.slots), "message": message}
                )
                return None
            return await function(params, *args, **kwargs)

        return guarded(checked, slots)  # pyright: ignore[reportReturnType] - the same signature, by functools.wraps

    return decorate


def call_of(params: FunctionCallParams) -> CallMemory | None:
    """The call whose pipeline a function was called from."""
    return _find(params.pipeline_worker.pipeline)


async def recall_memory(params: FunctionCallParams, question: str) -> None:
    """Look up what is known about the caller from this and earlier calls.

    Args:
        params: given by the framework.
        question: what to look for, in the caller's words.
    """
    found = ""
    if (call := call_of(params)) is not None:
        await call.recall_ready(question)
        found = call.briefing(question).text
    await params.result_callback({"found": found or "nothing is known about that"})


async def remember_fact(params: FunctionCallParams, about: str, value: str, quote: str) -> None:
    """Keep something for later calls, when the caller asks for it. Only what the caller has said.

    Args:
        params: given by the framework.
        about: what it is about, in a word or two, such as preferred_table.
        value: what is to be kept.
        quote: the caller's own words that say it, word for word.
    """
    call = call_of(params)
    kept = call is not None and call.remember(about, value, quote)
    refused = "nothing the caller said carries it; quote the caller word for word"
    await params.result_callback({"kept": True} if kept else {"kept": False, "message": refused})


async def forget_last(params: FunctionCallParams) -> None:
    """Forget what the caller said last, when the caller asks for it. Earlier turns and calls stay.

    Args:
        params: given by the framework.
    """
    call = call_of(params)
    if call is not None and call.forget_last():
        await params.result_callback(
            {"forgotten": True, "message": "the caller's last turn before this request"}
        )
        return
    await params.result_callback({"forgotten": False, "message": "there was nothing to forget"})


def _find(processor: FrameProcessor) -> CallMemory | None:
    if isinstance(processor, MemoryProcessor):
        return processor.call
    return next((call for child in processor.processors if (call := _find(child)) is not None), None)
