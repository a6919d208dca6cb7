"""A card number that is dictated over several turns, with other people's words in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .card_numbers import LONGEST, SHORTEST, is_card
from .digit_runs import Digits, digit_runs, has_digits, parts

LOOKED_BACK = 12
"""Entries of the caller in which the first part may stand: four groups, each with a word or two behind it."""
ASIDE = 2
"""Entries without a digit, one after the other, after which a number does not go on."""
GROUP = 4
"""Digits of a group on most cards; parts that are whole groups need no word for what they are."""
_AT_AN_END = 1_000
"""Characters at either end of an entry that are read: a number goes on in the first digits or the last."""
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


class CardParts:
    """Looks for such numbers in the entries of one call. Each entry is read once."""

    def __init__(self) -> None:
        self._read: dict[str, _Entry] = {}

    def completed(self, entries: Sequence[str], around: str) -> list[Part]:
        """The parts of a card number that the last entry completes; empty where it completes none.

        Args:
            entries: what the caller said, entry by entry, oldest first.
            around: what the agent said meanwhile.
        """
        self._read = {text: self._read.get(text) or _read(text) for text in entries[-1 - LOOKED_BACK :]}
        last = len(entries) - 1
        if not entries or not (runs := self._read[entries[last]].runs):
            return []
        here, named = runs[0], self._read[entries[last]].named or _CARD_WORD.search(around) is not None
        before: list[Part] = []
        aside = 0
        for index in range(last - 1, max(last - 1 - LOOKED_BACK, -1), -1):
            entry = self._read[entries[index]]
            named = named or entry.named
            if not entry.runs:
                aside += 1
                if aside > ASIDE:
                    return []
                continue
            aside = 0
            before.insert(0, _part(index, entry.runs[-1]))
            if found := _completed(before, last, here, named):
                return found
            if len(entry.runs) > 1:
                return []  # another number stood before it
        return []


def has_part(text: str) -> bool:
    """Whether a number may go on in an entry, or from it into the next."""
    return any(has_digits(end) for _, end in _ends(text))


@dataclass(frozen=True, slots=True, repr=False)
class _Entry:
    """The digits at the ends of an entry, and whether it speaks of a card."""

    runs: list[list[Digits]]
    named: bool


def _read(text: str) -> _Entry:
    ends = _ends(text)
    runs = [
        [Digits(one.value, start + one.start, start + one.end, one.spoken) for one in run]
        for start, end in ends
        for run in digit_runs(end)
    ]
    return _Entry(runs, any(_CARD_WORD.search(end) for _, end in ends))


def _ends(text: str) -> list[tuple[int, str]]:
    """Where the words at either end of a text begin, and they; of a short one all of it."""
    if len(text) <= 2 * _AT_AN_END:
        return [(0, text)]
    head, tail = text[:_AT_AN_END].rpartition(" ")[0], len(text) - _AT_AN_END
    tail = max(text.find(" ", tail), tail)
    return [(0, head or text[:_AT_AN_END]), (tail, text[tail:])]


def _completed(before: list[Part], last: int, run: list[Digits], named: bool) -> list[Part]:
    told = "".join(part.digits for part in before)
    if len(told) + sum(len(one.value) for one in run) < SHORTEST:
        return []
    for end in range(min(len(run), LONGEST - len(told)), 0, -1):  # a token is a digit at least
        part = _part(last, run[:end])
        if not parts(run, end) or not is_card(told + part.digits, alone=True):
            continue
        whole = [*before, part]
        if named or all(len(one.digits) % GROUP == 0 for one in whole):
            return whole
    return []


def _part(entry: int, run: list[Digits]) -> Part:
    return Part(entry, run[0].start, run[-1].end, "".join(one.value for one in run))
