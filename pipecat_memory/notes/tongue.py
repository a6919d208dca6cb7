"""Which language a turn is in."""

from __future__ import annotations

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.spoken.language import base_of
from pipecat_memory.notes.tokens import tokens

SPANISH = frozenset("áéíóúñ¿¡")
"""Letters and marks that English doesn't write."""

LISTENED = 500
"""Characters of a turn that tell its language: some ninety words."""


def spoken_in(heard: Heard, before: str | None, grammar: Grammar) -> str:
    """The language of a turn: by its script and words, else the one spoken so far.

    Args:
        heard: the turn.
        before: the language spoken last in this call, or None.
        grammar: of the call.
    """
    text = heard.text[:LISTENED]
    told = base_of(heard.language, text, before or base_of(None, heard.agent_said))
    if heard.language is not None or told != "en":
        return told
    if told == before or before == "zh":
        return told
    # Too few words to tell: the language in which more of them mean something.
    words = tokens(text)
    spanish = "es" if any(c in SPANISH for c in text) else None
    other = before or spanish or base_of(None, heard.agent_said)
    return max((told, other), key=lambda code: (len(grammar.book(code).find(words)), code == other))
