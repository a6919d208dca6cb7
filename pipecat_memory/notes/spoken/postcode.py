"""Postcodes: letters and digits as spelled, held against the patterns of countries."""

from __future__ import annotations

import re
from itertools import product

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.spelling import spelled_run
from pipecat_memory.notes.spoken.words import split

PATTERNS: dict[str, str] = {
    "GB": r"(?P<out>[A-Z]{1,2}[0-9][A-Z0-9]?)(?P<in>[0-9][ABD-HJLNP-UW-Z]{2})",
    "CA": r"(?P<out>[A-Z][0-9][A-Z])(?P<in>[0-9][A-Z][0-9])",
    "NL": r"(?P<out>[0-9]{4})(?P<in>[A-Z]{2})",
    "US": r"[0-9]{5}(?:[0-9]{4})?",
    "DE": r"[0-9]{5}",
    "ES": r"[0-9]{5}",
    "FR": r"[0-9]{5}",
    "CN": r"[0-9]{6}",
}
"""A country's postcode without its blank; `out` and `in` are written apart (UPU addressing guides)."""


MOST_ZEROS = 4
"""Places that are tried as letter O and as zero."""


def find_postcodes(
    text: str, language: Language, *, region: str | None = None, pattern: str | None = None
) -> list[Span]:
    """Every postcode, in its written form.

    Args:
        text: the utterance.
        language: its table.
        region: the caller's country; its pattern is tried first.
        pattern: the app's own pattern, which then is the only one. Blanks in it are optional.
    """
    words = split(text)
    spans: list[Span] = []
    i = 0
    while i < len(words):
        run = spelled_run(words, i, language)
        if run is None:
            i += 1
            continue
        heard, end, _ = run
        value = shaped(heard, region=region, pattern=pattern)
        if value:
            start, stop = words[i].start, words[end - 1].end
            mixed = any(mark.isalpha() for mark in heard)
            spans.append(Span(start, stop, text[start:stop], value, "postcode", 0.9 if mixed else 0.6))
        i = end
    return spans


def shaped(heard: str, *, region: str | None = None, pattern: str | None = None) -> str | None:
    """A spelled string in the written form of the first pattern that it fits whole."""
    for tight in _zeros("".join(heard.split()).upper()):
        value = _fitted(tight, region, pattern)
        if value:
            return value
    return None


def _zeros(tight: str) -> list[str]:
    """The string, then with its letters O as zeros and its zeros as letters: "oh" may be either."""
    places = [k for k, mark in enumerate(tight) if mark in "O0"][:MOST_ZEROS]
    found = [tight]
    for marks in product("0O", repeat=len(places)):
        other = list(tight)
        for k, mark in zip(places, marks, strict=True):
            other[k] = mark
        found.append("".join(other))
    return found


def _fitted(tight: str, region: str | None, pattern: str | None) -> str | None:
    if pattern is not None:
        loose = re.sub(r"(?:\\s|[ ])[?*+]?", "", pattern)
        if not (re.fullmatch(pattern, tight) or re.fullmatch(loose, tight)):
            return None
        own = next((code for code, shape in PATTERNS.items() if re.fullmatch(shape, tight)), None)
        return _written(tight, own) if own else tight
    regions = [region, *PATTERNS] if region in PATTERNS else list(PATTERNS)
    return next((value for code in regions if (value := _written(tight, code))), None)


def _written(tight: str, region: str | None) -> str | None:
    match = re.fullmatch(PATTERNS[region], tight) if region in PATTERNS else None
    if match is None:
        return tight if region not in PATTERNS else None
    parts = match.groupdict()
    return f"{parts['out']} {parts['in']}" if "out" in parts else tight
