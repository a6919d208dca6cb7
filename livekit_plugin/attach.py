"""`attach_session`: one line that gives a session its memory."""

from __future__ import annotations

import weakref
from typing import Any

from livekit.agents import AgentSession, JobContext, get_job_context

from pipecat_memory import CallMemory

from .attachment import HELD, Attachment
from .log import logger

_of_job: weakref.WeakKeyDictionary[JobContext, weakref.WeakSet[Attachment]] = weakref.WeakKeyDictionary()
"""Each is held by its session until that closes, and by the task that ends its call until that is done."""


def attach_session(session: AgentSession[Any], call: CallMemory, *, nbest: bool = False) -> Attachment:
    """Give a session its memory. Call it before `session.start()`; doing it again changes nothing.

    A session that is started again after it has closed is another call: attach that call before.

    Args:
        session: the session; its history and its report stay free of memory.
        call: from `memory.call(identity_from(ctx, participant), call_id=ctx.job.id)`.
        nbest: take the recogniser's alternatives too (`SpeechEvent.alternatives`), by wrapping the agents'
            `stt_node`. Worth it where your recogniser gives more than one.

    Returns:
        The attachment; its `hook_errors` counts failures that were kept from the session. It does nothing
        where the call is over or another session has it; the log says so.

    Example::

        session = AgentSession(stt=..., llm=..., tts=...)
        attach_session(session, call)
        await session.start(agent=MyAgent(), room=ctx.room)
    """
    held = next((tool for tool in session.tools if isinstance(tool, Attachment)), None)
    if held is not None:
        if held.call is not call:
            logger.warning("this session has a memory already; the second one is left out")
        return held
    context = get_job_context(required=False)
    attachment = Attachment(session, call, context, nbest=nbest)
    if (why := _refused(call)) is not None:
        logger.error("call %s %s", call.id, why)
        return attachment
    call.front_door = attachment
    attachment.start(session)
    if context is not None:
        _of_job.setdefault(context, weakref.WeakSet()).add(attachment)
    if _is_running(session):
        logger.warning("attached to a running session: what it said before is not remembered")
        attachment.join(session)
    return attachment


async def session_end(ctx: JobContext) -> None:
    """The callback for `rtc_session(on_session_end=session_end)`: waits for flush and summary.

    Every session of the job that has a memory is waited for, not only the primary one.
    """
    for attachment in list(_of_job.get(ctx, ())):
        attachment.close("bot_ended")
        await attachment.finished()


def _refused(call: CallMemory) -> str | None:
    """Why a session can't have this call, None where it can: two would tell it everything twice."""
    if call.course.ended is not None:
        return "is over, so this session has no memory; another call needs another memory.call(...)"
    door = call.front_door
    waiting = isinstance(door, Attachment) and not door.begun  # its session may never start
    return None if door is None or waiting else HELD


def _is_running(session: AgentSession[Any]) -> bool:
    try:
        return session.current_agent.session is session
    except RuntimeError:
        return False
