"""What stands where something was that is not kept: `[card]`, the name of a secret slot."""

from __future__ import annotations

import re

MARK = re.compile(r"\[[^\[\]\n]{1,60}\]")


def unmarked(words: str) -> str:
    """The words without marks: those are nobody's."""
    return MARK.sub(" ", words)
