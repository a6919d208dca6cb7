"""Cleaning before extraction: the caller's words as they were meant, fillers and repairs out."""

from pipecat_memory.notes.disfluency import Cleaned, Repair, clean
from pipecat_memory.notes.spoken.language import base_of

__all__ = ["Cleaned", "Repair", "clean", "meant"]

_NO_IS_NOT = {"es": "no", "pt": "não", "it": "non"}
"""Where the word that corrects also denies: "la doctora, no el doctor" corrects nothing."""


def meant(text: str, language: str | None = None) -> Cleaned:
    """The utterance as `clean` leaves it, unless it took for a correction what may be a denial.

    A pause behind the word, or another one beside it, tells them apart: "a las cuatro, no, a las cinco".
    """
    cleaned = clean(text, language)
    word = _NO_IS_NOT.get(base_of(language, text))
    if word is None or all(text[r.cue : r.end].strip().casefold() != word for r in cleaned.repairs):
        return cleaned
    return Cleaned(text, tuple(range(len(text.split()))), ())
