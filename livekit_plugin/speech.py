"""The model's stream, with field names and notes taken out before they are spoken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from livekit.agents import llm

from pipecat_memory import CallMemory
from pipecat_memory.guard import Guard
from pipecat_memory.reading.speech_guard import SpeechGuard


async def guarded_speech(chunks: AsyncIterator[Any], call: CallMemory, guard: Guard) -> AsyncIterator[Any]:
    """Pass a model node's stream through the speech guard; tool calls and usage pass as they are."""
    speech: SpeechGuard | None = None
    id = "memory"
    async for chunk in chunks:
        text = _text(chunk)
        if not text:
            yield chunk
            continue
        said = text
        with guard("speech guard"):
            # Not before the model is asked: what it costs is spent behind the request.
            speech = speech or SpeechGuard(slot.name for slot in call.course.schema.slots)
            said = speech.feed(text)
        if isinstance(chunk, llm.ChatChunk) and chunk.delta is not None:
            id = chunk.id
            if said == text:
                yield chunk
            elif said or chunk.delta.tool_calls or chunk.usage:
                yield chunk.model_copy(
                    update={"delta": chunk.delta.model_copy(update={"content": said or None})}
                )
        elif said:
            yield said
    rest = ""
    with guard("speech guard"):
        rest = speech.end() if speech is not None else ""
    if rest:
        yield llm.ChatChunk(id=id, delta=llm.ChoiceDelta(role="assistant", content=rest))


def _text(chunk: Any) -> str:
    if isinstance(chunk, str):
        # Flush sentinels are strings' neighbours, not strings.
        return chunk
    if isinstance(chunk, llm.ChatChunk) and chunk.delta is not None:
        return chunk.delta.content or ""
    return ""
