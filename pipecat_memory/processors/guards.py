"""Which of the functions that a model is offered are guarded, wherever their handlers are registered."""

from __future__ import annotations

from collections.abc import Iterable

from pipecat.processors.aggregators.llm_context import LLMContext, NotGiven
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import LLMService

from ..notes.guard import needed


def guards(context: LLMContext, llms: Iterable[FrameProcessor]) -> dict[str, tuple[str, ...]]:
    """The guarded functions by name, with the slots each requires.

    Args:
        context: whose tools the model is offered.
        llms: where handlers may be registered by hand; these go before those that the tools carry.
    """
    if isinstance(context.tools, NotGiven):
        return {}
    handlers: dict[str, object] = {schema.name: schema.handler for schema in context.tools.standard_tools}
    handlers |= {direct.name: direct.function for direct in context.tools.direct_functions}
    for llm in llms:
        if isinstance(llm, LLMService):
            # Pipecat has no public way to ask which handler is registered.
            for name in handlers.keys() & llm._functions.keys():
                handler = llm._functions[name].handler
                handlers[name] = getattr(handler, "function", handler)
    return {name: slots for name, handler in handlers.items() if (slots := needed(handler))}
