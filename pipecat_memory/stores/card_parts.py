"""A card number that is dictated over several turns, with other people's words in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .digit_runs import Digits, digit_runs, parts
from .masking import is_card

LOOKED_BACK = 12
"""Entries of the caller in which the first part may stand: four groups, each with a word or two behind it."""
ASIDE = 2
"""Entries without a digit, one after the other, after which a number does not go on."""
GROUP = 4
"""Digits of a group on most cards; parts that are whole groups need no word for what they are."""
_CARD_WORD = re.compile(
    r"\b(?:card|credit|debit|visa|master\s?card|amex|american\s+express|karten?\w*|kredit\w*|tarjeta|carte|carta"
    r"|cart[ãa]o)\b|卡",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, repr=False)
class Part:
    """A stretch of one entry that is part of a card number, and its digits."""

    entry: int
    start: int
    end: int
    digits: str


def card_parts(entries: Sequence[str], around: str) -> list[Part]:
    """The parts of a card number that the last entry completes; empty where it completes none.

    Args:
        entries: what the caller said, entry by entry, oldest first.
        around: what the agent said meanwhile.
    """
    last = len(entries) - 1
    here = next(iter(digit_runs(entries[last])), None) if entries else None
    if here is None:
        return []
    named = _CARD_WORD.search(around) is not None
    before: list[Part] = []
    aside = 0
    for index in range(last - 1, max(last - 1 - LOOKED_BACK, -1), -1):
        named = named or _CARD_WORD.search(entries[index]) is not None
        runs = list(digit_runs(entries[index]))
        if not runs:
            aside += 1
            if aside > ASIDE:
                return []
            continue
        aside = 0
        before.insert(0, _part(index, runs[-1]))
        if found := _completed(before, last, here, named or _CARD_WORD.search(entries[last]) is not None):
            return found
        if len(runs) > 1:
            return []  # another number stood before it
    return []


def _completed(before: list[Part], last: int, run: list[Digits], named: bool) -> list[Part]:
    told = "".join(part.digits for part in before)
    for end in range(len(run), 0, -1):
        part = _part(last, run[:end])
        if not parts(run, end) or not is_card(told + part.digits, alone=True):
            continue
        whole = [*before, part]
        if named or all(len(one.digits) % GROUP == 0 for one in whole):
            return whole
    return []


def _part(entry: int, run: list[Digits]) -> Part:
    return Part(entry, run[0].start, run[-1].end, "".join(one.value for one in run))
