"""Word lists of the room, kept as data in `words.json`: one line of words a list."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


@cache
def _lists() -> dict[str, str]:
    return json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))


def word_list(name: str) -> frozenset[str]:
    """One list of `words.json`, as a set."""
    return frozenset(_lists()[name].split())
