"""One call's turns, and what a scripted answer about the last of them leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pipecat_memory.clients.base import ModelReply
from pipecat_memory.events import CallStarted
from pipecat_memory.records.schema import DEFAULT_SCHEMA, MemorySchema
from pipecat_memory.records.turn import HistoryItem, Segment, Turn
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.extract import ExtractionResult, results_of
from pipecat_memory.writing.scene import Scene

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
"""A Monday."""


def fact(key: str, value: Any, quote: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, "text": more.pop("text", ""), "quote": quote} | more


def turn_of(text: str, number: int = 2, *, key: str = "", **more: Any) -> Turn:
    language, nbest, speaker = more.pop("language", None), more.pop("nbest", ()), more.pop("speaker", None)
    started = float(number * 10)
    segment = Segment(text, started, nbest=nbest, language=language, speaker=speaker)
    segments = more.pop("segments", (segment,))
    return Turn(number, key or f"k{number}", text, started, segments, **more)


def history(*lines: tuple[str, str]) -> tuple[HistoryItem, ...]:
    """Items before turn 2: (role, text)."""
    return tuple(
        HistoryItem("user" if role == "user" else "assistant", text, float(i), 1)
        for i, (role, text) in enumerate(lines)
    )


def judged(
    turns: Turn | Sequence[Turn],
    answer: Any,
    *,
    before: Sequence[HistoryItem] = (),
    timezone: str = "UTC",
    schema: MemorySchema = DEFAULT_SCHEMA,
    **scene: Any,
) -> list[ExtractionResult]:
    """The results, by turn, of an answer (text, or facts to write as JSON) about these turns."""
    text = (
        answer
        if isinstance(answer, str)
        else json.dumps({"facts": answer} if isinstance(answer, list) else answer)
    )
    started = CallStarted(call="c", at=AT, caller="+15551230001", timezone=timezone)
    where = Scene(started=started, schema=schema, before=before, **scene)
    asked = [turns] if isinstance(turns, Turn) else list(turns)
    return results_of(read_extract(ModelReply(text=text)), asked, asked, where)
