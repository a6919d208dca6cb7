"""What became of the turns: their keys, which survive amendment, and what to say about a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..records.turn import Turn
from .effects import Effect, Promoted, TurnAmended, TurnCommitted, TurnForgotten, TurnsRenumbered


class Keys:
    """Gives every turn a key and finds it again by any of the turn's segments.

    Args:
        run: stands before every key, so that processes which hold one call in turn give different ones.
    """

    def __init__(self, run: str) -> None:
        self._known: dict[object, str] = {}
        self._run = run
        self._given = 0

    def begin(self, run: str) -> None:
        """From here on give the keys that another process gave in its run."""
        self._run, self._given = run, 0

    def of(self, idents: Sequence[object], taken: set[str]) -> str:
        """The key of the turn that holds these segments; `taken` are the keys of others, and grows."""
        known = (self._known[i] for i in idents if i in self._known)
        key = next((k for k in known if k not in taken), None)
        if key is None:
            self._given += 1
            key = f"{self._run}t{self._given}"
        taken.add(key)
        for ident in idents:
            self._known[ident] = key
        return key

    def alias(self, old: object, new: object) -> None:
        """Know a segment by another name as well."""
        if old in self._known:
            self._known[new] = self._known[old]


def changes(old: Mapping[str, Turn], new: Sequence[Turn], partials: Mapping[str, float]) -> list[Effect]:
    """The effects that lead from one state of the committed turns to the next.

    Args:
        old: turns as they were, by key.
        new: turns as they are.
        partials: when the partials of promoted turns came, by key.
    """
    keys = {turn.key for turn in new}
    effects: list[Effect] = [TurnForgotten(key) for key in old if key not in keys]
    renumbered = False
    for turn in new:
        before = old.get(turn.key)
        if before is None:
            if turn.promoted:
                effects.append(Promoted(turn, turn.text, partials[turn.key]))
            effects.append(TurnCommitted(turn))
            continue
        if replace(before, number=turn.number) != turn:
            effects.append(TurnAmended(turn))
        renumbered = renumbered or before.number != turn.number
    return [*effects, TurnsRenumbered()] if renumbered else effects
