"""The model's stream, with field names and notes taken out before they are spoken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from livekit.agents import llm

from pipecat_memory import CallMemory
from pipecat_memory.reading.speech_guard import SpeechGuard


async def guarded_speech(chunks: AsyncIterator[Any], call: CallMemory) -> AsyncIterator[Any]:
    """Pass a model node's stream through the speech guard; tool calls and usage pass as they are."""
    guard = SpeechGuard(call.course.schema)
    id = "memory"
    async for chunk in chunks:
        if isinstance(chunk, str):
            if said := guard.push(chunk):
                yield said
        elif isinstance(chunk, llm.ChatChunk) and chunk.delta is not None and chunk.delta.content:
            id = chunk.id
            said = guard.push(chunk.delta.content)
            yield chunk.model_copy(update={"delta": chunk.delta.model_copy(update={"content": said or None})})
        else:
            yield chunk
    if rest := guard.finish():
        yield llm.ChatChunk(id=id, delta=llm.ChoiceDelta(role="assistant", content=rest))
