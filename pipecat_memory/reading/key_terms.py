"""Names and terms that the recogniser should expect: few, sure, without doubles."""

from __future__ import annotations

from ..notes.book import Notes
from .preload import Visible

MOST = 100
"""Deepgram takes at most 100 key terms a request (its API reference)."""
_LONGEST = 60
_KEYS = ("name", "place", "city", "employer", "company", "product", "pet", "child", "spouse", "doctor")
_TYPES = ("name", "address", "choice", "text")


def key_terms(notes: Notes, seen: Visible) -> tuple[str, ...]:
    """Confirmed names of this call, then names, places and persons the identity may see."""
    terms: list[str] = []
    for name, value in notes.state.slots.items():
        slot = notes.schema.slot(name)
        if slot is not None and slot.type in _TYPES and value.confidence == "confirmed" and not slot.secret:
            terms += [str(v) for v in (value.value if isinstance(value.value, list) else [value.value])]
    if seen.name:
        terms.append(seen.name)
    for fact in sorted(seen.facts, key=lambda f: (-f.importance, f.id)):
        if any(key in fact.key for key in _KEYS) and isinstance(fact.value, str):
            terms.append(fact.value)
        terms += [who for _, who in fact.relations]
    unique = {term.casefold(): term for term in reversed(terms) if 1 < len(term) <= _LONGEST}
    return tuple(list(unique.values())[::-1][:MOST])
