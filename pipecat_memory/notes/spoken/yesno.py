"""Yes and no."""

from __future__ import annotations

from pipecat_memory.notes.spoken.language import Language
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.spoken.words import split


def find_yes_no(text: str, language: Language) -> list[Span]:
    """Agreement and refusal at the head of the utterance, and weaker ones inside it."""
    words = split(text)
    spans: list[Span] = []
    i = 0
    while i < len(words):
        no, yes = language["no"].at(words, i), language["yes"].at(words, i)
        found = max((hit for hit in (no, yes) if hit), key=lambda hit: hit[1], default=None)
        if found is None:
            i += 1
            continue
        start, stop = words[i].start, words[found[1] - 1].end
        certainty = 0.95 if i == 0 else 0.5
        spans.append(Span(start, stop, text[start:stop], found is not no, "boolean", certainty))
        i = found[1]
    return spans
