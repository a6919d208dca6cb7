"""How many turns one request takes: by the mode, by how far behind it is, and by who else waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..clients.base import LanguageModel
from ..clients.limiter import limiter_of

Mode = Literal["per_turn", "window", "per_call", "off"]

BEHIND = 4
"""Turns that wait, from which on `per_turn` takes them in one request."""

LARGEST = 40
"""Turns of one request, in any mode: the answer has to fit its room."""


@dataclass(slots=True)
class Pace:
    """The pace of one call.

    Args:
        mode: as the app chose it.
        window: turns of a request in `window`.
        ending: the call is over: whatever waits is asked for.
    """

    mode: Mode
    window: int
    ending: bool = False

    def size(self, model: LanguageModel, waiting: int) -> int:
        """How many of the turns that wait the next request takes; 0 where the mode waits for more."""
        mode, window = self._pressed(model), max(1, self.window)
        if mode == "per_turn":
            return 1 if waiting < BEHIND else LARGEST
        if self.ending:
            return LARGEST
        return min(window, LARGEST) if mode == "window" and waiting >= window else 0

    def _pressed(self, model: LanguageModel) -> Mode:
        """The mode under the endpoint's load: fewer, larger requests while others wait too."""
        limiter = limiter_of(model)
        if self.mode == "per_turn" and limiter.waiting >= limiter.size:
            return "per_call" if limiter.waiting >= 4 * limiter.size else "window"
        return self.mode
