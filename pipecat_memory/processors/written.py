"""The text that the user aggregator wrote as a turn."""

from __future__ import annotations


class Written:
    """A turn's text, from which what is known of it is taken out piece by piece.

    Args:
        text: as the aggregator wrote it: what was said, joined.
    """

    def __init__(self, text: str) -> None:
        self._rest = _flat(text)

    def take(self, part: str) -> bool:
        """Take the first such words out; False where there are none."""
        part = _flat(part)
        if not part or part not in self._rest:
            return False
        self._rest = self._rest.replace(part, " ", 1)
        return True

    @property
    def rest(self) -> str:
        """Words that nobody has taken; "" where only marks are left."""
        return self._rest.strip() if any(c.isalnum() for c in self._rest) else ""


def _flat(text: str) -> str:
    return " ".join(text.split())
