"""Writing systems: which pieces of text are joined without a space, and which characters are words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_UNSPACED = (
    (0x2E80, 0x303F),  # CJK radicals, symbols and punctuation
    (0x3040, 0x30FF),  # kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # ideographs
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF00, 0xFF65),  # full-width forms
    (0x20000, 0x323AF),
)


def unspaced(char: str) -> bool:
    """True for characters of scripts that write no spaces between words (Chinese, Japanese)."""
    code = ord(char)
    return code >= 0x2E80 and any(low <= code <= high for low, high in _UNSPACED)


def join(pieces: Iterable[str]) -> str:
    """The pieces as one text: one space between them, none between unspaced scripts."""
    text = ""
    for piece in pieces:
        piece = " ".join(piece.split())
        if not piece:
            continue
        if text and not (unspaced(text[-1]) and unspaced(piece[0])):
            text += " "
        text += piece
    return text


def wordlike(char: str) -> bool:
    """True for letters, digits and the marks that belong to letters (Thai and Hindi vowels)."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"
