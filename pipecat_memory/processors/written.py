"""The text that the user aggregator wrote as a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..events import UserFinal
from ..ledger.script import unspaced, wordlike


class Written:
    """A turn's text, from which what is known of it is taken out piece by piece.

    Args:
        text: as the aggregator wrote it: what was said, joined.
    """

    def __init__(self, text: str) -> None:
        self._rest = _flat(text)

    def take(self, part: str) -> bool:
        """Take words out that are known to be in it, whole words before parts; False where there are none."""
        part = _flat(part)
        places = [*self._whole(part), self._rest.find(part)]
        return self._out(part, places[0])

    def finals(self, held: Sequence[UserFinal]) -> list[UserFinal]:
        """Which of these the turn was made of, in their order, taken out of it.

        The aggregator may have thrown away the older ones (too few words to cut in), and such a "no" can
        stand in what was written for quite another reason: so the newest is looked for first, and as whole
        words.
        """
        return [final for final in reversed(held) if self._take_whole(final.text)][::-1]

    @property
    def rest(self) -> str:
        """Words that nobody has taken; "" where only marks are left."""
        return _flat(self._rest) if any(c.isalnum() for c in self._rest) else ""

    def _take_whole(self, part: str) -> bool:
        part = _flat(part)
        return self._out(part, next(self._whole(part), -1))

    def _whole(self, part: str) -> Iterator[int]:
        """Where the part stands without cutting a word in two."""
        at = self._rest.find(part) if part else -1
        while at >= 0:
            if not self._cuts(at) and not self._cuts(at + len(part)):
                yield at
            at = self._rest.find(part, at + 1)

    def _cuts(self, at: int) -> bool:
        """Whether a word goes on over this place."""
        return 0 < at < len(self._rest) and all(
            wordlike(char) and not unspaced(char) for char in self._rest[at - 1 : at + 1]
        )

    def _out(self, part: str, at: int) -> bool:
        if not part or at < 0:
            return False
        self._rest = f"{self._rest[:at]} {self._rest[at + len(part) :]}"
        return True


def _flat(text: str) -> str:
    return " ".join(text.split())
