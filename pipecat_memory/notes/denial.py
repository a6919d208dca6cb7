"""What the caller surely denied: an earlier call may have told it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.mention import Mention, same

SURE_SHARE = 0.4
"""Share of the recogniser's alternatives from which a value counts as surely heard."""


@dataclass(frozen=True, slots=True, repr=False)
class Denial:
    """A value that the caller said does not hold; an earlier call may have told it."""

    slot: str
    value: Any
    quote: str
    turn: int
    at: str


def denials(
    before: tuple[Denial, ...], mentions: Iterable[Mention], heard: Heard, trusted: bool
) -> tuple[Denial, ...]:
    """The caller's denials after a turn, given those before it: what is stated again is denied no more.

    Args:
        before: earlier ones.
        mentions: what the turn names.
        heard: the turn.
        trusted: whether its words were heard surely.
    """
    after = list(before)
    for mention in mentions:
        if mention.value is None or not (trusted and mention.heard >= SURE_SHARE):
            continue
        if mention.stance in ("deny", "assert", "correct"):
            after = [d for d in after if d.slot != mention.slot or not same(d.value, mention.value)]
        if mention.stance == "deny":
            quote = heard.text.strip()
            after.append(Denial(mention.slot, mention.value, quote, heard.turn, heard.at.isoformat()))
    return tuple(after)
