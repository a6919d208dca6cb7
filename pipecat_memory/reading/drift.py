"""What is dropped although it was found: nothing relevant means nothing said."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from .query import Part

SIMILAR = 0.25
"""Cosine from which a hit needs no word of the question. Unrelated pairs lie near 0.1, paraphrases above."""
CLOSEST = 0.8
"""Share of the best cosine that such a hit must have: without a word in common only the closest count."""
ABOUT = 0.4
"""Least sum of the share of the question's words that a hit holds, its neighbours' help counted, and its
cosine: a little of both is as good as much of one."""
DIRECT = 0.5
"""Least share of the question's words in a hit of another line of business: what was asked for outright."""
TAIL = 0.35
"""A hit below this share of the best one is of another topic."""


def relevant(about: float, similarity: float, closest: float, share: float) -> bool:
    """Whether a hit is worth a line of the briefing.

    Args:
        about: share of the question's words that it holds, plus its cosine; `Scored.about`.
        similarity: its cosine with the question; 0 without an embedder.
        closest: the highest cosine of all.
        share: its score over the best hit's.
    """
    return share >= TAIL and (about >= ABOUT or similarity >= max(SIMILAR, CLOSEST * closest))


def direct(parts: Sequence[Part], held: Set[str], rarity: Callable[[str], float]) -> bool:
    """Whether a hit of another line of business is worth a line: asked for outright, in its own words.

    Args:
        parts: the parts of the question.
        held: the hit's own terms.
        rarity: how much finding a term says.
    """
    for part in parts:
        weighed = [(term, weight * rarity(term)) for term, weight in part.words]
        whole = sum(weight for _, weight in weighed)
        if whole and sum(weight for term, weight in weighed if term in held) >= DIRECT * whole:
            return True
    return False
