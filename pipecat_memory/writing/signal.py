"""Turns that say nothing worth a model's time: greetings, yes, thanks, a cough."""

from __future__ import annotations

from collections.abc import Sequence

from ..records.turn import HistoryItem, Turn
from . import cues
from .canon import folded_list
from .quote import tokens

LONG = 200
"""Characters of a turn that is more than a greeting."""

_PHATIC = folded_list("phatic")


def low_signal(turn: Turn, before: Sequence[HistoryItem]) -> bool:
    """Whether a turn can be left out. A yes to a question of the agent can't: it may settle something."""
    if len(turn.text) > LONG:
        return False
    said = [token.text for token in tokens(turn.text)]
    if any(word not in _PHATIC for word in said):
        return False
    earlier = [item for item in before if item.turn < turn.number]
    asked = bool(earlier) and earlier[-1].role == "assistant" and "?" in earlier[-1].text.replace("？", "?")
    return not (asked and cues.agrees(turn.text))
