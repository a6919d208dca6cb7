"""Whether to look at all, and where: low signals skip, the kind of question picks the kind of memory."""

from __future__ import annotations

from .entry import Kind
from .words import fold, guess_language, ideographic, terms

_EVERYTHING: frozenset[Kind] = frozenset({"fact", "summary", "turn", "reflection"})
_WHEN_OR_TOLD = (
    "when did",
    "last time",
    "last call",
    "did i say",
    "did you say",
    "did we",
    "told you",
    "上次",
    "última vez",
)
_LOW = frozenset(
    (
        "yes no yeah yep nope ok okay right sure thanks thank you please hello hi hey bye goodbye mhm hmm "
        "uh-huh sí si vale gracias hola adiós claro ja nein danke hallo oui non merci bonjour "
        "好 好的 嗯 是 是的 不 不是 谢谢 你好 喂 对 行"
    ).split()
)


def low_signal(text: str, language: str | None = None) -> bool:
    """Whether the words ask for nothing: greetings, thanks, yes and no."""
    folded = fold(text).strip(" .,!?。！？，")
    if not folded or folded in _LOW:
        return True
    words = folded.replace(",", " ").split()
    if all(word.strip(".!?") in _LOW for word in words):
        return True
    return not ideographic(text) and not terms(text, language or guess_language(text))


def kinds_for(text: str) -> frozenset[Kind]:
    """Where to look: what was said in a call is not answered by a bare fact."""
    folded = fold(text)
    if any(cue in folded for cue in _WHEN_OR_TOLD):
        return frozenset({"turn", "summary", "fact"})
    return _EVERYTHING
