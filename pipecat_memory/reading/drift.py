"""What is not about the caller's words is dropped: nothing relevant means nothing said."""

from __future__ import annotations

import math

from .entry import Entry, Query

SENSE_FLOOR = 0.2
"""Below this cosine two sentences share no topic: unrelated pairs of the in-process embedder lie at
0.02 to 0.06, matching ones at 0.28 to 0.39 on average."""
WORDS_FLOOR = 1.0
"""BM25 that one word of a middling memory reaches; less is chance."""
DIRECT = 3.0
"""BM25 from which words meet so clearly that another line of business may be recalled."""


def relevant(entry: Entry, why: dict[str, float], query: Query, memories: int) -> bool:
    """Whether a hit may stand in a briefing.

    Args:
        entry: what was found.
        why: its `words` (BM25) and `sense` (cosine, 0 without vectors).
        query: what was asked, and for which line of business.
        memories: how many there are: among few of them no word is rare, so less has to do.
    """
    if entry.line != query.line and entry.line and query.line:
        return why["words"] >= DIRECT
    return why["sense"] >= SENSE_FLOOR or why["words"] >= min(WORDS_FLOOR, 0.3 * math.log1p(memories))
