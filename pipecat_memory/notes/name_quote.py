"""The caller's own words for a name: without them it is no fact about the caller."""

from __future__ import annotations

import unicodedata

from pipecat_memory.notes.book import Notes
from pipecat_memory.notes.spoken.language import TABLED, language_of
from pipecat_memory.notes.spoken.spelling import find_spelled


def name_quote(notes: Notes, slot: str, name: str, quote: str) -> str | None:
    """The words that hold a name, or the last of several turns that do together; None where none do.

    An earlier call may have told one half of it, if this one told the other; the app's own table is
    nobody's word.

    Args:
        notes: as they stand.
        slot: of the name.
        name: as it is noted.
        quote: the turn in which it got its present form.
    """
    parts = {_bare(part) for part in (name.split() if " " in name or name.isascii() else name)}
    heard = [text for key, kept in notes.attempts.items() if _of(key, slot) for a in kept for text in a.texts]
    earlier = [c.quote for c in notes.changes if c.path.startswith(f"/slots/{slot}") and c.quote]
    for words in (quote, *heard):
        if parts <= _held(parts, words):
            return words
    known = _held(parts, str(notes.profile.get(slot, "")))
    together = known.union(*(_held(parts, words) for words in (quote, *heard, *earlier)))
    return quote if parts <= together and _held(parts, quote) - known else None


def _of(key: str, slot: str) -> bool:
    return key == slot or key.rpartition(" ")[0] == slot


def _held(parts: set[str], words: str) -> set[str]:
    """The parts of a name that words hold: as words, or as letters that spell them."""
    bare = _bare(words)
    found = {part for part in parts if part in bare}
    if found == parts:
        return found
    spelled = {_bare(str(s.value)) for code in TABLED for s in find_spelled(words, language_of(code))}
    return found | {part for part in parts if any(part in letters for letters in spelled)}


def _bare(text: str) -> str:
    """Letters and marks of any script, without case and Latin accents."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(mark for mark in folded if mark.isalnum())
