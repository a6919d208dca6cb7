"""Letters with their marks: the vowel signs, tones and accents that are characters of their own.

In Hindi, Arabic, Thai and decomposed Latin a word goes on through them, where `re` takes a word to end.
"""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Invisible marks inside words of Persian and of Indian scripts."""

_BLOCKS = ((0x0300, 0x2100), (0x2C00, 0x3100), (0xA600, 0xAC00), (0xFB00, 0xFE30), (0x10000, 0x12000))
"""Where combining marks stand, as far as people write with them; the rest are ideographs and symbols."""


def _marks() -> str:
    """Every combining mark, as the body of a character class."""
    runs: list[list[int]] = []
    for code in (code for block in _BLOCKS for code in range(*block)):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


MARKS = _marks() + JOINERS
"""For `[...]` in a pattern."""
