"""What each attempt at a name was heard as: words, cut into names, and letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipecat_memory.letters import MARKS
from pipecat_memory.notes.fusion.channel import Sound, sounds
from pipecat_memory.notes.fusion.evidence import Attempt
from pipecat_memory.notes.fusion.name_list import written_name
from pipecat_memory.notes.fusion.sounding import plain, table

HYPOTHESES = 8
SPELLED_HYPOTHESES = 3
"""Hypotheses of an attempt that are read, and of those the ones read letter by letter."""
_WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+(?:['’](?:[^\W\d_][{MARKS}]*)+)*")

Split = tuple[str, str]


class Spoken:
    """One hypothesis: the ways to cut it into two names, and its letters if it may be spelled.

    `written` are the parts as they were heard, by their plain letters.
    """

    __slots__ = ("alphabet", "spelled", "splits", "written")

    def __init__(
        self, splits: list[Split], written: dict[str, str], spelled: tuple[Sound, ...], *, alphabet: bool
    ) -> None:
        self.alphabet = alphabet
        self.splits = splits
        self.spelled = spelled
        self.written = written

    def __repr__(self) -> str:
        return "<Spoken>"


def heard_names(attempts: Sequence[Attempt]) -> list[list[Spoken]]:
    """Each attempt as its distinct hypotheses."""
    return [_hypotheses(attempt) for attempt in attempts]


@lru_cache(maxsize=128)
def _hypotheses(attempt: Attempt) -> list[Spoken]:
    found: dict[str, Spoken] = {}
    spelled = 0
    lead_ins = table()["lead_ins"]
    for text in attempt.texts[:HYPOTHESES]:
        words = [word for word in _WORD.findall(text.replace("’", "'")) if word.lower() not in lead_ins]
        said = " ".join(words).lower()
        if not words or said in found:
            continue
        short = sum(len(word) <= 2 for word in words)
        looks_spelled = short >= 2 or len(words) >= 4
        heard: tuple[Sound, ...] = ()
        alphabet = short < len(words) / 3 and len(words) >= 4
        if looks_spelled and spelled < SPELLED_HYPOTHESES:
            heard = sounds(text, spell_words=not alphabet)[:40]
            spelled += 1
        splits, written = _splits(words) if len(words) <= 4 else ([], {})
        found[said] = Spoken(splits, written, heard, alphabet=alphabet)
    return list(found.values())


def _splits(words: list[str]) -> tuple[list[Split], dict[str, str]]:
    """The ways to cut words into two names, in plain letters, and each name as it was heard."""
    if len(words) == 1:
        cuts = [(words, words[:0]), (words[:0], words)]
    else:
        cuts = [(words[:k], words[k:]) for k in range(1, len(words))]
    written = {plain("".join(part)): _as_heard(part) for cut in cuts for part in cut if part}
    return [(plain("".join(head)), plain("".join(tail))) for head, tail in cuts], written


def _as_heard(words: list[str]) -> str:
    if any(len(word) == 1 for word in words):
        return _capital("".join(words).lower())
    if any(word != word.lower() for word in words):
        return " ".join(words)
    return " ".join(map(_capital, words))


def _capital(word: str) -> str:
    return written_name(word) if word.isascii() and word.isalpha() else word[:1].upper() + word[1:]
