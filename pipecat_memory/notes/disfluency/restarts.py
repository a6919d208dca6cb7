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
        if word in speech.fillers or _opens(words, i, gone, speech):
            gone.add(i)
        i += 1
    return gone if len(gone) < len(words) else set()


def _opens(words: tuple[Word, ...], i: int, gone: set[int], speech: Speech) -> bool:
    """Whether "well" or "oh" opens the utterance or a clause in it."""
    if words[i].text not in speech.openers or i + 1 >= len(words):
        return False
    before, after = words[i - 1].text if i else "", words[i + 1].text
    if i == 0 or i - 1 in gone or before in speech.classes["conjunctions"]:
        return True
    clause = any(after in speech.classes[name] for name in ("pronouns", "wh", "conjunctions", "articles"))
    return clause and before not in speech.classes["well_after"] and not _valued(before, speech)


def _governs(words: tuple[Word, ...], start: int, end: int, speech: Speech) -> bool:
    """Whether "you know" is the sentence's own verb, as in "do you know" and "as you know"."""
    before = words[start - 1].text if start else ""
    after = words[end].text if end < len(words) else ""
    return before in ("do", "does", "did", "don't", "dont", "what", "if", "as") or after == "about"


def dropped_restarts(words: tuple[Word, ...], gone: set[int], edited: set[int], speech: Speech) -> set[int]:
    """First sayings of what was said twice, and starts that were given up."""
    out: set[int] = set()
    left = [i for i in range(len(words)) if i not in gone]
    i = _first_question(words, left, speech)
    out |= set(left[:i])
    while i < len(left):
        size = (
            _repeat(words, left, i, speech)
            or _restart(words, left, i, edited, speech)
            or _impossible(words, left, i, edited, speech)
        )
        if size:
            out |= set(left[i : i + size])
            i += size
        else:
            i += 1
    return out


def _first_question(words: tuple[Word, ...], left: list[int], speech: Speech) -> int:
    """How many words at the head are a question that another one took the place of ("what time when is")."""
    if not left or words[left[0]].text not in speech.classes["wh"]:
        return 0
    for size in range(1, min(4, len(left) - 2)):
        word, following = words[left[size]].text, words[left[size + 1]].text
        if word in speech.classes["wh"] and following in speech.classes["auxiliaries"]:
            return size
        if speech.kind(word) is not None or word in speech.classes["pronouns"]:
            return 0
    return 0


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
    return single or word in speech.number_words or (not word.isalpha() and "'" not in word)


def _restart(words: tuple[Word, ...], left: list[int], i: int, edited: set[int], speech: Speech) -> int:
    """How many words from `i` on were given up: the same start again, paused or with two words alike."""
    first = words[left[i]].text
    if _valued(first, speech) or first in speech.doubled:
        return 0
    for size in range(2, min(RESTART, len(left) - i - 1) + 1):
        again = left[i + size]
        if words[again].text != first:
            continue
        paused = again - left[i + size - 1] > 1 and again - 1 not in edited
        alike = _alike(words, left, i, i + size)
        if paused and (first in speech.classes["pronouns"] or speech.kind(first) is not None):
            return size
        opens = any(
            first in speech.classes[name] for name in ("pronouns", "conjunctions", "wh", "auxiliaries")
        )
        if alike >= 3 or (alike == 2 and opens):
            return size
    return 0


def _alike(words: tuple[Word, ...], left: list[int], i: int, j: int) -> int:
    """How many words from `i` and from `j` on are the same."""
    count = 0
    while (
        j + count < len(left) and i + count < j and words[left[i + count]].text == words[left[j + count]].text
    ):
        count += 1
    return count


def _impossible(words: tuple[Word, ...], left: list[int], i: int, edited: set[int], speech: Speech) -> int:
    """1 where two function words can't stand side by side, so the first was given up."""
    if i + 1 >= len(left):
        return 0
    a, b = words[left[i]].text, words[left[i + 1]].text
    if a == b:
        return 0
    paused = left[i + 1] - left[i] > 1 and left[i + 1] - 1 not in edited
    if a in speech.classes["articles"]:
        return int(
            b in speech.classes["pronouns"]
            or b in speech.classes["articles"]
            or (
                b in speech.classes["prepositions"]
                and b not in ("like", "after", "before", "over", "under", "near", "by")
            )
        )
    if (
        b.rstrip("s'") == a
        and a.isalpha()
        and len(a) > 1
        and not speech.number_words & {a, b}
        and _function(a, speech)
    ):
        return 1  # "that that's", "what what's"
    if a in speech.classes["pronouns"] and b in speech.classes["pronouns"]:
        return int(paused or a.startswith(b.rstrip("ms'")) or b.startswith(a))
    return int(paused and a in speech.classes["conjunctions"] and b in speech.classes["conjunctions"])


def _function(word: str, speech: Speech) -> bool:
    return speech.kind(word) in ("determiners", "wh") or word in speech.classes["pronouns"] or word == "there"
