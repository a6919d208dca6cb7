"""Which of the recogniser's finals make up a turn.

LiveKit tells of finals and of turns apart: some finals never become a turn (an app's hook dropped them, they
were spoken over a reply that can't be interrupted), and behind a slow hook the next turn's wait already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST = 30
"""Finals that are looked back at; a turn has a few."""

_BETWEEN_WORDS = re.compile(r"\W+")


def run_of(finals: Sequence[str], text: str) -> slice | None:
    """Where the finals stand that, one behind the other, are the turn; None where none are.

    LiveKit may keep a turn as it was first guessed, so letter case and punctuation don't count.

    Args:
        finals: texts in the order they came. Of equal runs the last counts.
        text: the turn's.
    """
    wanted = _words(text)
    words = [_words(final) for final in finals]
    for end in range(len(words), 0, -1):
        for start in range(end - 1, max(-1, end - 1 - MOST), -1):
            said = " ".join(part for part in words[start:end] if part)
            if said == wanted:
                return slice(start, end)
            if len(said) > len(wanted):
                break
    return None


def _words(text: str) -> str:
    return _BETWEEN_WORDS.sub(" ", text).strip().casefold()
