"""How a memory is ranked for a question: a few named terms, one set of constants for all languages.

Scores are computed for all entries at once from columns; no Python object is touched per entry.
The terms, each with its reason:

1. `words`: BM25 of the entry's own words. Names, numbers and dates decide most questions.
2. `near`: the words of the turns around it, fading with the entry's own length. Answers often lack
   the word they were asked with, so a question lends its words to its answer.
3. `sense`: cosine with the question, for paraphrases that share no word.
4. `sense_near`: the same over the turns around it, for short turns that mean little alone.
5. `who`: the person the question names said it.
6. `form`: who speaks (people's own words over the agent's), short questions (they ask, not tell),
   length (longer turns tell more), importance and standing (current over superseded).
7. `day`: newer before older, only between what is otherwise as good.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .columns import Columns

Scores = NDArray[np.float32]

NEAR = 1.0
"""Weight of the neighbours' words; what each lends stands in `columns.pull`."""
SENSE = 0.75
SENSE_NEAR = 0.5
AROUND = 0.5
"""Share of each direct neighbour in `sense_near`."""
WHO = 1.3
DAY = 0.02
RANKS = 2.0
"""Constant of reciprocal rank fusion where both sides are equally strong (scripts without spaces)."""


def with_neighbours(words: Scores, columns: Columns) -> Scores:
    """`words` plus what each entry's neighbours lend it."""
    n = columns.size
    padded = np.append(words, np.float32(0.0))
    lent = np.zeros(n, dtype=np.float32)
    for column in range(len(columns.near)):
        lent += columns.pull[column, :n] * padded[columns.near[column, :n]]
    return (words + np.float32(NEAR) * lent * columns.fade[:n]).astype(np.float32)


def around(sense: Scores, columns: Columns) -> Scores:
    """Cosines of each entry together with its direct neighbours'."""
    n = columns.size
    padded = np.append(sense, np.float32(0.0))
    nearby = padded[columns.near[1, :n]] + padded[columns.near[2, :n]]
    return (sense + np.float32(AROUND) * nearby).astype(np.float32)


def scaled(scores: Scores) -> Scores:
    """Scores as shares of the best one; all zero where nothing scored."""
    best = float(scores.max(initial=0.0))
    return scores / np.float32(best) if best > 0 else np.zeros_like(scores)


def cosines(vectors: Scores, query: Scores) -> Scores:
    """Cosines of all rows with one query. Not by BLAS: its threads wake late on a busy machine."""
    return np.maximum(np.einsum("ij,j->i", vectors, query), np.float32(0.0))


def ranks(scores: Scores) -> Scores:
    """1 for the best, 2 for the next, ...; entries without a score come last together."""
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(scores), dtype=np.float32)
    rank[order] = np.arange(1, len(scores) + 1, dtype=np.float32)
    rank[scores <= 0] = len(scores) + 1
    return rank


def fused_ranks(parts: list[Scores]) -> Scores:
    """Reciprocal rank fusion of several rankings."""
    total = np.zeros(len(parts[0]), dtype=np.float32)
    for part in parts:
        total += np.float32(1.0) / (np.float32(RANKS) + ranks(part))
    return total


def best_of_call(scores: Scores, columns: Columns) -> Scores:
    """Each entry's score replaced by the best of its call: which conversation is meant."""
    n = columns.size
    calls = columns.call[:n]
    best = np.zeros(int(calls.max(initial=0)) + 1, dtype=np.float32)
    np.maximum.at(best, calls, scores)
    return best[calls]
