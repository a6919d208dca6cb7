"""Postcodes: letters and digits as spelled, held against the patterns of countries."""

from __future__ import annotations

import re

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.spelling import spelled_run
from pipecat_memory.notes.spoken.words import split

PATTERNS: dict[str, str] = {
    "GB": r"(?P<out>[A-Z]{1,2}[0-9][A-Z0-9]?)(?P<in>[0-9][A-Z]{2})",
    "CA": r"(?P<out>[A-Z][0-9][A-Z])(?P<in>[0-9][A-Z][0-9])",
    "NL": r"(?P<out>[0-9]{4})(?P<in>[A-Z]{2})",
    "US": r"[0-9]{5}(?:[0-9]{4})?",
    "DE": r"[0-9]{5}",
    "ES": r"[0-9]{5}",
    "FR": r"[0-9]{5}",
    "CN": r"[0-9]{6}",
}
"""A country's postcode without its blank; `out` and `in` are written apart (UPU addressing guides)."""


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
    tight = "".join(heard.split()).upper()
    if pattern is not None:
        if re.fullmatch(pattern, heard.upper()):
            return heard.upper()
        loose = re.sub(r"(?:\\s|[ ])[?*+]?", "", pattern)
        if not re.fullmatch(loose, tight):
            return None
        region = next((code for code, own in PATTERNS.items() if re.fullmatch(own, tight)), region)
        return _written(tight, region) if region else tight
    regions = [region, *PATTERNS] if region in PATTERNS else list(PATTERNS)
    for code in regions:
        value = _written(tight, code)
        if value:
            return value
    return None


def _written(tight: str, region: str | None) -> str | None:
    match = re.fullmatch(PATTERNS[region], tight) if region in PATTERNS else None
    if match is None:
        return tight if region not in PATTERNS else None
    parts = match.groupdict()
    return f"{parts['out']} {parts['in']}" if "out" in parts else tight
