"""Where in a turn a quote stands: the proof without which nothing is a fact."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from ..letters import MARKS
from ..records.turn import Segment, Turn
from .canon import fold, folded_list
from .clean import meant
from .cues import NEGATION

_TOKEN = re.compile(
    rf"[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]|(?:[^\W_][{MARKS}]*)+(?:['’](?:[^\W_][{MARKS}]*)+)*"
)
"""A word, or one character of a script that writes words without spaces."""

_SENTENCE = re.compile(r"[.!?。！？؟\n]+(?=\s|$|[\u2e80-\u9fff])|(?<=[。！？])")
_JOINT = re.compile(
    r"[,;:，；：、—]+|\s+-\s+"
    r"|(?<!\w)(?:and|but|because|so|though|although|und|aber|weil|denn|pero|porque|mais|car|parce que)"
    r"(?=\s+(?:i|i'm|i've|i'd|i'll|we|you|he|she|they|it|it's|that|that's|my|if|what|when|can|could|do|does|is|are|the"
    r"|ich|wir|sie|er|mein|meine|wenn|kann|yo|mi|si|usted|ella|él|me|no|soy|tengo|vivo|je|j'\w+|nous|vous|il|elle|mon|ma)(?!\w))"
    r"|但是?|可是|不过(?!敏)|因为|所以|而且",
    re.IGNORECASE,
)
_NOISE = folded_list("noise")


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, repr=False)
class Place:
    """Where a quote stands: in which text, from where to where, and whose segment that is.

    `text` is the turn's, without what was taken back, or an alternative that the recogniser gave
    for one of its segments.
    """

    text: str
    start: int
    end: int
    segment: Segment | None
    raw: str = ""
    """The words as they were said, where `text` is the cleaned form."""

    @property
    def words(self) -> str:
        """The caller's own words."""
        return self.raw or self.text[self.start : self.end]


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text, folded for comparing, with their places."""
    return tuple(Token(fold(m.group()).replace("’", "'"), m.start(), m.end()) for m in _TOKEN.finditer(text))


def locate(quote: str, turn: Turn) -> Place | None:
    """Where the quote stands in the turn, allowing for cleaning and for other hearings of it."""
    wanted = tokens(quote)
    if not wanted:
        return None
    if (place := _in_cleaned(wanted, turn)) is not None:
        return place
    for match in (_exactly, _nearly):
        if (span := match(wanted, tokens(turn.text))) is not None:
            return Place(turn.text, *span, _segment_at(turn, span[0]))
        for segment in turn.segments:
            for heard in (segment.text, *segment.nbest):
                if (span := match(wanted, tokens(heard))) is not None:
                    return Place(heard, *span, segment)
    return None


def _in_cleaned(wanted: Sequence[Token], turn: Turn) -> Place | None:
    """The quote in the turn as it was meant: models read turns without fillers and repairs."""
    said = {token.text for token in tokens(turn.text)}
    if any(token.text not in said for token in wanted):
        return None  # cleaning adds no word
    cleaned = meant(turn.text, turn.language)
    if cleaned.text == turn.text or (span := _exactly(wanted, tokens(cleaned.text))) is None:
        return None
    pieces = list(re.finditer(r"\S+", turn.text))
    if len(cleaned.text.split()) != len(cleaned.keep):
        # A script without spaces: no way back to the raw words.
        return Place(cleaned.text, *span, _segment_at(turn, 0))
    first = len(cleaned.text[: span[0]].split()) - (cleaned.text[: span[0]][-1:].strip() != "")
    last = len(cleaned.text[: span[1]].split()) - 1
    begin, end = pieces[cleaned.keep[first]].start(), pieces[cleaned.keep[last]].end()
    raw = turn.text[begin:end].strip(" .,!?;:")
    return Place(cleaned.text, *span, _segment_at(turn, begin), raw)


def sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence(s) around a span, closing mark included."""
    begin, stop = 0, len(text)
    for mark in _SENTENCE.finditer(text):
        if mark.end() <= start:
            begin = mark.end()
        elif mark.end() >= end and mark.start() >= start:
            stop = mark.end()
            break
    return begin, stop


def clauses_of(text: str, begin: int, stop: int) -> list[tuple[int, int]]:
    """The clauses of a sentence, as spans of the text."""
    found: list[tuple[int, int]] = []
    at = begin
    for joint in _JOINT.finditer(text, begin, stop):
        if text[at : joint.start()].strip():
            found.append((at, joint.start()))
        at = joint.end()
    if text[at:stop].strip(" .!?。！？") or not found:
        found.append((at, stop))
    else:
        found[-1] = (found[-1][0], stop)
    return found


def _exactly(wanted: Sequence[Token], there: Sequence[Token]) -> tuple[int, int] | None:
    words = [token.text for token in wanted]
    held = [token.text for token in there]
    for i in range(len(held) - len(words) + 1):
        if held[i : i + len(words)] == words:
            return there[i].start, there[i + len(words) - 1].end
    return None


def _nearly(wanted: Sequence[Token], there: Sequence[Token]) -> tuple[int, int] | None:
    """The quote's words in their order, with a little between them and a word heard otherwise.

    Cleaning takes fillers and restarts out, so the turn may have more words than the quote; the
    quote may have hardly any that the turn lacks.
    """
    words = [token.text for token in wanted if token.text not in _NOISE]
    kept = [token for token in there if token.text not in _NOISE]
    # One word in five may be heard otherwise or be missing; in a short quote none may.
    needed = len(words) - len(words) // 5
    held = [token.text for token in kept]
    if len(words) < 2 or not _enough(words, set(held), len(words) - needed):
        return None
    best: tuple[int, int] | None = None
    most = 0
    for i, first in enumerate(held):
        if not _alike(words[0], first):
            continue
        hits, at, last = 0, i, i
        denied = False
        for word in words:
            near = next((j for j in range(at, min(at + 4, len(held))) if _alike(word, held[j])), None)
            if near is not None:
                denied = denied or any(NEGATION.fullmatch(skipped) for skipped in held[at:near])
                hits, at, last = hits + 1, near + 1, near
        if hits > most and not denied:  # without its "not" it is no quote
            most, best = hits, (kept[i].start, kept[last].end)
    return best if most >= needed else None


def _enough(words: Sequence[str], held: Set[str], missing: int) -> bool:
    """Whether no more of the words are missing, heard otherwise or not at all."""
    for word in words:
        if word not in held and not any(_alike(word, other) for other in held):
            missing -= 1
            if missing < 0:
                return False
    return True


def _alike(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) < 4 or abs(len(a) - len(b)) > 3 or a.isdigit() or b.isdigit():
        return False
    return _ratio(a, b) >= 0.8


@lru_cache(maxsize=2048)
def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _segment_at(turn: Turn, start: int) -> Segment | None:
    at = 0
    for segment in turn.segments:
        found = turn.text.find(segment.text, at)
        if found < 0:
            continue
        at = found + len(segment.text)
        if start < at:
            return segment
    return turn.segments[-1] if turn.segments else None
