"""Card numbers, their security codes and the app's own patterns, taken out before anything is kept.

Deterministic and pure. A card number is 13 to 19 digits that pass the Luhn check, however they are
written or spoken: `4242 4242 4242 4242`, `4242-4242...`, "four two four two ...", "double four",
"forty two forty two ...", groups of digits with small words in between. After a card number, and
after a word for the code, 3 or 4 digits go as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .digit_runs import ENDLESS, LONGEST, SHORTEST, Digits, may_hold, runs

CARD = "[card]"
CODE = "[security code]"
HIDDEN = "[hidden]"

_CODE_WORD = re.compile(
    r"""\b(?:cvv2?|cvc2?|cvn2?|csc|(?<!social\ )security\s+(?:code|number|digits?)
        |card\s+(?:verification|validation|security)\s+(?:code|number|value)
        |(?:digits?|numbers?|code)\s+on\s+the\s+(?:back|reverse)
        |c[óo]digo\s+de\s+seguridad|clave\s+de\s+seguridad|n[úu]mero\s+de\s+seguridad
        |(?:sicherheits|(?:karten)?pr[üu]f)(?:code|nummer|ziffern?|zahl)
        |code\s+de\s+s[ée]curit[ée]|cryptogramme|c\s+v\s+[vc])\b
        |安全码|安全碼|(?:背面|后面|後面)的?[后後]?[三3]位""",
    re.IGNORECASE | re.VERBOSE,
)
_CODE_AFTER, _CODE_BEFORE = 60, 30
"""Characters from the word for the code, or from the card, to the code: about ten words, or five."""
_LEAD = 20
"""Characters before a number in which a "plus" may stand."""
_BRANDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8|9)\d{12}"
    r"|35\d{14}|6(?:011|4[4-9]|5)\d{12,15}|62\d{14,17}|(?:50|5[6-9]|6[0-9])\d{11,17}|9792\d{12}"
)
"""Number ranges of the card schemes: what a card hidden in a longer stretch of digits must look like."""


class Masker:
    """Masks texts before they are kept.

    Args:
        cards: mask card numbers and their security codes.
        patterns: the app's own regular expressions; whatever they match is hidden.

    Raises:
        re.error: a pattern is not a regular expression.
    """

    def __init__(self, cards: bool = True, patterns: Sequence[str] = ()) -> None:
        self._cards = cards
        self._patterns = [re.compile(pattern) for pattern in patterns]

    def mask(self, text: str, before: str = "", after: str = "") -> tuple[str, int]:
        """The text without what must not be kept, and how many places were masked.

        Args:
            text: what is about to be kept.
            before: what was said just before it and is not changed here: the agent's question (then
                "and the code on the back?" explains a bare "123"), or the first half of a number.
            after: what was to follow it directly: the rest of a reply that was cut inside a number.
        """
        spots: list[tuple[int, int, str]] = []
        if self._cards and may_hold(f"{before[-_CODE_BEFORE:]} {text}{after}"):
            offset = len(before) + 1 if before else 0
            end = offset + len(text)
            found = _card_spots(f"{before}\n{text}{after}" if before else text + after, offset)
            spots += [
                (max(s - offset, 0), min(e, end) - offset, label)
                for s, e, label in found
                if e > offset and s < end
            ]
        for pattern in self._patterns:
            spots += [(m.start(), m.end(), HIDDEN) for m in pattern.finditer(text) if m.end() > m.start()]
        return _without(text, spots)


def _card_spots(text: str, offset: int) -> list[tuple[int, int, str]]:
    spots: list[tuple[int, int]] = []
    rest: list[tuple[int, int, str]] = []
    hidden: list[tuple[int, int, str]] = []
    for run in runs(text):
        if run[-1].end - run[0].start > ENDLESS:  # more than anybody dictates; whatever it is, it goes
            hidden.append((run[0].start, run[-1].end, HIDDEN))
            continue
        cards = list(_cards_in(text, run))
        rest += _groups(_outside(run, cards))
        spots += cards
    fits = [(start, end) for start, end, digits in rest if len(digits) in (3, 4)]
    codes = {
        code
        for word in (_CODE_WORD.finditer(text) if fits else ())
        if (code := _code_at(text, fits, word.start(), word.end(), offset)) is not None
    }
    starts = [start for start, _, _ in rest]
    for start, end in spots:
        # Said right behind its card, without any word: "..., expires 12 27, 123".
        size = 4 if sum(c.isdecimal() for c in text[start:end]) == 15 else 3
        near = rest[bisect_left(starts, end) : bisect_right(starts, end + _CODE_AFTER)]
        codes |= {(s, e) for s, e, digits in near if len(digits) == size}
    return hidden + [(s, e, CARD) for s, e in spots] + [(s, e, CODE) for s, e in codes]


def _outside(run: list[Digits], cards: list[tuple[int, int]]) -> list[Digits]:
    """What of a run is no part of a card found in it."""
    left: list[Digits] = []
    behind = 0
    for one in run:
        while behind < len(cards) and cards[behind][1] <= one.start:
            behind += 1
        if behind == len(cards) or one.start < cards[behind][0]:
            left.append(one)
    return left


def _groups(run: list[Digits]) -> Iterable[tuple[int, int, str]]:
    """Groups of digits that stand together: written without a gap, or spoken one after the other."""
    group: list[Digits] = []
    for one in run:
        if group and one.start != group[-1].end and not (one.spoken and group[-1].spoken):
            yield group[0].start, group[-1].end, "".join(d.value for d in group)
            group = []
        group.append(one)
    if group:
        yield group[0].start, group[-1].end, "".join(d.value for d in group)


def _code_at(
    text: str, fits: list[tuple[int, int]], start: int, end: int, offset: int
) -> tuple[int, int] | None:
    """The three or four digits next to a word for the code: the first behind it, else the last before."""
    at = bisect_left(fits, (end, 0))
    for place in range(at, len(fits)):
        if fits[place][0] - end > _CODE_AFTER:
            break
        if not _ended(text, end, fits[place][0], offset):
            return fits[place]
    for place in range(bisect_right(fits, (start, 0)) - 1, -1, -1):
        if start - fits[place][1] > _CODE_BEFORE:
            break
        if fits[place][1] <= start and not _ended(text, fits[place][1], start, offset):
            return fits[place]
    return None


def _ended(text: str, start: int, end: int, offset: int) -> bool:
    # A sentence's end parts them, but for a question that the digits answer.
    between = text[start:end]
    return not start < offset <= end and re.search(r"[.!]\s|[。！]", between) is not None


def _cards_in(text: str, run: list[Digits]) -> Iterable[tuple[int, int]]:
    """Where whole groups of a run, from left to right, the longest first, are card numbers."""
    if _is_phone(text, run[0].start):
        return
    first = 0
    while first < len(run):
        digits, best = "", None
        if _begins(text, run, first):
            for last in range(first, min(len(run), first + LONGEST)):
                digits += run[last].value
                if len(digits) < SHORTEST:
                    continue
                if len(digits) > LONGEST:
                    break
                alone = first == 0 and last + 1 == len(run)
                if _is_card(digits, alone) and _parts(run, last + 1) and not _counts(run[first : last + 1]):
                    best = last
        if best is not None:
            yield run[first].start, run[best].end
            first = best
        first += 1


def _parts(run: list[Digits], at: int) -> bool:
    """Whether a number may begin or end before token `at`: not inside a written group."""
    return at in (0, len(run)) or run[at].start > run[at - 1].end or run[at].spoken


def _begins(text: str, run: list[Digits], at: int) -> bool:
    """Whether a number may begin at token `at`: digits in one breath are one number, from their first."""
    if at and run[at].spoken and run[at - 1].spoken:
        return text[run[at - 1].end : run[at].start].strip(" ") != ""
    return _parts(run, at)


def _counts(run: list[Digits]) -> bool:
    """Whether somebody counts ("seven eight nine ten eleven", "twenty thirty forty")."""
    if any(len(one.value) > 2 or (len(one.value) > 1 and not one.spoken) for one in run):
        return False
    steps = {int(b.value) - int(a.value) for a, b in pairwise(run)}
    return len(steps) == 1 and steps != {0}


def _is_phone(text: str, start: int) -> bool:
    return text[max(0, start - _LEAD) : start].rstrip().lower().endswith(("+", "plus", "más", "mas"))


def _is_card(digits: str, alone: bool) -> bool:
    # One digit string in ten passes the check by chance. Sixteen digits by themselves are a card all
    # the same; times and serial numbers of other lengths, and what stands among other digits, are not.
    likely = alone and digits[0] != "0" and (len(digits) == 16 or digits[0] in "3456")
    return (likely or _BRANDS.fullmatch(digits) is not None) and _luhn(digits)


def _luhn(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _without(text: str, spots: list[tuple[int, int, str]]) -> tuple[str, int]:
    parts: list[str] = []
    done = count = 0
    for start, end, label in sorted(spots):
        if start < done:
            # Overlaps what is masked already: the longer of the two decides how far.
            done = max(done, end)
            continue
        parts += [text[done:start], label]
        done = end
        count += 1
    return ("".join(parts) + text[done:], count) if count else (text, 0)
