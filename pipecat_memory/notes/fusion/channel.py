"""How letters and digits are misheard on a telephone: a hand-set noisy channel.

Costs are negative log likelihoods (natural), set by hand from how the English letter names
sound, not counted from any recordings: names that share a vowel ("b", "c", "d", ...) cross
over easily, "m" and "n" more easily still, unrelated ones rarely.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import accumulate

import numpy as np

from pipecat_memory.notes.fusion.align import Floats, prefixes, reversed_back
from pipecat_memory.notes.spoken.language import language_of

_ROOM = "pipecat_memory.notes.fusion"
SAME, UNRELATED = 0.1, 5.0
LOST, LOST_TWIN = 2.0, 1.6
SURE_WORD = 5.5
EXTRA, EXTRA_TWIN, EXTRA_ZERO, EXTRA_WORD = 3.0, 1.4, 1.6, 2.0
_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)?|[+&]")

_MARKS = "abcdefghijklmnopqrstuvwxyz0123456789"
_COLUMNS = {mark: n for n, mark in enumerate(_MARKS)}

Row = dict[str, float]
"""What one heard sound costs under each letter or digit that may have been said, in the order of `_MARKS`."""


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[tuple[str, str], float], dict[str, str], dict[str, str], frozenset[str]]:
    raw = json.loads((resources.files(_ROOM) / "tables" / "letters.json").read_text("utf-8"))
    costs: dict[tuple[str, str], float] = {}
    for members, cost in raw["classes"]:
        for a in members:
            for b in members:
                if a != b:
                    costs[a, b] = min(cost, costs.get((a, b), UNRELATED))
    costs |= {(said, heard): cost for said, heard, cost in raw["one_way"]}
    return costs, raw["heard_as"], raw["pairs"], frozenset(raw["skipped"])


@lru_cache(maxsize=64)
def letter_row(heard: str) -> Row:
    """Costs of a heard letter or digit, by what was said."""
    costs, _, _, _ = _tables()
    row = {said: costs.get((said, heard), UNRELATED) for said in _MARKS}
    row[heard] = SAME
    return row


@lru_cache(maxsize=512)
def _word_row(word: str) -> Row | None:
    """Costs of a heard word that stands for one letter, or None where it must be spelt out."""
    _, heard_as, _, _ = _tables()
    english = language_of("en")
    sure = english["alphabet"].entries.get(word)
    if sure:  # the spelling alphabet was made so that its words don't cross over
        return dict.fromkeys(letter_row(sure), SURE_WORD) | {sure: SAME}
    meant = heard_as.get(word, "") + _alphabet().get(word, "")
    if not meant:
        digit = english.digit_words.get(word)
        meant = str(digit) if digit is not None else ""
    if meant:
        first, *others = meant
        row = dict(letter_row(first))
        for other in others:
            row[other] = min(row[other], 0.7)
        return row
    if len(word) < 4:
        return None
    # Any longer word may be a caller's own "b for ..." word: its first letter counts.
    return {said: cost + 0.8 for said, cost in letter_row(word[0]).items()} if word[0].isascii() else None


@lru_cache(maxsize=1)
def _alphabet() -> dict[str, str]:
    english = language_of("en")
    found: dict[str, str] = {}
    for category in ("letters", "alphabet"):
        found |= {phrase: letter for phrase, letter in english[category].entries.items() if " " not in phrase}
    return found


class Sound:
    """One heard sound: its costs, and whether it came as a whole word."""

    __slots__ = ("digit", "row", "text", "word")

    def __init__(self, text: str, row: Row, *, word: bool) -> None:
        self.text = text
        self.row = row
        self.word = word
        self.digit = text.isdigit()

    def __repr__(self) -> str:
        return "<Sound>"


def is_initial(sound: Sound) -> bool:
    """Whether a sound is but the first letter of a word that stands for no letter."""
    _, heard_as, _, _ = _tables()
    known = sound.text in heard_as or sound.text in _alphabet() or sound.text in language_of("en").digit_words
    return sound.word and not known


@lru_cache(maxsize=512)
def sounds(text: str, *, spell_words: bool = False) -> tuple[Sound, ...]:
    """An attempt at spelling, as heard sounds.

    Args:
        text: one hypothesis.
        spell_words: whether a word that is no known letter word is its own letters (in a
            spelled name) rather than a word for its first letter (in a code).
    """
    _, heard_as, pairs, skipped = _tables()
    found: list[Sound] = []
    tokens = _TOKEN.findall(text)
    i = 0
    while i < len(tokens):
        word = tokens[i].lower().replace("’", "'")
        following = tokens[i + 1].lower() if i + 1 < len(tokens) else ""
        i += 1
        if word in skipped:
            continue
        if word in ("double", "triple") and following in ("u", "you", "yu"):
            found.append(Sound("w", letter_row("w"), word=False))
            i += 1
            continue
        if word == "x" and following == "ray":
            found.append(Sound("x", letter_row("x"), word=False))
            i += 1
            continue
        if word in ("double", "triple", "treble") and following:
            again = sounds(following, spell_words=spell_words)
            found += [*again[:1], *again] if again else []
            i += 1
            continue
        if len(word) == 1 or word.isdigit():
            found += [
                Sound(mark, letter_row(mark), word=False)
                for mark in word
                if mark.isascii() and mark.isalnum()
            ]
            continue
        if word in pairs and not spell_words:
            found += [Sound(mark, letter_row(mark), word=False) for mark in pairs[word]]
            continue
        row = _word_row(word) if not spell_words or word in heard_as or word in _alphabet() else None
        if row is not None:
            found.append(Sound(word, row, word=word not in language_of("en")["alphabet"].entries))
        else:
            found += [
                Sound(mark, letter_row(mark), word=False)
                for mark in word
                if mark in "abcdefghijklmnopqrstuvwxyz"
            ]
    return tuple(found)


@lru_cache(maxsize=16384)
def prefix_costs(said: str, heard: tuple[Sound, ...]) -> list[float]:
    """Cost of hearing the first k sounds where `said` was said, for every k. Not to be changed.

    Built from the costs of one letter less, which values that begin alike share.
    """
    extras, none = _skips(heard)
    if not said:
        return none
    row, letter = prefix_costs(said[:-1], heard), said[-1]
    lost = LOST_TWIN if said[-2:-1] == letter else LOST
    left = row[0] + lost
    fresh = [left]
    for k, sound in enumerate(heard):
        best = row[k] + sound.row[letter]
        dropped = row[k + 1] + lost
        if dropped < best:  # plain comparisons: this loop is the cost of fusion
            best = dropped
        extra = left + extras[k]
        left = extra if extra < best else best  # noqa: FURB136 - a call of min() costs more
        fresh.append(left)
    return fresh


def suffix_costs(said: str, heard: tuple[Sound, ...]) -> list[float]:
    """Cost of hearing the sounds from k on where `said` was said, for every k."""
    return prefix_costs(said[::-1], heard[::-1])[::-1]


def prefix_tables(parts: Sequence[str], heard: Sequence[tuple[Sound, ...]]) -> Floats:
    """`prefix_costs` of every part in every string of sounds, as [string, k, part]."""
    columns = [[_COLUMNS[mark] for mark in part] for part in parts]
    lost = [
        [LOST_TWIN if k and part[k - 1] == mark else LOST for k, mark in enumerate(part)] for part in parts
    ]
    return prefixes(columns, lost, [_array(string) for string in heard])


def suffix_tables(parts: Sequence[str], heard: Sequence[tuple[Sound, ...]]) -> Floats:
    """`suffix_costs` of every part in every string of sounds, as [string, k, part]."""
    turned = [string[::-1] for string in heard]
    table = prefix_tables([part[::-1] for part in parts], turned)
    return reversed_back(table, [_array(string) for string in turned])


@lru_cache(maxsize=256)
def _array(heard: tuple[Sound, ...]) -> Floats:
    extras, _ = _skips(heard)
    rows = [
        [*(sound.row[mark] for mark in _MARKS), extra] for sound, extra in zip(heard, extras, strict=True)
    ]
    return np.array(rows, dtype=float).reshape(len(heard), len(_MARKS) + 1)


def _extra(heard: tuple[Sound, ...], k: int) -> float:
    """Cost of a sound that nobody said: an echo of its neighbour, the zero of "eighty nine", a word."""
    sound = heard[k]
    if k and heard[k - 1].text == sound.text:
        return EXTRA_TWIN
    if sound.text == "0" and k and heard[k - 1].digit:
        return EXTRA_ZERO
    return EXTRA_WORD if sound.word else EXTRA


@lru_cache(maxsize=128)
def _skips(heard: tuple[Sound, ...]) -> tuple[list[float], list[float]]:
    """What each sound costs if nobody said it, and what the first k cost together."""
    extras = [_extra(heard, k) for k in range(len(heard))]
    return extras, [0.0, *accumulate(extras)]
