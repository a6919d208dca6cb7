"""What a caller asks to be kept, by way of a model's tool: held to the caller's own words like any answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..records.fact import Claim
from ..records.turn import Turn
from .answer import RawExtract
from .ground import ground
from .items import facts_in
from .scene import Scene

FIRST = 8000
"""Number of a turn's first asked-for claim: extraction numbers from 0, rules from 9000."""


def asked_key(turn: str) -> str:
    """Under what a turn's asked-for claims stand beside its extracted ones."""
    return f"{turn}+asked"


def asked_for(
    key: str, value: str, quote: str, turns: Sequence[Turn], scene: Scene
) -> tuple[Turn, Claim] | None:
    """The claim and the turn whose words carry it; None where no turn's do.

    Args:
        key: what it is about, in words or lower snake case.
        value: what is to be kept.
        quote: the caller's own words, as the model gives them.
        turns: the committed turns; of two that hold the quote the later counts.
        scene: what grounding may look at.
    """
    facts = tuple(facts_in({"key": key, "value": value, "quote": quote}))
    if not facts or not turns:
        return None
    found = ground(RawExtract(facts=facts[:1]), turns, scene)
    for turn in reversed(turns):
        for claim in found[turn.key].claims:
            return turn, replace(claim, seq=FIRST)
    return None
