"""What stands in an utterance, for tests of spoken values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pipecat_memory.notes.spoken import Kind, find

WEDNESDAY = datetime(2026, 12, 2, 10, 0, tzinfo=UTC)
LONDON, MADRID, BERLIN, SHANGHAI, NEW_YORK = (
    "Europe/London",
    "Europe/Madrid",
    "Europe/Berlin",
    "Asia/Shanghai",
    "America/New_York",
)


def values(text: str, kind: Kind, zone: str = LONDON, language: str | None = None) -> list[Any]:
    """The values of a kind that are more likely meant than not."""
    found = find(text, kind, language=language, at=WEDNESDAY, timezone=zone)
    return [span.value for span in found if span.certainty >= 0.5]
