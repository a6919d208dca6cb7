"""Spoken corrections inside an utterance: "for four, no, five", "Thursday or rather Friday"."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat_memory.notes.disfluency.language import Speech
from pipecat_memory.notes.disfluency.reparandum import Correction, asks, began_asking
from pipecat_memory.notes.spoken.words import Word


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
        cluster = _cluster(words, i, speech)
        if cluster is None:
            i += 1
            continue
        end, strong = cluster
        floor = edits[-1].repair if edits else 0
        start = Correction(words, text, floor, i, end, strong, speech).start()
        while start is not None and start > floor and words[start - 1].end == words[start].start:
            start -= 1  # "al-Qaeda" is one token
        if start is not None:
            edits.append(Edit(start, i, end))
        i = end
    return edits


def _cluster(words: tuple[Word, ...], i: int, speech: Speech) -> tuple[int, bool] | None:
    """The edit phrase at word `i`, with the fillers and glue around it: its end, whether it is strong."""
    j, strong, weak, meant = i, False, False, False
    while j < len(words):
        found = speech.strong.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, j = True, found[1]
            continue
        found = speech.meant.at(words, j)
        if found:
            strong, weak, meant = strong or _corrects(words, i, found[1], speech), True, True
            j = found[1]
            continue
        found = speech.weak.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, weak, j = strong or meant, True, found[1]
            continue
        if words[j].text in speech.fillers or _before_question(words, j, speech):
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
    if strong or weak:
        return j, strong
    return (j, False) if j > i and asks(words, j, speech) and began_asking(words, i, speech) else None


def _corrects(words: tuple[Word, ...], start: int, end: int, speech: Speech) -> bool:
    """Whether "I mean" corrects: a word that could stand for the last follows, not a clause."""
    after = words[end].text if end < len(words) else ""
    return not any(
        word in speech.classes[name]
        for word in (words[start - 1].text, after)
        for name in ("pronouns", "conjunctions")
    )


def _before_question(words: tuple[Word, ...], j: int, speech: Speech) -> bool:
    """Whether a word like "instead" or "oh" stands before a question word."""
    if words[j].text not in speech.classes["before_question"]:
        return False
    again = j + 1 < len(words) and words[j + 1].text in speech.classes["before_question"]
    return asks(words, j + 1 + again, speech)


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
    word = words[i].text
    if asks(words, end, speech) and began_asking(words, i, speech):
        return False
    if end - i > 1:  # "didn't make that choice"
        plain = word in ("no", "or", "oh", "nein", "oder", "o")
        return not plain and (
            before in speech.classes["negations"] or before in speech.classes["auxiliaries"]
        )
    name = {"nein": "no", "moment": "wait", "espera": "wait"}.get(word, word)
    return before in speech.guards.get(f"no_repair_before_{name}", ()) or after in speech.guards.get(
        f"no_repair_after_{name}", ()
    )
