"""How names sound: a rough key of a written name, and how far apart two names sound."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from math import inf
from typing import Any

import numpy as np

from pipecat_memory.notes.fusion.align import Floats, prefixes

VOWEL, VOWEL_LOST, CONSONANT, CONSONANT_LOST = 0.5, 0.6, 2.0, 1.5
H_LOST = 0.6
UNLIKE_SOUND = 1.5
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
    bare = unicodedata.normalize("NFKD", name).lower()
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
def distance(said: str, heard: str, limit: float = inf) -> float:
    """How unlikely it is that `said` was heard as `heard` (negative log likelihood).

    From `limit` on a closer look is not worth its time: anything from there on may come back.
    """
    if said == heard:
        return 0.0
    most = (limit - SPELT_OTHERWISE) / UNLIKE_SOUND
    return SPELT_OTHERWISE + UNLIKE_SOUND * _apart(sound_key(said), sound_key(heard), most)


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
    return np.where(same, 0.0, SPELT_OTHERWISE + UNLIKE_SOUND * found)


@lru_cache(maxsize=1)
def _columns() -> dict[str, int]:
    return {mark: n for n, mark in enumerate(_costs()[1])}


@lru_cache(maxsize=2048)
def _array(key: str) -> Floats:
    """What each sound of a heard word costs under every sound that may have been said."""
    swap, lost = _costs()
    rows = [[*(swap[said][mark] for said in lost), lost[mark]] for mark in key]
    return np.array(rows, dtype=float).reshape(len(key), len(lost) + 1)


def _apart(said: str, heard: str, most: float) -> float:
    """How far the sounds `said` are from `heard`, or `most` where they are at least as far."""
    swap, lost = _costs()
    losses = [lost[mark] for mark in heard]
    row = [0.0, *accumulate(losses)]
    for sound in said:
        swaps, dropped = swap[sound], lost[sound]
        diagonal = row[0]
        least = left = row[0] = diagonal + dropped
        for k, mark in enumerate(heard, 1):
            best = diagonal + swaps[mark]
            diagonal = row[k]
            down = diagonal + dropped
            if down < best:  # plain comparisons: this loop is the cost of looking names up
                best = down
            left += losses[k - 1]
            if best < left:
                left = best
            row[k] = left
            if left < least:
                least = left
        if least >= most:
            return most
    return row[-1]
