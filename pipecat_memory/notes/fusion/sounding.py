"""How names sound: a rough key of a written name, and how far apart two names sound."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from importlib import resources
from typing import Any

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
def _close() -> dict[tuple[str, str], float]:
    costs: dict[tuple[str, str], float] = {}
    for pair, cost in table()["close"]:
        costs[pair[0], pair[1]] = costs[pair[1], pair[0]] = cost
    return costs


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


@lru_cache(maxsize=8192)
def distance(said: str, heard: str) -> float:
    """How unlikely it is that `said` was heard as `heard` (negative log likelihood)."""
    if said == heard:
        return 0.0
    a, b = sound_key(said), sound_key(heard)
    vowels, close = table()["vowels"], _close()
    row = [0.0]
    for mark in b:
        row.append(row[-1] + _lost(mark, vowels))
    for mark in a:
        lost = _lost(mark, vowels)
        fresh = [row[0] + lost]
        for k, other in enumerate(b):
            if mark == other:
                swap = row[k]
            elif mark in vowels and other in vowels:
                swap = row[k] + VOWEL
            elif mark in vowels or other in vowels:
                swap = row[k] + CONSONANT + 0.5
            else:
                swap = row[k] + close.get((mark, other), CONSONANT)
            fresh.append(min(swap, row[k + 1] + lost, fresh[k] + _lost(other, vowels)))
        row = fresh
    return SPELT_OTHERWISE + 1.5 * row[-1]


def _lost(mark: str, vowels: str) -> float:
    if mark in vowels:
        return VOWEL_LOST
    return H_LOST if mark == "h" else CONSONANT_LOST
