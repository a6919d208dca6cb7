"""What is dropped although it was found: nothing relevant means nothing said."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

Terms = Sequence[tuple[str, float]]
"""Terms with what each weighs."""

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


def weights(parts: Sequence[Terms], rarity: Callable[[str], float]) -> list[tuple[Terms, float]]:
    """Each part's words with what finding them says, and the sum of it.

    Args:
        parts: the parts of a question, their terms weighted; of these the pairs are left out.
        rarity: how much finding a term says.
    """
    weighed = [[(term, w * rarity(term)) for term, w in part if " " not in term] for part in parts]
    return [(words, sum(w for _, w in words)) for words in weighed if words]


def coverage(parts: Sequence[tuple[Terms, float]], held: Set[str]) -> float:
    """Share of the best-covered part's weight that an entry of these terms holds; see `weights`."""
    return max((sum(w for term, w in words if term in held) / whole for words, whole in parts), default=0.0)
