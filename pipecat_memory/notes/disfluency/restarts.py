"""Fillers, asides, repeated words and restarts: what falls out without any correction."""

from __future__ import annotations

from pipecat_memory.notes.disfluency.language import Speech
from pipecat_memory.notes.spoken.words import Word

LONGEST_REPEAT = 6
"""Words of a phrase that may be said twice over."""
RESTART = 5
"""Words that an abandoned start may have before it is taken up again."""


def dropped_fillers(words: tuple[Word, ...], speech: Speech) -> set[int]:
    """Filled pauses, asides ("you know"), and openers ("well") at the head or after a pause."""
    gone: set[int] = set()
    i = 0
    while i < len(words):
        aside = speech.asides.at(words, i)
        if aside and not _governs(words, i, aside[1], speech):
            gone |= set(range(i, aside[1]))
            i = aside[1]
            continue
        word = words[i].text
        opens = word in speech.openers and (i == 0 or i - 1 in gone) and len(words) > 1
        if word in speech.fillers or opens:
            gone.add(i)
        i += 1
    return gone if len(gone) < len(words) else set()


def _governs(words: tuple[Word, ...], start: int, end: int, speech: Speech) -> bool:
    """Whether "you know" is the sentence's own verb: after an auxiliary or a wh-word, or before one."""
    before = words[start - 1].text if start else ""
    after = words[end].text if end < len(words) else ""
    asked = (
        before in speech.classes["auxiliaries"] or before in speech.classes["wh"] or before in ("if", "as")
    )
    return asked or after in ("what", "how", "who", "where", "why", "when", "about", "that")


def dropped_restarts(words: tuple[Word, ...], gone: set[int], speech: Speech) -> set[int]:
    """First sayings of what was said twice, and starts that were given up."""
    out: set[int] = set()
    left = [i for i in range(len(words)) if i not in gone]
    i = 0
    while i < len(left):
        size = (
            _repeat(words, left, i, speech)
            or _restart(words, left, i, speech)
            or _impossible(words, left, i, speech)
        )
        if size:
            out |= set(left[i : i + size])
            i += size
        else:
            i += 1
    return out


def _repeat(words: tuple[Word, ...], left: list[int], i: int, speech: Speech) -> int:
    """How many words from `i` on are said again right after."""
    for size in range(min(LONGEST_REPEAT, (len(left) - i) // 2), 0, -1):
        first = [words[k].text for k in left[i : i + size]]
        if first != [words[k].text for k in left[i + size : i + 2 * size]]:
            continue
        if any(_valued(word, speech) for word in first):
            continue  # "four four" may be the number 44, "s s" a spelled name
        if size == 1 and first[0] in speech.doubled:
            continue
        return size
    return 0


def _valued(word: str, speech: Speech) -> bool:
    single = len(word) == 1 and word not in ("i", "a", "y", "o")
    return single or word in speech.number_words or not word.isalpha() and "'" not in word


def _restart(words: tuple[Word, ...], left: list[int], i: int, speech: Speech) -> int:
    """How many words from `i` on were given up: the same start again, after a pause or with two words alike."""
    first = words[left[i]].text
    if _valued(first, speech) or first in speech.doubled:
        return 0
    for size in range(2, min(RESTART, len(left) - i - 1) + 1):
        again = left[i + size]
        if words[again].text != first:
            continue
        paused = again - left[i + size - 1] > 1
        second = i + size + 1 < len(left) and words[left[i + 1]].text == words[left[i + size + 1]].text
        function = first in speech.classes["pronouns"] or speech.kind(first) is not None
        if (paused and function) or (second and size >= 2):
            return size
    return 0


def _impossible(words: tuple[Word, ...], left: list[int], i: int, speech: Speech) -> int:
    """1 where two function words can't stand side by side, so the first was given up."""
    if i + 1 >= len(left):
        return 0
    a, b = words[left[i]].text, words[left[i + 1]].text
    if a == b:
        return 0
    articles, pronouns = speech.classes["articles"], speech.classes["pronouns"]
    if a in articles and (
        b in speech.classes["determiners"] or b in pronouns or b in speech.classes["prepositions"]
    ):
        return (
            0
            if b in ("no", "like", "after", "before", "over", "under", "that", "this", "its", "were", "id")
            else 1
        )
    if a in pronouns and b in pronouns and a[:1] == b[:1] and (a in b or b in a):
        return 1  # "i i'm", "it it's"
    return 0
