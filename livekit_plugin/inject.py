"""Memory in the model node's copy of the context: never in history, never twice, never with authority."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any, TypeGuard

from livekit import rtc
from livekit.agents import Agent, llm, stt
from livekit.agents.llm import chat_context

from pipecat_memory.reading.briefing import Briefing

STABLE_ID = "pipecat_memory.stable"
EARLIER_ID = "pipecat_memory.earlier"
CHANGING_ID = "pipecat_memory.changing"
INSTRUCTIONS_ID = "lk.agent_task.instructions"
"""What LiveKit calls the message of an agent's instructions; its dynamic part has a suffix."""
DYNAMIC_ID: str | None = getattr(chat_context, "DYNAMIC_INSTRUCTIONS_MESSAGE_ID", None)
"""What LiveKit calls the message of `Instructions(dynamic=...)`; None where its version has none (1.8.0)."""
OURS = (STABLE_ID, EARLIER_ID, CHANGING_ID)
"""Ids of memory's own messages."""

Tools = list[llm.Tool]
Remember = Callable[[llm.ChatContext, Tools], Awaitable[llm.ChatContext]]
"""The model's copy of a context, with memory in it; the tools are those it can call."""
Guarded = Callable[[AsyncIterator[Any]], AsyncIterator[Any]]


def overlay(
    chat_ctx: llm.ChatContext, briefing: Briefing, earlier: str = "", *, last: bool = False
) -> llm.ChatContext:
    """A copy with the stable block after the instructions and the changing one before the last user message.

    With `last` the changing block stands at the end, before the caller's next words.
    `earlier`, the block for turns that left the window, follows the stable one. All have role `user`.
    Items are shared with the original and never touched; ids are fixed, so that a context that was briefed
    before is not briefed twice.
    """
    items = [item for item in chat_ctx.items if item.id not in OURS]
    head = _after_instructions(items)
    if briefing.changing:
        asked = None if last else _last_user(items, head)
        at = asked if asked is not None else len(items) if last else head
        items.insert(at, _message(CHANGING_ID, briefing.changing, items, at))
    for id, text in ((EARLIER_ID, earlier), (STABLE_ID, briefing.stable)):
        if text:
            items.insert(head, _message(id, text, items, head))
    return llm.ChatContext(items)


def with_confirmed(chat_ctx: llm.ChatContext, confirmed: str) -> llm.ChatContext:
    """The context with confirmed values as the dynamic part of the agent's instructions: a copy, if any.

    The message is the one LiveKit itself makes of `Instructions(dynamic=...)` for each reply, which its
    provider formats join to the instructions. The agent's own `instructions` are left alone: what stands
    in them LiveKit writes into the session's report whenever the agent is entered. Nothing is changed
    where the app has a dynamic part of its own, where LiveKit knows none, or without instructions.
    """
    at = chat_ctx.index_by_id(INSTRUCTIONS_ID)
    if not confirmed or DYNAMIC_ID is None or at is None or chat_ctx.get_by_id(DYNAMIC_ID) is not None:
        return chat_ctx
    items = list(chat_ctx.items)
    message = llm.ChatMessage(id=DYNAMIC_ID, role="system", content=[confirmed])
    message.created_at = items[at].created_at
    items.insert(at + 1, message)
    return llm.ChatContext(items)


def last_user(chat_ctx: llm.ChatContext) -> llm.ChatMessage | None:
    """The message of the caller that this generation answers."""
    return next((item for item in reversed(chat_ctx.items) if _is_user(item)), None)


def wrap_model_node(agent: Agent, remember: Remember, guarded: Guarded) -> None:
    """Wrap the agent's model node on the instance; a subclass's own override still runs inside.

    Wrapping twice is the same as once, so it can be done again after each handoff. An agent that served
    another session before loses that one's memory: it belongs to another caller.
    """
    inner = _unwrapped(agent.llm_node)

    async def llm_node(chat_ctx: llm.ChatContext, tools: Tools, model_settings: Any) -> AsyncIterator[Any]:
        briefed = await remember(chat_ctx, tools)
        async for chunk in guarded(_stream(inner(briefed, tools, model_settings))):
            yield chunk

    llm_node.unwrapped = inner  # pyright: ignore[reportFunctionMemberAccess] - read by `_unwrapped`
    agent.llm_node = llm_node  # pyright: ignore[reportAttributeAccessIssue] - an instance wrap


def wrap_recogniser_node(agent: Agent, recognised: Callable[[stt.SpeechEvent], None]) -> None:
    """Let the memory see what the agent's recogniser says, alternatives included; once an agent.

    A wrap on the instance: LiveKit still reuses the recogniser's stream at a handoff.
    """
    inner = _unwrapped(agent.stt_node)

    async def stt_node(
        audio: AsyncIterable[rtc.AudioFrame], model_settings: Any
    ) -> AsyncIterator[stt.SpeechEvent | str]:
        async for event in _stream(inner(audio, model_settings)):
            if isinstance(event, stt.SpeechEvent):
                recognised(event)
            yield event

    stt_node.unwrapped = inner  # pyright: ignore[reportFunctionMemberAccess] - read by `_unwrapped`
    agent.stt_node = stt_node  # pyright: ignore[reportAttributeAccessIssue] - an instance wrap


def _unwrapped(node: Callable[..., Any]) -> Callable[..., Any]:
    return getattr(node, "unwrapped", node)


async def _stream(result: Any) -> AsyncIterator[Any]:
    """Whatever a node may return, as a stream."""
    if asyncio.iscoroutine(result):
        result = await result
    if result is None:
        return
    if isinstance(result, str | llm.ChatChunk):
        yield result
        return
    async for chunk in result:
        yield chunk


def _message(id: str, text: str, among: list[llm.ChatItem], at: int) -> llm.ChatMessage:
    """A memory message, dated like its neighbour so that sorting by time leaves it where it is."""
    message = llm.ChatMessage(id=id, role="user", content=[text])
    if at < len(among):
        message.created_at = among[at].created_at - 1e-6
    return message


def _last_user(items: list[llm.ChatItem], head: int) -> int | None:
    return next((i for i in range(len(items) - 1, head - 1, -1) if _is_user(items[i])), None)


def _after_instructions(items: list[llm.ChatItem]) -> int:
    """Behind the agent's own instructions, which need not come first: a task's stand behind its set-up."""
    own = next((i for i, item in enumerate(items) if item.id.startswith(INSTRUCTIONS_ID)), None)
    if own is None:
        return next((i for i, item in enumerate(items) if not _is_instruction(item)), len(items))
    while own < len(items) and items[own].id.startswith(INSTRUCTIONS_ID):
        own += 1
    return own


def _is_instruction(item: llm.ChatItem) -> bool:
    return item.type == "message" and item.role in ("system", "developer")


def _is_user(item: llm.ChatItem) -> TypeGuard[llm.ChatMessage]:
    return item.type == "message" and item.role == "user" and item.id not in OURS
