"""An utterance as words with their places."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from pipecat_memory.letters import MARKS

# A number keeps its inner separators ("10:45", "1,200", "3.50"); a word keeps its apostrophe,
# its hyphen is a break ("twenty-one" is two words) except in the French compounds of tables.
_WORD = re.compile(
    rf"\d+(?:[.,:]\d+)*|(?:[^\W\d_][{MARKS}]*)+(?:['’](?:[^\W\d_][{MARKS}]*)+)*|[@+$£€¥%&_#/.-]"
)


_SHORTENED = frozenset("it that what let there here he she who how where when".split())
"""Words with which "'s" is a phrase of its own ("that's right")."""


@dataclass(frozen=True, slots=True, repr=False)
class Word:
    """One word: lower-cased, with its place in the utterance."""

    text: str
    start: int
    end: int

    def __repr__(self) -> str:
        return f"<Word {self.start}:{self.end}>"


@lru_cache(maxsize=256)
def split(text: str) -> tuple[Word, ...]:
    """The words of an utterance; punctuation that carries no value is left out.

    Kept small: one turn asks for many kinds of value in the same words.
    """
    found: list[Word] = []
    for match in _WORD.finditer(text):
        word = unicodedata.normalize("NFC", match.group().lower().replace("’", "'"))
        if word in (".", "-") and not _glued(text, match.start(), match.end()):
            continue
        stem = word.removesuffix("'s")  # "eight's fine", "Friday's better"
        word = word if stem in _SHORTENED else stem
        found.append(Word(word, match.start(), match.end()))
    return tuple(found)


def _glued(text: str, start: int, end: int) -> bool:
    """Whether a dot or dash stands inside a written token ("a.b", "x-y")."""
    return start > 0 and end < len(text) and not text[start - 1].isspace() and not text[end].isspace()
