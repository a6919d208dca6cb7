"""What was told for secret slots of one call, and texts without it: in digits, in words, said back.

Pure but for what it has learnt. A number is found however it is written or spoken, as card numbers are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .digit_runs import digit_runs, parts
from .masking import Masker, bare

SHORTEST = 3
"""Digits, or letters, from which a secret is looked for outside the words it was told in."""


class Secrets:
    """Masks what is secret in one call, on top of what is masked in every call.

    Args:
        masker: of the memory.
        names: what stands for each secret slot, by its name: a tool's value of that name is secret.
    """

    def __init__(self, masker: Masker, names: Mapping[str, str]) -> None:
        self._masker = masker
        self._names = {bare(name): mark for name, mark in names.items()}
        self._known: dict[str, str] = {}

    def learn(self, texts: Iterable[str], mark: str) -> bool:
        """Take what was told for a slot and what is to stand in its place; returns whether it is news."""
        new = {text.casefold(): mark for text in texts if text.casefold() not in self._known}
        self._known = self._known | new  # another one: a thread may be reading this one
        return bool(new)

    def mask(self, text: str, before: str = "", after: str = "") -> tuple[str, int]:
        """As `Masker.mask`, and without the secrets that are long enough to be told from other words."""
        text, count = self._masker.mask(text, before, after)
        text, more = self.mask_learnt(text)
        return text, count + more

    def mask_learnt(self, text: str) -> tuple[str, int]:
        """A text that was masked before, without what has been learnt since."""
        count, known = 0, self._known
        for secret in sorted(known, key=len, reverse=True):
            if len(secret) >= SHORTEST:
                spots = _spots(text, secret)
                text = _cut(text, spots, known[secret])
                count += len(spots)
        return text, count

    def mask_told(self, texts: Sequence[str], told: Iterable[str], mark: str) -> list[str]:
        """Texts said one after the other, without what was told in them for a slot, however short.

        Where only together they tell it, the mark stands in each of them.
        """
        whole, spots = " ".join(texts), list[tuple[int, int]]()
        for secret in sorted(told, key=len, reverse=True):
            spots += [s for s in _spots(whole, secret) if not any(s[0] < e and b < s[1] for b, e in spots)]
        kept: list[str] = []
        begin = 0
        for text in texts:
            end = begin + len(text)
            here = sorted(
                (max(b, begin) - begin, min(e, end) - begin) for b, e in spots if b < end and e > begin
            )
            kept.append(_cut(text, here, mark))
            begin = end + 1
        return kept

    def named(self, name: str, value: Any) -> str | None:
        """As `Masker.named`; and whatever stands under the name of a secret slot is secret."""
        if value is None or isinstance(value, dict | list):
            return None
        return self._names.get(bare(name)) or self._masker.named(name, value)


def _cut(text: str, spots: Sequence[tuple[int, int]], mark: str) -> str:
    for start, end in reversed(spots):
        text = text[:start] + mark + text[end:]
    return text


def _spots(text: str, secret: str) -> list[tuple[int, int]]:
    """Where a text tells a secret: in the same words, or in digits that make the same number."""
    digits = re.sub(r"[\s\-.,/()]", "", secret)
    if digits.isdecimal():
        return _digit_spots(text, digits)
    words = r"\s+".join(map(re.escape, secret.split()))
    return [match.span() for match in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)]


def _digit_spots(text: str, digits: str) -> list[tuple[int, int]]:
    spots: list[tuple[int, int]] = []
    for run in digit_runs(text):
        first = 0
        while first < len(run):
            there = ""
            for last in range(first, min(len(run), first + len(digits))):
                there += run[last].value
                if there == digits and parts(run, first) and parts(run, last + 1):
                    spots.append((run[first].start, run[last].end))
                    first = last
                if not digits.startswith(there) or there == digits:
                    break
            first += 1
    return spots
