"""What the grounding of a turn may look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from ..events import CallStarted
from ..ledger.parties import Who
from ..records.schema import MemorySchema
from ..records.turn import HistoryItem, Turn
from .moments import Setting
from .quote import Place


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scene:
    """The call around a turn.

    Args:
        started: the call.
        schema: the app's schema; its fact rules close the keys.
        before: history before (and with) the turn.
        caller_voice: the recogniser's label of the caller; None where there are no labels.
        other_voices: labels that are known to be somebody else's.
        labels_sure: the app named the caller's label, or only one voice was heard.
        strength: of the caller's identity, 1 or 2.
        line: line of business.
    """

    started: CallStarted
    schema: MemorySchema
    before: Sequence[HistoryItem] = ()
    caller_voice: str | None = None
    other_voices: frozenset[str] = frozenset()
    labels_sure: bool = True
    strength: int = 1
    line: str = ""

    def who(self, speaker: str | None, started: float = 0.0) -> Who:
        """Whose words those under a label are."""
        if speaker is None:
            return "caller" if self.labels_sure else "unsure"
        other = speaker in self.other_voices or self.caller_voice not in (None, speaker)
        return "other" if other else "caller"

    def setting(self, turn: Turn) -> Setting:
        """When and where a turn was said."""
        at = self.started.at + timedelta(seconds=max(turn.started, 0.0))
        return Setting(at, self.started.timezone, turn.language)

    def voice(self, turn: Turn, place: Place) -> tuple[str | None, bool]:
        """The label of the words, and whether it is somebody else's than the caller's."""
        speaker = place.segment.speaker if place.segment else turn.speaker
        return speaker, self.who(speaker) == "other"
