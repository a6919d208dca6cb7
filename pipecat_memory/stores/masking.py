"""Card numbers, their security codes and the app's own patterns, taken out before anything is kept.

Deterministic and pure. A card number is 13 to 19 digits that pass the Luhn check, however they are
written or spoken: `4242 4242 4242 4242`, `4242-4242...`, "four two four two ...", "double four",
"forty two forty two ...", groups of digits with small words in between. After a card number, and
after a word for the code, 3 or 4 digits go as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .digit_words import DIGITS, SMALL, TENS, TIMES

CARD = "[card]"
CODE = "[security code]"
HIDDEN = "[hidden]"

_SHORTEST, _LONGEST = 13, 19
"""Digits of a payment card number (ISO/IEC 7812)."""
_TOKEN = re.compile(r"\d|[零〇一二三四五六七八九幺两]|[^\W\d_零〇一二三四五六七八九幺两]+")
_GAP = re.compile(r"[\s\-‐‑–—.,;:、，。·/()]{0,4}")
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
_BRANDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8|9)\d{12}"
    r"|35\d{14}|6(?:011|4[4-9]|5)\d{12,15}|62\d{14,17}|(?:50|5[6-9]|6[0-9])\d{11,17}|9792\d{12}"
)
"""Number ranges of the card schemes: what a card hidden in a longer stretch of digits must look like."""


@dataclass(frozen=True, slots=True)
class _Digits:
    """A token that stands for digits, and where it stands in the text."""

    value: str
    start: int
    end: int
    spoken: bool = False


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
        if self._cards and _may_hold(f"{before[-_CODE_BEFORE:]} {text}{after}"):
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


def _may_hold(text: str) -> bool:
    # Almost every text ends here: three digits or digit words are the least there is to mask.
    found = 0
    for match in _TOKEN.finditer(text.lower()):
        found += _is_digits(match.group())
        if found >= 3:
            return True
    return False


def _is_digits(word: str) -> bool:
    return word.isdecimal() or word in DIGITS or word in TENS


def ends_in_digits(text: str) -> bool:
    """Whether a number may go on in what follows: the last word is a digit or a word for some."""
    word = None
    for match in _TOKEN.finditer(text.lower()):
        word = match.group()
    return word is not None and (_is_digits(word) or word in TIMES or word in SMALL)


def _card_spots(text: str, offset: int) -> list[tuple[int, int, str]]:
    runs = list(_runs(text))
    spots = [spot for run in runs for spot in _cards_in(text, run)]
    left = [[one for one in run if not any(s <= one.start < e for s, e in spots)] for run in runs]
    rest = [group for run in left for group in _groups(run)]
    codes: set[tuple[int, int]] = set()
    for word in _CODE_WORD.finditer(text):
        code = _code_at(text, rest, word.start(), word.end(), offset)
        if code is not None:
            codes.add(code)
    for start, end in spots:
        # Said right behind its card, without any word: "..., expires 12 27, 123".
        size = 4 if sum(c.isdecimal() for c in text[start:end]) == 15 else 3
        codes |= {(s, e) for s, e, digits in rest if 0 <= s - end <= _CODE_AFTER and len(digits) == size}
    return [(s, e, CARD) for s, e in spots] + [(s, e, CODE) for s, e in codes]


def _groups(run: list[_Digits]) -> Iterable[tuple[int, int, str]]:
    """Groups of digits that stand together: written without a gap, or spoken one after the other."""
    group: list[_Digits] = []
    for one in run:
        if group and one.start != group[-1].end and not (one.spoken and group[-1].spoken):
            yield group[0].start, group[-1].end, "".join(d.value for d in group)
            group = []
        group.append(one)
    if group:
        yield group[0].start, group[-1].end, "".join(d.value for d in group)


def _code_at(
    text: str, groups: list[tuple[int, int, str]], start: int, end: int, offset: int
) -> tuple[int, int] | None:
    """The three or four digits next to a word for the code: the first behind it, else the last before."""
    fits = [(s, e) for s, e, digits in groups if len(digits) in (3, 4)]
    behind = [(s, e) for s, e in fits if 0 <= s - end <= _CODE_AFTER and not _ended(text, end, s, offset)]
    if behind:
        return behind[0]
    ahead = [(s, e) for s, e in fits if 0 <= start - e <= _CODE_BEFORE and not _ended(text, e, start, offset)]
    return ahead[-1] if ahead else None


def _ended(text: str, start: int, end: int, offset: int) -> bool:
    # A sentence's end parts them, but for a question that the digits answer.
    between = text[start:end]
    return not start < offset <= end and re.search(r"[.!]\s|[。！]", between) is not None


def _runs(text: str) -> Iterable[list[_Digits]]:
    """Stretches of digits and digit words with at most separators and small words in between."""
    run: list[_Digits] = []
    times, reach = 1, 0
    lower = text.lower()
    if len(lower) != len(text):  # a few letters change length; offsets must hold
        lower = text
    for match in _TOKEN.finditer(lower):
        word = match.group()
        joined = not run or _GAP.fullmatch(text, reach, match.start()) is not None
        value = _value(word, text, match.start(), run)
        if joined and value is None and word in TIMES:
            times, reach = TIMES[word], match.end()
            continue
        if joined and value is None and word in SMALL and run:
            reach = match.end()
            continue
        if not joined or value is None:
            if run:
                yield run
            run, times = [], TIMES.get(word, 1)
        if value is not None:
            if isinstance(value, int):
                run[-1] = _Digits(run[-1].value[:-1] + str(value), run[-1].start, match.end(), spoken=True)
            else:
                run.append(_Digits(value * times, match.start(), match.end(), not word.isdecimal()))
            times = 1
        reach = match.end()
    if run:
        yield run


def _value(word: str, text: str, start: int, run: list[_Digits]) -> str | int | None:
    """The digits of a token; an int is the unit that completes the tens before it ("forty two")."""
    if word.isdecimal():
        return str(int(word))
    if word in TENS:
        return TENS[word]
    digit = DIGITS.get(word)
    if digit is None or digit == "0" or not run:
        return digit
    tens = run[-1].value
    completes = run[-1].spoken and len(tens) == 2 and tens[1] == "0" and tens != "10"
    return int(digit) if completes and text[run[-1].end : start] in (" ", "-", " y ") else digit


def _cards_in(text: str, run: list[_Digits]) -> Iterable[tuple[int, int]]:
    """Where whole groups of a run, from left to right, the longest first, are card numbers."""
    if _is_phone(text, run[0].start):
        return
    first = 0
    while first < len(run):
        digits, best = "", None
        if _begins(text, run, first):
            for last in range(first, min(len(run), first + _LONGEST)):
                digits += run[last].value
                if len(digits) < _SHORTEST:
                    continue
                if len(digits) > _LONGEST:
                    break
                alone = first == 0 and last + 1 == len(run)
                if _parts(run, last + 1) and _is_card(digits, alone) and not _counts(run[first : last + 1]):
                    best = last
        if best is not None:
            yield run[first].start, run[best].end
            first = best
        first += 1


def _parts(run: list[_Digits], at: int) -> bool:
    """Whether a number may begin or end before token `at`: not inside a written group."""
    return at in (0, len(run)) or run[at].start > run[at - 1].end or run[at].spoken


def _begins(text: str, run: list[_Digits], at: int) -> bool:
    """Whether a number may begin at token `at`: digits in one breath are one number, from their first."""
    if at and run[at].spoken and run[at - 1].spoken:
        return text[run[at - 1].end : run[at].start].strip(" ") != ""
    return _parts(run, at)


def _counts(run: list[_Digits]) -> bool:
    """Whether somebody counts ("seven eight nine ten eleven", "twenty thirty forty")."""
    steps = {int(b.value) - int(a.value) for a, b in pairwise(run)}
    return len(steps) == 1 and steps != {0}


def _is_phone(text: str, start: int) -> bool:
    return text[:start].rstrip().lower().endswith(("+", "plus", "más", "mas"))


def _is_card(digits: str, alone: bool) -> bool:
    if not _SHORTEST <= len(digits) <= _LONGEST or digits[0] == "0" or not _luhn(digits):
        return False
    # One digit string in ten passes the check by chance. Sixteen digits by themselves are a card all
    # the same; times and serial numbers of other lengths, and what stands among other digits, are not.
    if alone and (len(digits) == 16 or digits[0] in "3456"):
        return True
    return _BRANDS.fullmatch(digits) is not None


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
