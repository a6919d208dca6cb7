"""Speech-to-speech models have no model node: they are briefed once, through their context."""

from __future__ import annotations

from typing import Any

from livekit.agents import AgentSession, llm

from pipecat_memory import CallMemory

from .inject import overlay
from .log import logger


def is_realtime(session: AgentSession[Any]) -> bool:
    """Whether this session's model speaks by itself."""
    return isinstance(session.llm, llm.RealtimeModel)


async def brief_realtime(session: AgentSession[Any], call: CallMemory) -> None:
    """Put the stable block into a realtime model's context, as a user message of its own.

    Only where the model takes changes of its context; else said once in the log. Instructions are left
    alone: free text must not stand there (typed values of slots can, by the app's own hand).
    """
    model = session.llm
    if not isinstance(model, llm.RealtimeModel):
        return
    briefing = call.briefing()
    if not briefing.stable:
        return
    if not model.capabilities.mutable_chat_context:
        logger.warning("this realtime model takes no context changes; give its agent MemoryToolset instead")
        return
    agent = session.current_agent
    await agent.update_chat_ctx(overlay(agent.chat_ctx.copy(), briefing))
