"""How names sound: a rough key of a written name, and how far apart two names sound."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Any

import numpy as np

from pipecat_memory.notes.fusion.align import Floats, prefixes

VOWEL, VOWEL_LOST, CONSONANT, CONSONANT_LOST = 0.5, 0.6, 2.0, 1.5
H_LOST = 0.6
SPELT_OTHERWISE = 0.8
"""Cost of the same sound in another spelling: the recogniser had to choose one."""


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """The rewrites and close pairs, from `tables/sounds.json`."""
    path = resources.files("pipecat_memory.notes.fusion") / "tables" / "sounds.json"
    return json.loads(path.read_text("utf-8"))


@lru_cache(maxsize=1)
def _rewrites() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), to) for pattern, to in table()["rewrites"]]


@lru_cache(maxsize=1)
def _costs() -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """What it costs to hear one sound for another, and to lose one."""
    vowels, marks = table()["vowels"], table()["marks"]
    swap = {a: {b: _unlike(a, b, vowels) for b in marks} for a in marks}
    for pair, cost in table()["close"]:
        swap[pair[0]][pair[1]] = swap[pair[1]][pair[0]] = cost
    lost = {
        mark: VOWEL_LOST if mark in vowels else H_LOST if mark == "h" else CONSONANT_LOST for mark in marks
    }
    return swap, lost


def _unlike(a: str, b: str, vowels: str) -> float:
    if a == b:
        return 0.0
    if a in vowels and b in vowels:
        return VOWEL
    return CONSONANT + 0.5 if a in vowels or b in vowels else CONSONANT


def plain(name: str) -> str:
    """Lower-case letters without accents, apostrophes and hyphens."""
    bare = unicodedata.normalize("NFKD", name.lower())
    return "".join(mark for mark in bare if mark.isascii() and mark.isalpha())


@lru_cache(maxsize=16384)
def sound_key(name: str) -> str:
    """A rough phonetic spelling; names that sound alike mostly share it."""
    key = name
    for pattern, to in _rewrites():
        key = pattern.sub(to, key)
    return key


_COARSE = str.maketrans(
    {"d": "t", "b": "p", "g": "k", "v": "f", "T": "f", "z": "s", "S": "s", "C": "s", "J": "s", "m": "n"}
)
_DROPPED = re.compile(r"[aeiouAIOURhw]")


def skeleton(name: str) -> str:
    """The coarse consonants of a name: what to look near-sounding names up by."""
    return _DROPPED.sub("", sound_key(name)).translate(_COARSE)


@lru_cache(maxsize=16384)
def distance(said: str, heard: str) -> float:
    """How unlikely it is that `said` was heard as `heard` (negative log likelihood)."""
    if said == heard:
        return 0.0
    return SPELT_OTHERWISE + 1.5 * _apart(sound_key(said), sound_key(heard))[-1]


def distances(said: Sequence[str], heard: Sequence[str]) -> Floats:
    """`distance` of everything said to everything heard, as [heard, said]."""
    columns = _columns()
    _, lost = _costs()
    keys = [sound_key(name) for name in said]
    strings = [_array(sound_key(word)) for word in heard]
    table = prefixes(
        [[columns[mark] for mark in key] for key in keys],
        [[lost[mark] for mark in key] for key in keys],
        strings,
    )
    found = np.array([table[n, len(string)] for n, string in enumerate(strings)]).reshape(
        len(heard), len(said)
    )
    same = np.array([[name == word for name in said] for word in heard], dtype=bool).reshape(found.shape)
    return np.where(same, 0.0, SPELT_OTHERWISE + 1.5 * found)


@lru_cache(maxsize=1)
def _columns() -> dict[str, int]:
    return {mark: n for n, mark in enumerate(_costs()[1])}


@lru_cache(maxsize=2048)
def _array(key: str) -> Floats:
    """What each sound of a heard word costs under every sound that may have been said."""
    swap, lost = _costs()
    rows = [[*(swap[said][mark] for said in lost), lost[mark]] for mark in key]
    return np.array(rows, dtype=float).reshape(len(key), len(lost) + 1)


@lru_cache(maxsize=16384)
def _apart(said: str, heard: str) -> list[float]:
    """How far the sounds `said` are from the first k of `heard`, for every k.

    Built from one sound less, which names that begin alike share.
    """
    swap, lost = _costs()
    if not said:
        return [0.0, *accumulate(lost[mark] for mark in heard)]
    row = _apart(said[:-1], heard)
    swaps, dropped = swap[said[-1]], lost[said[-1]]
    left = row[0] + dropped
    fresh = [left]
    for k, mark in enumerate(heard):
        best = row[k] + swaps[mark]
        down = row[k + 1] + dropped
        if down < best:  # plain comparisons: this loop is the cost of fusion
            best = down
        left += lost[mark]
        if best < left:
            left = best
        fresh.append(left)
    return fresh
