"""Words with their places, and phrases found among them in one pass."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pipecat_memory.letters import MARKS

_WORD = re.compile(
    rf"[\u3400-\u9fff]|\d+(?:[:.,]\d+)*"
    rf"|(?:(?![\u3400-\u9fff])[^\W_][{MARKS}]*)+(?:['’](?:(?![\u3400-\u9fff])[^\W_][{MARKS}]*)+)*"
)
_ASIDE = re.compile(r"\[[^\[\]]*\]")
"""What a transcript or a mask says in brackets ("[card]", "[noise]"): nobody said it."""
_SPACE = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
SPACED = 4
"""Characters to a space at least where spaces are pauses."""
_STOP = re.compile(r"[.,;:!?。，；：！？、\n]")


TOLD_APART = frozenset({"sí", "où"})
"""Words that only their accent tells from a common one: yes from if, where from or."""


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """A word (or one Chinese character): its key for comparing, its place, what parts it from the next.

    `stop` is the punctuation that follows directly, or "".
    """

    key: str
    start: int
    end: int
    stop: str = ""

    def __repr__(self) -> str:
        return f"<Token {self.start}:{self.end}>"


def tokens(text: str) -> list[Token]:
    """The words of a text, in one pass."""
    if "[" in text:
        text = _ASIDE.sub(lambda aside: " " * len(aside.group()), text)
    found: list[Token] = []
    matches = list(_WORD.finditer(text))
    pauses = _pauses(text)
    for i, match in enumerate(matches):
        gap = text[match.end() : matches[i + 1].start() if i + 1 < len(matches) else len(text)]
        stop = _STOP.search(gap)
        told = stop.group() if stop else "，" if match.end() in pauses else ""
        found.append(Token(key(match.group()), match.start(), match.end(), told))
    return found


def _pauses(text: str) -> set[int]:
    """Where a space between two Chinese characters is a pause (不是 后天), unless all words stand apart."""
    found = {match.start() for match in _SPACE.finditer(text)}
    return found if len(found) * SPACED < len(text) else set()


def key(word: str) -> str:
    """A word for comparing: folded case, no apostrophes, no accents but those that tell words apart."""
    folded = word.casefold().replace("'", "").replace("’", "")
    if folded.isascii():
        return folded
    composed = unicodedata.normalize("NFC", folded)
    if composed in TOLD_APART:
        return composed
    parts = unicodedata.normalize("NFD", folded)
    return "".join(c for c in parts if not unicodedata.combining(c))


@lru_cache(maxsize=1024)
def keys(phrase: str) -> tuple[str, ...]:
    """A phrase's words for comparing; asked for the same values and names at each turn."""
    return tuple(t.key for t in tokens(phrase))


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A phrase found: tokens `start` to `end` (exclusive), what group it is of and what it means."""

    start: int
    end: int
    group: str
    meaning: str = ""

    def within(self, other: Hit) -> bool:
        """Whether the phrase is a part of a longer one."""
        inside = other.start <= self.start and self.end <= other.end
        return inside and other.end - other.start > self.end - self.start

    def meets(self, other: Hit) -> bool:
        """Whether two phrases share a word."""
        return other.start < self.end and self.start < other.end

    def __repr__(self) -> str:
        return f"<Hit {self.group} {self.start}:{self.end}>"


class Phrasebook:
    """Phrases by their first word. Finding costs one look-up a word, whatever the number of phrases."""

    def __init__(self) -> None:
        self._first: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}

    def add(self, phrase: tuple[str, ...], group: str, meaning: str = "") -> None:
        """Know a phrase. The same words may stand in several groups."""
        if not phrase:
            return
        entries = self._first.setdefault(phrase[0], [])
        if (phrase, group, meaning) not in entries:
            entries.append((phrase, group, meaning))
            entries.sort(key=lambda entry: -len(entry[0]))

    def add_all(self, phrases: Iterable[str], group: str, meaning: str = "") -> None:
        for phrase in phrases:
            self.add(keys(phrase), group, meaning)

    def find(self, words: list[Token]) -> list[Hit]:
        """Every phrase in the words; of one group the longest at a place wins."""
        hits: list[Hit] = []
        reach: dict[str, int] = {}
        heard = tuple(word.key for word in words)
        for i, first in enumerate(heard):
            entries = self._first.get(first)
            if entries is None:
                continue
            longest: dict[str, int] = {}
            for phrase, group, meaning in entries:
                end = i + len(phrase)
                if end > len(heard) or reach.get(group, 0) > i or longest.get(group, end) != end:
                    continue
                if len(phrase) == 1 or (heard[i + 1] == phrase[1] and heard[i:end] == phrase):
                    longest[group] = end
                    hits.append(Hit(i, end, group, meaning))
            for group, end in longest.items():
                reach[group] = max(reach.get(group, 0), end)
        return hits
