"""What a payment card number is: how long, the schemes' number ranges, the Luhn check."""

from __future__ import annotations

import re
from itertools import accumulate

SHORTEST, LONGEST = 13, 19
"""Digits of a payment card number (ISO/IEC 7812)."""
BRANDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8|9)\d{12}"
    r"|35\d{14}|6(?:011|4[4-9]|5)\d{12,15}|62\d{14,17}|(?:50|5[6-9]|6[0-9])\d{11,17}|9792\d{12}"
)
"""Number ranges of the card schemes: what a card hidden in a longer stretch of digits must look like."""
FIRST = "234569"
"""How they begin."""

_DOUBLED = str.maketrans("0123456789", "0246813579")
"""A digit doubled, its own digits added up."""


class Luhn:
    """The check of every number that stands in a long row of digits.

    Args:
        digits: the row.
    """

    def __init__(self, digits: str) -> None:
        plain, doubled = list(map(int, digits)), list(map(int, digits.translate(_DOUBLED)))
        by_turns = (plain.copy(), plain)
        by_turns[0][::2], by_turns[1][1::2] = doubled[::2], doubled[1::2]
        self._sums = [list(accumulate(row, initial=0)) for row in by_turns]

    def holds(self, begin: int, end: int) -> bool:
        """Whether the digits from `begin` up to `end` pass it: every second one from the last is doubled."""
        sums = self._sums[end % 2]
        return (sums[end] - sums[begin]) % 10 == 0


def is_card(digits: str, alone: bool) -> bool:
    """Whether digits are a payment card's; `alone` says that no others stand beside them."""
    if not SHORTEST <= len(digits) <= LONGEST or digits[0] == "0":
        return False
    # One digit string in ten passes the check by chance. Sixteen digits by themselves are a card all
    # the same; times and serial numbers of other lengths, and what stands among other digits, are not.
    by_itself = alone and (len(digits) == 16 or digits[0] in "3456")
    return (by_itself or BRANDS.fullmatch(digits) is not None) and _luhn(digits)


def _luhn(digits: str) -> bool:
    if digits == digits[0] * len(digits):
        return False
    return (sum(map(int, digits[::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))) % 10 == 0
