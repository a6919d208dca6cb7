"""What stands before a turn and gives it its meaning: the question that it answers, what it takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.turn import HistoryItem, Turn
from . import cues
from .follows import content, truth_follows
from .items import RawFact
from .moments import Setting, foreign
from .quote import Place, sentence_of, tokens
from .statement import clause_around

if TYPE_CHECKING:
    from .ground import Scene

MAX_AGREEMENT = 6
"""Words of a turn that only agrees ("yes, that's right, thanks")."""


def earlier(turn: Turn, scene: Scene) -> list[HistoryItem]:
    """What was said before a turn, oldest first."""
    return [item for item in scene.before if item.turn < turn.number and item.started <= turn.started]


def agreed_to(turn: Turn, scene: Scene) -> str:
    """What the caller agreed to by a bare yes: the question asked just before; "" otherwise."""
    if len(turn.text.split()) > MAX_AGREEMENT or len(turn.text) > 60 or not cues.agrees(turn.text):
        return ""
    before = earlier(turn, scene)
    asked = before[-1] if before and before[-1].role == "assistant" else None
    if asked is None or asked.interrupted or not asked.text.rstrip().endswith(("?", "？", "؟")):
        return ""
    begin, stop = sentence_of(asked.text, len(asked.text.rstrip()) - 2, len(asked.text.rstrip()) - 1)
    return asked.text[begin:stop]


def taken_back(fact: RawFact, turn: Turn, place: Place, scene: Scene, setting: Setting) -> bool:
    """Whether what is taken back is named at all: in the turn, or in what the agent said just before it."""
    if cues.not_me(place.words):
        return True
    before = earlier(turn, scene)
    answered = before[-1].text if before and before[-1].role == "assistant" else ""
    named = {token.text for token in tokens(f"{turn.text} {answered}")}
    if any(token.text in named for token in content(str(fact.value or ""))):
        return True
    if fact.value is not None and cues.of_self(clause_around(place)):
        return True  # in other words: "we got divorced"
    told = fact.text if foreign(turn.text, setting.language) else ""
    return truth_follows(fact.key, told, turn.text, setting)
