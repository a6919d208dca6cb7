"""Many things that may have been said against many that were heard: all their alignments at once.

The weighted edit distance of `channel` and `sounding`, over whole arrays: a caller's answer is
held against some dozens of possible parts in as many hypotheses, and a loop over the letters of
each pair would take the greater part of the reply's time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OUT = 1e6
"""Cost past the end of what was heard: more than anything."""


def prefixes(
    said: Sequence[Sequence[int]], lost: Sequence[Sequence[float]], heard: Sequence[Floats]
) -> Floats:
    """Cost of hearing the first k sounds where something was said, as [heard, k, said].

    Args:
        said: each as the columns of its marks in `heard`.
        lost: what each of its marks costs if it was not heard.
        heard: each as an array of sounds by marks, whose last column is what the sound costs if
            nobody said it.
    """
    if not heard or not said:
        return np.zeros((len(heard), 1, len(said)))
    longest = max(len(string) for string in heard)
    costs = np.full((heard[0].shape[1], len(heard), longest), OUT)
    for n, string in enumerate(heard):
        costs[:, n, : len(string)] = string.T
    skipped = np.zeros((len(heard), longest + 1))
    np.cumsum(costs[-1], axis=1, out=skipped[:, 1:])
    order = sorted(range(len(said)), key=lambda n: -len(said[n]))
    table = np.tile(skipped, (len(said), 1, 1))
    for step in range(len(said[order[0]])):
        going = [n for n in order if len(said[n]) > step]  # the longer ones, which stand first
        row = table[: len(going)]
        fresh = row + np.array([lost[n][step] for n in going])[:, None, None]
        swaps = costs[[said[n][step] for n in going]]
        swaps += row[:, :, :-1]
        np.minimum(fresh[:, :, 1:], swaps, out=fresh[:, :, 1:])
        fresh -= skipped
        np.minimum.accumulate(fresh, axis=2, out=fresh)
        np.add(fresh, skipped, out=row)
    back = np.empty(len(said), dtype=np.intp)
    back[order] = np.arange(len(said))
    return table[back].transpose(1, 2, 0)


def reversed_back(turned: Floats, heard: Sequence[Floats]) -> Floats:
    """Costs of what was heard from k on, from `prefixes` of everything turned round."""
    table = np.full_like(turned, OUT)
    for n, string in enumerate(heard):
        table[n, : len(string) + 1] = turned[n, len(string) :: -1]
    return table
