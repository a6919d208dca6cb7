"""Attempts at one value, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from pipecat_memory.notes.fusion.align import Floats


@dataclass(frozen=True, slots=True, repr=False)
class Attempt:
    """One time the caller said the value.

    Args:
        texts: what the recogniser heard, best first; one text without n-best.
        replaces: an explicit correction: what was said before no longer counts.
        confidence: the recogniser's own, 0..1, or None.
    """

    texts: tuple[str, ...]
    replaces: bool = False
    confidence: float | None = None

    def __repr__(self) -> str:
        return f"<Attempt hypotheses={len(self.texts)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A value that the app or the caller's profile holds possible; `weight` is a prior, any scale."""

    value: Any
    weight: float = 1.0

    def __repr__(self) -> str:
        return "<Candidate>"


@dataclass(frozen=True, slots=True, repr=False)
class Fused:
    """The best value and how sure it is.

    Args:
        value: in its written form.
        sure: 0..1; from `SURE` on it may be marked confirmed without a read-back.
        rival: the next best value, or None.
        spoken: the caller's words it was best heard in.
    """

    value: Any
    sure: float
    rival: Any = None
    spoken: str = ""

    def __repr__(self) -> str:
        return f"<Fused sure={self.sure:.2f}>"


SURE = 0.9
"""From here on a value counts as surely heard."""


def standing(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """The attempts that still count: those from the last explicit correction on."""
    kept: list[Attempt] = []
    for attempt in attempts:
        if attempt.replaces:
            kept.clear()
        if any(text.strip() for text in attempt.texts):
            kept.append(attempt)
    return tuple(kept)


def rank_weights(count: int, decay: float = 0.7) -> list[float]:
    """Prior weight of each hypothesis by its rank; they add up to one."""
    raw = [decay**rank for rank in range(count)]
    total = sum(raw)
    return [weight / total for weight in raw]


def mixture(costs: Iterable[float], weights: Iterable[float], floor: float) -> float:
    """Log likelihood of an attempt: some hypothesis is right, or none is (at cost `floor`)."""
    return log(sum(weight * exp(-cost) for weight, cost in zip(weights, costs, strict=True)) + exp(-floor))


def mixtures(costs: Floats, counts: Iterable[int], floor: float) -> Floats:
    """Log likelihood of all attempts under each of several values.

    Args:
        costs: of each hypothesis, best first, attempt after attempt, under each value.
        counts: how many hypotheses each attempt has.
        floor: as for `mixture`.
    """
    total = np.zeros(costs.shape[1:])
    likely = np.exp(-costs)
    start = 0
    for count in counts:
        shares = np.array(rank_weights(count))
        total += np.log(np.tensordot(shares, likely[start : start + count], 1) + exp(-floor))
        start += count
    return total


def posterior(scores: Mapping[Any, float], temperature: float) -> list[tuple[Any, float]]:
    """Candidates with their share of the belief, best first; ties by first seen.

    Args:
        scores: log score by candidate.
        temperature: over 1 since attempts by one voice on one line err alike.
    """
    if not scores:
        return []
    top = max(scores.values())
    raw = {value: exp((score - top) / temperature) for value, score in scores.items()}
    total = sum(raw.values())
    return sorted(((value, share / total) for value, share in raw.items()), key=lambda item: -item[1])
