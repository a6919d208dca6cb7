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
from itertools import accumulate, pairwise
from typing import Any

from .card_numbers import FIRST, LONGEST, SHORTEST, Luhn, is_card
from .code_words import code_words
from .digit_runs import Digits, Stretch, digit_runs, parts, stretches

CARD = "[card]"
CODE = "[security code]"
HIDDEN = "[hidden]"

_CODE_NAMES = frozenset(
    "cvv cvv2 cvc cvc2 cvn cvn2 csc cid cvvcode cvccode securitycode cardcode cardsecuritycode "
    "cardverificationcode cardverificationvalue cardcvv cardcvc verificationvalue".split()
)
_CARD_NAMES = frozenset(
    "pan cardnumber cardno cardnum card ccnumber cc ccnum creditcard creditcardnumber debitcardnumber "
    "paymentcard primaryaccountnumber".split()
)
"""Names of fields, as `bare` writes them, that hold a code, or a card number that need not pass the check."""
_CODE_AFTER, _CODE_BEFORE = 60, 30
"""Characters from the word for the code, or from the card, to the code: about ten words, or five."""

_LEAST = 3
"""Digits that there must be for anything to be masked."""
_CLOSELY = 1000
"""Digits of long numbers in one text that are looked at one by one: sixty cards, a hundred telephone numbers,
four milliseconds. More of them are hidden unseen: nobody says or reads so many."""
_WORDS = 50
"""Words for a code in one text that are looked at; whatever digits come behind more of them are hidden."""
_AROUND = 1000
"""Characters before and behind a text that can bear on it: nineteen digits in long words, and an aside."""

_Group = tuple[int, int, str]
"""Where digits stand that belong together, and they."""


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

    def named(self, name: str, value: Any) -> str | None:
        """What stands for a value under a name such as `pan` or `cvv`; None where it may be kept.

        Args:
            name: of a field of JSON, such as a tool's argument.
            value: what it holds: a text or a number that has the form which the name promises.
        """
        field = bare(name)
        if not self._cards or not (field in _CODE_NAMES or field in _CARD_NAMES):
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        digits = "".join(one.value for run in digit_runs(str(value)[:100]) for one in run)
        if field in _CODE_NAMES:
            return CODE if len(digits) in (3, 4) else None
        return CARD if SHORTEST <= len(digits) <= LONGEST else None

    def mask(self, text: str, before: str = "", after: str = "") -> tuple[str, int]:
        """The text without what must not be kept, and how many places were masked.

        Args:
            text: what is about to be kept.
            before: what was said just before it and is not changed here: the agent's question (then
                "and the code on the back?" explains a bare "123"), or the first half of a number.
            after: what was to follow it directly: the rest of a reply that was cut inside a number.
        """
        spots: list[tuple[int, int, str]] = []
        if self._cards:
            before, after = before[-_AROUND:], after[:_AROUND]
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


def bare(name: str) -> str:
    """A field's name without what only parts its words: `card_number` and `Card Number` are one."""
    folded = name.casefold()
    return folded if folded.isalnum() else re.sub(r"[\W_]", "", folded)


def _card_spots(text: str, offset: int) -> list[tuple[int, int, str]]:
    there = stretches(text)
    if sum(one.most for one in there) < _LEAST:
        return []
    words = code_words(text)
    near, too_many = _few_enough([one for one in there if one.most >= SHORTEST])
    if len(words) > _WORDS:
        words, beyond = words[:_WORDS], words[_WORDS].start() - 2 * _CODE_BEFORE
        too_many = [one for one in there if one.end >= beyond or one in too_many]
        near = [one for one in near if one.end < beyond]
    hidden = [(one.start, one.end, HIDDEN) for one in too_many]
    spots = [spot for run in digit_runs(text, near) for spot in _cards_in(text, run)]
    if not spots and not words:
        return hidden
    starts = [start for start, _ in spots]
    rest: list[_Group] = []
    places = [(word.start() - 2 * _CODE_BEFORE, word.end() + _CODE_AFTER) for word in words]
    places += [(end, end + _CODE_AFTER) for _, end in spots]
    around = [one for one in _reached(there, places) if one not in too_many]
    for run in digit_runs(text, around):
        rest += _groups([one for one in run if not _covers(spots, starts, one.start)] if spots else run)
    places = [start for start, _, _ in rest]
    codes: set[tuple[int, int]] = set()
    for word in words:
        code = _code_at(text, rest, places, word.start(), word.end(), offset)
        if code is not None:
            codes.add(code)
    for start, end in spots:
        # Said right behind its card, without any word: "..., expires 12 27, 123".
        size = 4 if sum(c.isdecimal() for c in text[start:end]) == 15 else 3
        codes |= {(s, e) for s, e, digits in _behind(rest, places, end) if len(digits) == size}
    return hidden + [(s, e, CARD) for s, e in spots] + [(s, e, CODE) for s, e in codes]


def _few_enough(long: list[Stretch]) -> tuple[list[Stretch], list[Stretch]]:
    """Those that are looked at closely, and those that are too many."""
    near: list[Stretch] = []
    too_many: list[Stretch] = []
    room = _CLOSELY
    for one in long:
        if one.most > room:
            too_many.append(one)
        else:
            near.append(one)
            room -= one.most
    return near, too_many


def _reached(there: list[Stretch], places: list[tuple[int, int]]) -> list[Stretch]:
    """The stretches that lie in one of the places, or reach into it."""
    starts, ends = [one.start for one in there], [one.end for one in there]
    which = {i for s, e in places for i in range(bisect_left(ends, s), bisect_right(starts, e))}
    return [there[i] for i in sorted(which)]


def _covers(spots: list[tuple[int, int]], starts: list[int], at: int) -> bool:
    index = bisect_right(starts, at) - 1
    return index >= 0 and at < spots[index][1]


def _behind(groups: list[_Group], places: list[int], end: int) -> list[_Group]:
    """Groups of digits that begin soon behind a place."""
    return groups[bisect_left(places, end) : bisect_right(places, end + _CODE_AFTER)]


def _before(groups: list[_Group], places: list[int], start: int) -> list[_Group]:
    """Groups of digits that begin shortly before a place and end before it."""
    near = groups[bisect_left(places, start - 2 * _CODE_BEFORE) : bisect_left(places, start)]
    return [group for group in near if 0 <= start - group[1] <= _CODE_BEFORE]


def _groups(run: list[Digits]) -> Iterable[_Group]:
    """Groups of digits that stand together: written without a gap, spoken or written one by one."""
    units: list[list[Digits]] = []
    for one in run:
        touching = units and one.start == units[-1][-1].end and not one.spoken
        units[-1].append(one) if touching else units.append([one])
    group: list[Digits] = []
    alone = False
    for unit in units:
        single = len(unit) == 1 and len(unit[0].value) == 1
        together = group and ((unit[0].spoken and group[-1].spoken) or (single and alone))
        if group and not together:
            yield _group(group)
            group = []
        alone = single and (alone or not group)
        group += unit
    if group:
        yield _group(group)


def _group(run: list[Digits]) -> _Group:
    return run[0].start, run[-1].end, "".join(one.value for one in run)


def _code_at(
    text: str, groups: list[_Group], places: list[int], start: int, end: int, offset: int
) -> tuple[int, int] | None:
    """The three or four digits next to a word for the code: the first behind it, else the last before."""
    for s, e, digits in _behind(groups, places, end):
        if len(digits) in (3, 4) and not _ended(text, end, s, offset):
            return s, e
    for s, e, digits in reversed(_before(groups, places, start)):
        if len(digits) in (3, 4) and not _ended(text, e, start, offset):
            return s, e
    return None


def _ended(text: str, start: int, end: int, offset: int) -> bool:
    # A sentence's end parts them, but for a question that the digits answer.
    between = text[start:end]
    return not start < offset <= end and re.search(r"[.!]\s|[。！]", between) is not None


def _cards_in(text: str, run: list[Digits]) -> Iterable[tuple[int, int]]:
    """Where whole groups of a run, from left to right, the longest first, are card numbers."""
    digits = "".join(one.value for one in run)
    if len(digits) < SHORTEST or _is_phone(text, run[0].start):
        return
    ends = list(accumulate(len(one.value) for one in run))
    luhn = Luhn(digits)
    first, short = 0, 0
    while first < len(run):
        begin = ends[first - 1] if first else 0
        while short < len(run) and ends[short] - begin < SHORTEST:
            short += 1
        best = None
        if short == len(run):
            return
        if (first == 0 or digits[begin] in FIRST) and _begins(text, run, first):
            for last in range(short, len(run)):
                if ends[last] - begin > LONGEST:
                    break
                if not luhn.holds(begin, ends[last]):
                    continue  # nine in ten
                alone = first == 0 and last + 1 == len(run)
                number = digits[begin : ends[last]]
                if parts(run, last + 1) and is_card(number, alone) and not _counts(run[first : last + 1]):
                    best = last
        if best is not None:
            yield run[first].start, run[best].end
            first = best
        first += 1


def _begins(text: str, run: list[Digits], at: int) -> bool:
    """Whether a number may begin at token `at`: digits in one breath are one number, from their first."""
    if at and run[at].spoken and run[at - 1].spoken:
        return text[run[at - 1].end : run[at].start].strip(" ") != ""
    return parts(run, at)


def _counts(run: list[Digits]) -> bool:
    """Whether somebody counts ("seven eight nine ten eleven", "twenty thirty forty")."""
    told = [int(n) for one in run for n in ((one.value,) if one.spoken else one.value)]
    steps = {b - a for a, b in pairwise(told)}
    return len(steps) == 1 and steps != {0}


def _is_phone(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return text[max(0, start - 4) : start].lower().endswith(("+", "plus", "más", "mas"))


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
