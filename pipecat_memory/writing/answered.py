"""What stands before a turn and gives it its meaning: the question that it answers, what it takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..records.turn import HistoryItem, Turn
from . import cues
from .canon import folded_list
from .follows import content, truth_follows
from .items import RawFact
from .marks import MARK
from .moments import Setting, foreign
from .quote import Place, sentence_of, tokens
from .statement import clause_around, clause_of

if TYPE_CHECKING:
    from .scene import Scene

MAX_AGREEMENT = 6
"""Words of a turn that only agrees ("yes, that's right, thanks")."""


def earlier(turn: Turn, scene: Scene) -> list[HistoryItem]:
    """What was said before a turn, oldest first."""
    return [item for item in scene.before if item.turn < turn.number and item.started <= turn.started]


def agreed_to(turn: Turn, scene: Scene, own: bool = True) -> str:
    """What the caller agreed to by a bare yes: the question asked just before; "" otherwise.

    A yes to "you are not ..., are you" may mean either, and one to a supposition states nothing.

    Args:
        turn: it may be no more than a yes.
        scene: in which the question stands.
        own: what is agreed to is to be about the caller, so that a question about another person is none.
    """
    if len(turn.text.split()) > MAX_AGREEMENT or len(turn.text) > 60 or not cues.agrees(turn.text):
        return ""
    before = earlier(turn, scene)
    asked = before[-1] if before and before[-1].role == "assistant" else None
    if asked is None or asked.interrupted or not asked.text.rstrip().endswith(("?", "？", "؟")):
        return ""
    begin, stop = sentence_of(asked.text, len(asked.text.rstrip()) - 2, len(asked.text.rstrip()) - 1)
    question = asked.text[begin:stop]
    unclear = cues.NEGATION.search(question) or cues.supposes(question)
    return "" if unclear or (own and cues.other_subject(question)) else question


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


def of_allergy(value: str, turn: Turn, place: Place, scene: Scene) -> bool:
    """Whether the words tell of an allergy: they say so, or are nothing but the answer to a question for one.

    What is liked, hated or lived in is none, whatever key a model files it under.
    """
    clause = cues.unhedged(clause_of(value, place))
    if cues.of_allergy(clause) or cues.not_me(place.words):
        return True
    if cues.of_allergy(turn.text):  # the next thing of a list, unless it begins a statement of its own
        return not cues.begins_anew(clause)
    if MARK.search(turn.text) or not _asked_for_allergies(earlier(turn, scene)):
        return False
    wanted = {token.text for token in content(value)}
    parts = [content(part) for part in _PARTS.split(clause)]
    named = [part for part in parts if wanted & {token.text for token in part}] or parts
    said = [token.text for token in named[0] if token.text not in _BESIDE]
    return len(said) <= max(1, len(wanted))


def _asked_for_allergies(before: Sequence[HistoryItem]) -> bool:
    questions = [item.text for item in before if item.role == "assistant"][-2:]
    if questions and cues.asks_for_more(questions[-1]):
        return any(map(cues.of_allergy, questions))
    return bool(questions) and cues.of_allergy(questions[-1])


_BESIDE = folded_list("beside") | folded_list("phatic")
_PARTS = re.compile(r"(?<!\w)(?:and|or|und|oder|y|e|o|et|ou)(?!\w)|[,;、，；]|和|跟|与|还有", re.IGNORECASE)
"""Between the things of a list."""
