"""How much of a turn the notes hear on the reply path."""

from __future__ import annotations

NOTED = 3_000
"""Weight in UTF-8 bytes of what the notes read of one turn, on the reply path: over three minutes of speech,
a few hundredths of a second of work. What lies beyond is history, and the deep path's to find."""


def noted(text: str) -> str:
    """The text up to there, whole words; the start, so that what was noted stays while the turn goes on."""
    if len(text) * 4 <= NOTED or len(start := text.encode("utf-8", "replace")) <= NOTED:
        return text
    kept = start[:NOTED].decode("utf-8", "ignore")
    return kept.rpartition(" ")[0] or kept
