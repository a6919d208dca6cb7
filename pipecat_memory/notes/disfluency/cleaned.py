"""What was meant: the utterance without what its speaker took back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipecat_memory.notes.disfluency import chinese
from pipecat_memory.notes.disfluency.edits import Edit, find_edits
from pipecat_memory.notes.disfluency.language import speech_of
from pipecat_memory.notes.disfluency.restarts import dropped_fillers, dropped_restarts
from pipecat_memory.notes.spoken.language import base_of
from pipecat_memory.notes.spoken.words import Word, split

LONGEST = 4000
"""Characters that are looked at; what follows is kept as it is."""


@dataclass(frozen=True, slots=True, repr=False)
class Repair:
    """A correction inside the utterance, by characters.

    Args:
        start: where what was taken back begins.
        stop: where it ends, mostly at the edit phrase.
        cue: where the edit phrase begins.
        end: where the replacement begins.
    """

    start: int
    stop: int
    cue: int
    end: int

    def __repr__(self) -> str:
        return f"<Repair {self.start}:{self.stop} {self.cue}:{self.end}>"


@dataclass(frozen=True, slots=True, repr=False)
class Cleaned:
    """An utterance as it was meant.

    Args:
        text: the words that stand.
        keep: which of the raw tokens (split at blanks; in Chinese, characters and words) stand.
        repairs: the corrections that were made.
    """

    text: str
    keep: tuple[int, ...]
    repairs: tuple[Repair, ...]

    def __repr__(self) -> str:
        return f"<Cleaned tokens={len(self.keep)} repairs={len(self.repairs)}>"


def repairs(text: str, language: str | None = None) -> tuple[Repair, ...]:
    """The corrections inside an utterance, in order. Never raises."""
    if base_of(language, text) == "zh":
        return tuple(Repair(*edit) for edit in chinese.find_edits(text[:LONGEST]))
    words = split(text[:LONGEST])
    return tuple(_by_characters(edit, words) for edit in find_edits(words, text, speech_of(language, text)))


def clean(text: str, language: str | None = None) -> Cleaned:
    """The utterance without fillers, repeated words, given-up starts and what was corrected.

    Pure; never raises. No content word is lost except one that the speaker replaced or said twice.
    """
    if base_of(language, text) == "zh":
        return _chinese(text)
    tokens = list(re.finditer(r"\S+", text))
    speech = speech_of(language, text)
    words = split(text[:LONGEST])
    edits = find_edits(words, text, speech)
    edited = {k for edit in edits for k in range(edit.start, edit.repair)}
    gone = edited | dropped_fillers(words, speech)
    gone |= dropped_restarts(words, gone, edited, speech)
    keep = _kept(tokens, words, gone)
    if not keep:
        return Cleaned(text.strip(), tuple(range(len(tokens))), ())
    found = tuple(_by_characters(edit, words) for edit in edits)
    return Cleaned(_written([tokens[i].group() for i in keep], text, bool(gone)), keep, found)


def _kept(tokens: list[re.Match[str]], words: tuple[Word, ...], gone: set[int]) -> tuple[int, ...]:
    """The raw tokens that are left: those with a word that is left, or with no word at all."""
    keep: list[int] = []
    k = 0
    for i, token in enumerate(tokens):
        inside: list[int] = []
        while k < len(words) and words[k].start < token.end():
            inside.append(k)
            k += 1
        if not inside or any(word not in gone for word in inside):
            keep.append(i)
    return tuple(keep)


def _by_characters(edit: Edit, words: tuple[Word, ...]) -> Repair:
    end = words[edit.repair].start if edit.repair < len(words) else words[-1].end
    cue = words[edit.cue].start
    return Repair(words[edit.start].start, cue, cue, end)


def _written(kept: list[str], raw: str, changed: bool) -> str:
    """The kept tokens as a sentence: no comma left hanging, the first letter as it was."""
    text = " ".join(kept)
    if not changed:
        return text
    text = text.strip(" ,;–—")
    end = raw.rstrip()[-1:]
    if end in "?!." and text and text[-1] not in "?!.":
        text = text.rstrip(",;") + end
    if raw.lstrip()[:1].isupper() and text[:1].islower():
        text = text[0].upper() + text[1:]
    return text


def _chinese(text: str) -> Cleaned:
    tokens = chinese.tokens(text)
    edits = chinese.find_edits(text[:LONGEST])
    gone = [span for start, stop, cue, end in edits for span in ((start, stop), (cue, end))]
    gone += chinese.find_fillers(text[:LONGEST])
    keep = tuple(
        i for i, (start, _) in enumerate(tokens) if not any(begin <= start < end for begin, end in gone)
    )
    if not keep:
        return Cleaned(text.strip(), tuple(range(len(tokens))), ())
    kept = "".join(mark for k, mark in enumerate(text) if not any(begin <= k < end for begin, end in gone))
    return Cleaned(kept.strip(" ，,"), keep, tuple(Repair(*edit) for edit in edits))
