"""How well each entry answers a question: eight named terms, the same constants for every script.

The constants are round numbers inside wide plateaus, set by hand; none is fitted to data.

    words     BM25 of the entry's own words and adjacent pairs
    context   its neighbours' words; most the question it answers
    meaning   the vector, alone and with its neighbours
    date      the day the question names
    call      the best of the same call, and the best within two turns: what belongs together was
              said together
    person    said by the one person whom the question names
    shape     people over the agent, statements over short questions (see `index`)
    standing  importance, and current over superseded where the question is not about what was (see `index`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Floats
from .dates import Named
from .postings import Postings
from .query import Part

MEANING = 1.0
"""Words and meaning weigh alike: each is scaled by its own best."""
DATE = 0.5
"""A named day is worth half a perfect match of words: it narrows, it doesn't answer."""
CALL = 0.4
"""Two fifths of the best entry of the same call."""
NEAR = 0.2
"""A fifth of the best entry within two turns: messages are short, and an answer goes on over several."""
PERSON = 1.5
"""A named speaker's own turns over others' about the same thing."""
SURE = 0.3
"""Share of a question's weight that must be matched before the best match counts in full."""
UNSEEN = 0.1
"""Cosine of two texts taken at random; it stands in `about` where there are no vectors."""
FEW = 10
"""Entries below which their cosines don't tell what is usual: all of them may be related."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Every entry's score and the named parts of it."""

    total: Floats
    words: Floats
    context: Floats
    meaning: Floats
    near: Floats
    """Cosine of the entry with the best part of the question, above what is usual."""
    about: Floats
    """Share of the words of a part of the question that the entry holds, its neighbours' help counted,
    plus its cosine with that part: the highest of all parts. Unlike `total`, comparable between questions."""
    closest: float
    """The highest of `near`."""


def score(
    parts: Sequence[Part],
    vectors: NDArray[np.float32] | None,
    query_rows: NDArray[np.float32] | None,
    columns: Columns,
    postings: Postings,
    dates: Sequence[Named],
    speaker: int,
) -> Scored:
    """Score all entries. Vectors and their query rows are None where keywords have to do."""
    n = columns.size
    neighbours, pull = columns.near[:, :n], columns.pull[:, :n]
    words, context, meaning, near, about = (np.zeros(n, dtype=np.float32) for _ in range(5))
    for part in parts:
        own = postings.scores(part.terms, n + 1)
        around = np.einsum("kn,kn->n", own[neighbours], pull)
        matched = own[:n] + around
        ideal = SURE * sum(weight * postings.rarity(term) for term, weight in part.terms)
        whole = sum(weight * postings.rarity(term) for term, weight in part.words)
        best = max(float(matched.max(initial=0.0)), ideal, 1e-6)
        matched /= np.float32(max(whole, 1e-6))
        words += own[:n] / best
        context += around / best
        if vectors is not None and query_rows is not None and part.row < len(query_rows):
            cosine = np.zeros(n + 1, dtype=np.float32)
            # Not BLAS: it splits a product of this size over its threads, and on a busy machine the event
            # loop would stand still until the slowest of them had its turn.
            np.einsum("nd,d->n", vectors[:n], query_rows[part.row], out=cosine[:n])
            window = (cosine[:n] + cosine[neighbours[1]] + cosine[neighbours[2]]) * columns.window[:n]
            both = np.maximum(cosine[:n] + window + 0.5 * pull[1] * cosine[neighbours[1]], 0.0)
            meaning += both * np.float32(MEANING / max(float(both.max(initial=0.0)), 1e-6))
            similar = _above_usual(cosine[:n])
            np.maximum(near, similar, out=near)
            matched += similar
        else:
            matched += np.float32(UNSEEN)
        np.maximum(about, matched, out=about)
    total = words + context + meaning
    if dates:
        total += np.float32(DATE) * _dated(dates, columns)
    total *= columns.live[:n]
    best_of_call = np.zeros(int(columns.call[:n].max(initial=0)) + 1, dtype=np.float32)
    np.maximum.at(best_of_call, columns.call[:n], total)
    best_of_call[0] = 0.0  # call 0 is "no call": facts don't vouch for each other
    close = np.append(total, np.float32(0.0))[neighbours].max(axis=0)
    total += np.float32(CALL) * best_of_call[columns.call[:n]] + np.float32(NEAR) * close
    total *= columns.boost[:n]
    if speaker:
        total *= np.where(columns.speaker[:n] == speaker, np.float32(PERSON), np.float32(1.0))
    return Scored(
        total * columns.live[:n], words, context, meaning, near, about, float(near.max(initial=0.0))
    )


def _above_usual(cosine: Floats) -> Floats:
    """Cosines on one scale, whatever the embedder makes of texts that have nothing to do with each other.

    Of a language that it wasn't trained on, and with some models of any, all texts look alike.
    """
    usual = float(cosine.mean()) if len(cosine) >= FEW else UNSEEN
    if usual <= UNSEEN:
        return cosine
    return UNSEEN + (cosine - np.float32(usual)) * np.float32((1 - UNSEEN) / max(1 - usual, 1e-6))


def _dated(dates: Sequence[Named], columns: Columns) -> Floats:
    """1 on a named day, less on the days after it, on which people tell what happened."""
    n = columns.size
    day, month_day = columns.day[:n], columns.month_day[:n]
    out = np.zeros(n, dtype=np.float32)
    for named in dates:
        if named.first:
            late = day - named.last
            within = (day >= named.first) & (late <= 0)
            match = np.select([within, late == 1, (late > 1) & (late <= 7)], [1.0, 0.8, 0.4], 0.0)
        elif named.day:
            match = (month_day == named.month * 100 + named.day).astype(np.float32)
        else:
            match = np.where(month_day // 100 == named.month, 0.7, 0.0)
        np.maximum(out, match * (day > 0), out=out, casting="unsafe")
    return out
