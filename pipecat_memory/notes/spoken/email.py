"""E-mail addresses as dictated: "john dot smith at gmail dot com", "arroba", spelled letters."""

from __future__ import annotations

import re

from pipecat_memory.notes.spoken.digits import digits_at
from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.spelling import letter_at
from pipecat_memory.notes.spoken.words import Word, split

_WRITTEN = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MARKS = (("dot", "."), ("underscore", "_"), ("dash", "-"), ("plus", "+"))
_LONGEST = 40
"""Words before the "at" that are looked at: a spelled address is long."""


def find_emails(text: str, language: Language) -> list[Span]:
    """Every e-mail address, written or dictated, in order, in lower case."""
    spans = [
        Span(*match.span(), match.group(), match.group().lower(), "email", 0.98)
        for match in _WRITTEN.finditer(text)
    ]
    words = split(text)
    before: tuple[str, int, float] | None = None
    for i in range(len(words)):
        at = language["at_sign"].at(words, i)
        if at is None or any(span.start <= words[i].start < span.end for span in spans):
            continue
        domain, local = _domain(words, at[1], language), _local(words, i, language)
        if local is None and before is not None:
            local = (before[0], i, before[2])  # "jo at gmail, no, at outlook dot com"
        before = local or before
        if domain and local:
            start, end = words[local[1]].start, words[domain[1] - 1].end
            address = f"{local[0]}@{domain[0]}"
            spans.append(Span(start, end, text[start:end], address, "email", min(local[2], 0.95)))
    return sorted(spans, key=lambda span: span.start)


def find_domains(text: str, language: Language) -> list[Span]:
    """What follows each "at": the part of an address that a correction may tell alone."""
    words = split(text)
    spans: list[Span] = []
    for i in range(len(words)):
        at = language["at_sign"].at(words, i)
        domain = _domain(words, at[1], language) if at else None
        if domain:
            start, end = words[i].start, words[domain[1] - 1].end
            spans.append(Span(start, end, text[start:end], domain[0], "email", 0.9))
    return spans


def _mark(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int] | None:
    if i < len(words) and words[i].text in (".", "_", "-", "+"):
        return words[i].text, i + 1
    for category, mark in _MARKS:
        found = language[category].at(words, i)
        if found:
            return mark, found[1]
    return None


def _piece(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int, bool] | None:
    """One part of an address at word `i`, and whether it is a letter or digits."""
    letter = letter_at(words, i, language)
    if letter and letter[2]:
        return letter[0], letter[1], True
    digits = digits_at(words, i, language)
    if digits:
        return digits[0], digits[1], True
    word = words[i].text
    return (word.replace("'", ""), i + 1, False) if word.isalnum() or "'" in word else None


def _domain(words: tuple[Word, ...], i: int, language: Language) -> tuple[str, int] | None:
    """What follows the "at": parts joined by dots; at least one dot. "g mail" is one part."""
    domain, end, dots = "", i, 0
    while i < len(words) and len(domain) < 64:
        mark = _mark(words, i, language)
        if mark and domain and mark[0] in ".-":
            part = _piece(words, mark[1], language) if mark[1] < len(words) else None
            if part is None:
                break
            domain, i = domain + mark[0] + part[0], part[1]
            dots += mark[0] == "."
            end = i
            continue
        if dots:
            # Spelled endings go on ("c o m"); a new word is the rest of the sentence.
            part = _piece(words, i, language)
            if part and part[2] and len(domain.rpartition(".")[2]) < 3 and part[0].isalpha():
                domain, i = domain + part[0], part[1]
                end = i
                continue
            break
        part = _piece(words, i, language)
        if part is None or i - end > 6 or language["at_sign"].at(words, i):
            break
        domain, i = domain + part[0], part[1]
    return (domain, end) if dots and len(domain.rpartition(".")[2]) >= 2 else None


def _local(words: tuple[Word, ...], at: int, language: Language) -> tuple[str, int, float] | None:
    """What stands before the "at": read forward from the last word that can't be in it."""
    start = at
    while start > 0 and at - start < _LONGEST and words[start - 1].text not in language.email_stops:
        start -= 1
    while start < at and _mark(words, start, language):
        start += 1
    local, i, loose = "", start, 0
    previous_loose = False
    while i < at:
        mark = _mark(words, i, language) if local else None
        if mark and mark[1] <= at:
            local, i = local + mark[0], mark[1]
            previous_loose = False
            continue
        part = _piece(words, i, language)
        if part is None:
            i += 1
            continue
        loose += previous_loose and not part[2]
        previous_loose = not part[2]
        local, i = local + part[0], part[1]
    local = local.strip(".-_+")
    return (local, start, 0.9 if not loose else 0.5) if local else None
