"""Spoken corrections inside an utterance: "for four, no, five", "Thursday or rather Friday"."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat_memory.notes.disfluency.language import Speech
from pipecat_memory.notes.spoken.words import Word

NEAR = 5
"""Words before a weak cue in which a like word is looked for."""
REACH = 12
"""Words before the correction in which what it replaces is looked for."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction, as word indices.

    Args:
        start: first word of what was replaced.
        cue: first word of the edit phrase; `start == cue` where nothing is replaced.
        repair: first word of the replacement, one past the edit phrase.
    """

    start: int
    cue: int
    repair: int


def find_edits(words: tuple[Word, ...], text: str, speech: Speech) -> list[Edit]:
    """Every correction in the utterance, in order."""
    edits: list[Edit] = []
    i = 1
    while i < len(words):
        cluster = _cluster(words, i, text, speech)
        if cluster is None:
            i += 1
            continue
        end, strong = cluster
        floor = edits[-1].repair if edits else 0
        start = _replaced(words, floor, i, end, text, speech, strong=strong)
        if start is not None:
            edits.append(Edit(start, i, end))
        i = end
    return edits


def _cluster(words: tuple[Word, ...], i: int, text: str, speech: Speech) -> tuple[int, bool] | None:
    """The edit phrase at word `i`, with the fillers and glue around it: its end, whether it is strong."""
    j, strong, weak, meant = i, False, False, False
    while j < len(words):
        found = speech.strong.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, j = True, found[1]
            continue
        found = speech.meant.at(words, j)
        if found:
            # "I mean" alone is an aside; with another cue beside it, it corrects.
            strong, weak, meant, j = strong or weak or _capital(text, words[min(found[1], len(words) - 1)]), True, True, found[1]
            continue
        found = speech.weak.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, weak, j = strong or meant, True, found[1]
            continue
        if words[j].text in speech.fillers:
            j += 1
            continue
        glued = speech.glue.at(words, j)
        # Glue holds edit phrases together; it never is one by itself.
        if (
            glued
            and (j > i or _leads(words, glued[1], speech))
            and _worth(words, j, glued[1], speech, strong or weak)
        ):
            j = glued[1]
            continue
        break
    return (j, strong) if strong or weak else None


def _leads(words: tuple[Word, ...], j: int, speech: Speech) -> bool:
    """Whether an edit phrase or filler follows the glue ("or ... no")."""
    if j >= len(words):
        return False
    return bool(speech.strong.at(words, j) or speech.weak.at(words, j) or words[j].text in speech.fillers)


def _worth(words: tuple[Word, ...], j: int, end: int, speech: Speech, cued: bool) -> bool:
    if _leads(words, end, speech):
        return True
    return cued and words[j].text not in ("or", "that", "well", "no") and end < len(words)


def _innocent(words: tuple[Word, ...], i: int, end: int, speech: Speech) -> bool:
    """Whether the phrase is an ordinary part of the sentence: "no problem", "would rather", "I'm sorry"."""
    before = words[i - 1].text if i else ""
    after = words[end].text if end < len(words) else ""
    if end - i > 1:
        return False
    word = words[i].text
    name = {"nein": "no", "moment": "wait", "espera": "wait"}.get(word, word)
    return before in speech.guards.get(f"no_repair_before_{name}", ()) or after in speech.guards.get(
        f"no_repair_after_{name}", ()
    )


def _replaced(
    words: tuple[Word, ...], floor: int, cue: int, repair: int, text: str, speech: Speech, *, strong: bool
) -> int | None:
    """The first word of what the repair replaces; `cue` for nothing; None where this is no correction."""
    if repair >= len(words):
        # A trailing "sorry" or "rather" corrects nothing that is still to come.
        return cue if strong and speech.tag.at(words, cue) else None
    first = words[repair].text
    window = range(cue - 1, max(floor, cue - REACH) - 1, -1)
    if first in speech.classes["wh"]:
        starts = [k for k in range(floor, cue) if words[k].text in speech.classes["wh"]]
        if starts and (starts[0] - floor <= 2 or strong):
            return (
                starts[0]
                if starts[0] - floor <= 2 and starts[0] > floor and _prefixed(words, starts[0], speech)
                else floor
            )
        return floor if strong else None
    for k in window if strong else window[:NEAR]:  # the same word again
        if words[k].text == first and (speech.kind(first) or len(first) > 2):
            return k
    if len(words) > repair + 1:
        second = words[repair + 1].text
        if speech.kind(first) in ("determiners", "prepositions", None):
            for k in window:  # "the red no my red one"
                if (
                    words[k].text == second
                    and k > floor
                    and speech.kind(words[k - 1].text) == speech.kind(first) != None
                ):  # noqa: E711
                    return k - 1
    kind = speech.kind(first)
    if kind:
        near = window if strong or kind in ("number", "day") else window[:NEAR]
        for k in near:
            if speech.kind(words[k].text) == kind:
                return _number_start(words, k, floor, speech) if kind == "number" else k
    if not strong and not _paused(words, cue, repair, text):
        return cue - 1 if _noun_like(words, cue - 1, speech) and _noun_like(words, repair, speech) else None
    return _last_phrase(words, floor, cue, repair, text, speech)


def _prefixed(words: tuple[Word, ...], k: int, speech: Speech) -> bool:
    return all(speech.kind(words[j].text) == "prepositions" for j in range(max(0, k - 1), k))


def _number_start(words: tuple[Word, ...], k: int, floor: int, speech: Speech) -> int:
    """The first word of a spoken number that ends at `k` ("twenty one")."""
    while k > floor and speech.kind(words[k - 1].text) == "number":
        k -= 1
    return k


def _paused(words: tuple[Word, ...], cue: int, repair: int, text: str) -> bool:
    """Whether the edit phrase is set off by commas or dashes."""
    before = text[words[cue - 1].end : words[cue].start]
    after = text[words[repair - 1].end : words[repair].start]
    return any(mark in before for mark in ",;-–—.") and any(mark in after for mark in ",;-–—. ")


def _noun_like(words: tuple[Word, ...], k: int, speech: Speech) -> bool:
    return speech.kind(words[k].text) is None and words[k].text not in speech.classes["pronouns"]


def _last_phrase(
    words: tuple[Word, ...], floor: int, cue: int, repair: int, text: str, speech: Speech
) -> int:
    """The last word before the cue, or the whole capitalised name it ends."""
    k = cue - 1
    if k < floor:
        return cue
    if _capital(text, words[repair]):
        while k > floor + 1 and _capital(text, words[k - 1]) and _capital(text, words[k]):
            k -= 1
    return k


def _capital(text: str, word: Word) -> bool:
    return text[word.start].isupper()
