"""What the caller denied: an earlier call may have told it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.mention import Mention, same


@dataclass(frozen=True, slots=True, repr=False)
class Denial:
    """A value that the caller said does not hold."""

    slot: str
    value: Any
    quote: str
    turn: int
    at: str

    def __repr__(self) -> str:
        return f"<Denial {self.slot} turn={self.turn}>"


def denials(before: tuple[Denial, ...], mentions: Iterable[Mention], heard: Heard) -> tuple[Denial, ...]:
    """What stands denied after a turn: what it denies surely joins, what it states leaves.

    Args:
        before: what was denied so far.
        mentions: what the turn names, as far as it was heard surely.
        heard: the turn.
    """
    after = list(before)
    for mention in mentions:
        if mention.value is None:
            continue
        if mention.stance in ("deny", "assert", "correct"):
            after = [d for d in after if d.slot != mention.slot or not same(d.value, mention.value)]
        if mention.stance == "deny":
            quote = heard.text.strip()
            after.append(Denial(mention.slot, mention.value, quote, heard.turn, heard.at.isoformat()))
    return tuple(after)
