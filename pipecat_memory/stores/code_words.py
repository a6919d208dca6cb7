"""The words by which people, agents and forms name the security code of a card."""

from __future__ import annotations

import re

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
_CODE_PIECES = (
    "cv",
    "csc",
    "secur",
    "segur",
    "verif",
    "valid",
    "back",
    "reverse",
    "sicherheit",
    "prüf",
    "pruf",
    "curit",
    "cryptogramme",
    "安全",
    "位",
)
_C_V = re.compile(r"c\s+v\s")
"""One of these is in every word for the code."""


def code_words(text: str) -> list[re.Match[str]]:
    """The words for a code; looked for only where a piece of one stands, which costs a tenth of it."""
    folded = text.casefold()
    if not any(piece in folded for piece in _CODE_PIECES) and _C_V.search(folded) is None:
        return []
    return list(_CODE_WORD.finditer(text))
