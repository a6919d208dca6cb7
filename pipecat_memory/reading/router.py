"""Whether a turn asks for recall at all, and for which kinds of memory first."""

from __future__ import annotations

import re

from .entry import Kind
from .vocabulary import ASKING, STOP
from .words import fold, guess_language, ideographic, terms

_PAST = re.compile(
    r"\b(?:last (?:time|call|week|month)|before|earlier|previous(?:ly)?|ago|remember|again|told|said|spoke"
    r"|talked|discussed|promised|última vez|antes|dernière fois|avant|letztes mal|vorher)\b"
    r"|上次|之前|记得|说过"
)
_LESSON = re.compile(r"\b(?:how should|prefer|usually|always|never|mistake|wrong)\b|喜欢|一般|通常")

_FORMER = re.compile(
    r"\b(?:(?<!how )old|former(?:ly)?|previous(?:ly)?|original(?:ly)?|initially|used? to|at first|before"
    r"|earlier|antes|anterior|antiguo|antigua|ancien|ancienne|avant|précédente?|früher|frühere[nrs]?|alte[nrs]?|vorher"
    r"|vecchio|vecchia|prima|antigo|antiga|vroeger|oude)\b|以前|之前|原来|最初|旧"
)

FAVOURED = 1.15
"""A nudge, not a filter: a wrong guess of the kind must not hide the answer."""


def low_signal(text: str, language: str | None = None) -> bool:
    """Whether a turn holds nothing to look for: "yes", "okay, thanks", "do you remember what I said"."""
    if ideographic(text):
        return sum(c.isalnum() for c in text) < 3
    # Unstemmed: a stem depends on the language, and two words are too few to guess one.
    spoken = language or guess_language(text)
    empty = STOP.get(spoken, frozenset[str]()) | ASKING.get(spoken, frozenset[str]())
    return not set(terms(text, "")) - _SMALL - empty


_SMALL = frozenset(
    "thanks thank please sure right great fine good hello hi hey bye goodbye mhm hmm yep nope alright"
    " perfect hola sí si claro gracias vale oui non merci bonjour ja nein danke hallo bitte genau sì"
    " grazie ciao certo sim não obrigado obrigada olá nee bedankt dag"
    " sorry pardon excuse moment second minute sec wait hold repeat slowly slower louder catch understand"
    " momento favor segundo espere perdón repita perdone instant seconde attendez répéter répétez"
    " moment sekunde entschuldigung warten warte wiederholen scusi ripetere desculpe repetir herhalen".split()
)
"""Words of assent, thanks, greeting and of keeping the line, that are no function words of their language."""


def asks_former(text: str) -> bool:
    """Whether a question is about what was, so that what was replaced since is what it asks for."""
    return _FORMER.search(fold(text)) is not None


def favoured(text: str) -> frozenset[Kind]:
    """The kinds that a question asks for first: episodes of what happened, lessons, or else facts."""
    folded = fold(text)
    if _PAST.search(folded):
        return frozenset(("turn", "summary"))
    return frozenset(("fact", "reflection")) if _LESSON.search(folded) else frozenset(("fact",))
