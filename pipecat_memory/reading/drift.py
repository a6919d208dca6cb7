"""What is dropped although it was found: nothing relevant means nothing said."""

from __future__ import annotations

SIMILAR = 0.25
"""Least cosine of a hit that shares too few words. Unrelated pairs lie near 0.05, related near 0.35."""
COVERED = 0.3
"""Least share of the question's weight in words that a hit without meaning must hold."""
DIRECT = 0.5
"""The same for a hit of another line of business: only what was asked for outright."""
TAIL = 0.35
"""A hit below this share of the best one is of another topic."""


def relevant(coverage: float, similarity: float, share: float, *, foreign: bool = False) -> bool:
    """Whether a hit is worth a line of the briefing.

    Args:
        coverage: share of the question's weight that the hit's own words hold, 0 to 1.
        similarity: its cosine with the question; 0 without an embedder.
        share: its score over the best hit's.
        foreign: it belongs to another line of business.
    """
    if foreign:
        return coverage >= DIRECT
    return share >= TAIL and (coverage >= COVERED or similarity >= SIMILAR)
