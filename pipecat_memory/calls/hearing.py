"""The caller's turns as the notes take them, each with what the agent had said and asked before it."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..ledger.reducer import Ledger
from ..ledger.script import join
from ..notes.heard import Heard
from ..records.call_state import NextStep
from ..records.turn import HistoryItem, Turn

NOTED = 2_000
"""Weight in UTF-8 bytes of what the notes read of one turn, on the reply path: over two minutes of speech,
two hundredths of a second of work. What lies beyond is history, and the deep path's to find."""


class Hearing:
    """Turns of one call, as the notes hear them.

    Args:
        ledger: of the call.
        began: when the call began, aware.
    """

    def __init__(self, ledger: Ledger, began: datetime) -> None:
        self._ledger = ledger
        self._began = began
        self._before: dict[str, tuple[NextStep | None, HistoryItem | None]] = {}
        """What each turn answers: our step and what was heard of the agent, as they stood when it began."""
        self._asked: dict[str, NextStep] = {}
        self._last: tuple[Turn, int, Heard] | None = None

    def asks(self, reply: str, step: NextStep) -> None:
        """A reply begins, for which this was our next step."""
        self._asked[reply] = step

    def anew(self, turn: Turn) -> Heard:
        """A turn as it stands now; where what it answered is no history any more, it answers what is."""
        _, said = self._before.get(turn.key, (None, None))
        if said is not None and all(item.reply != said.reply for item in self._ledger.history()):
            del self._before[turn.key]
            self._last = None
        return self.of(turn)

    def of(self, turn: Turn, *, remember: bool = True) -> Heard:
        """A turn as it stands now.

        Args:
            turn: of the ledger, or a guess at one.
            remember: False for a guess, which leaves no trace.
        """
        last, voices = self._last, self._ledger.voices
        if last is not None and last[1] == voices and last[0] == turn:
            return last[2]  # the turn has ended: nothing else came
        heard = self._heard(turn, remember=remember)
        if remember:
            self._last = turn, voices, heard
        return heard

    def _heard(self, turn: Turn, *, remember: bool) -> Heard:
        asked, said = self._context(turn, remember=remember)
        own = tuple(s for s in turn.segments if self._ledger.is_caller(s.speaker))
        mixed = 0 < len(own) < len(turn.segments)
        segments = own if mixed else turn.segments
        words = join(s.text for s in own) if mixed else turn.text
        if self._ledger.machine:
            words, segments = "", ()  # a recording tells nothing of the person
        return Heard(
            turn=turn.number,
            key=turn.key,
            text=noted(words),
            nbest=tuple(tuple(map(noted, s.nbest)) for s in segments),
            speaker=turn.speaker,
            is_caller=bool(own) or not turn.segments,
            trust=turn.trust,
            at=self.moment(turn),
            language=turn.language,
            source=segments[-1].source if segments else "speech",
            confidence=min((s.confidence for s in segments if s.confidence is not None), default=None),
            asked=asked,
            agent_said=noted(said),
            incomplete=turn.incomplete,
        )

    def moment(self, turn: Turn) -> datetime:
        """When a turn began."""
        return self._began + timedelta(seconds=max(turn.started, 0.0))

    def _context(self, turn: Turn, *, remember: bool) -> tuple[NextStep | None, str]:
        context = self._before.get(turn.key)
        if context is None:
            last = self._ledger.last_heard
            context = (self._asked.get(last.reply or "") if last else None, last)
            if remember:
                self._before[turn.key] = context
        step, said = context
        return step, said.text if said is not None else ""


def noted(text: str) -> str:
    """A text as far as the notes read it, whole words; its start, which stays while the turn goes on."""
    if len(text) * 4 <= NOTED or len(whole := text.encode("utf-8", "replace")) <= NOTED:
        return text
    kept = whole[:NOTED].decode("utf-8", "ignore")
    return kept.rpartition(" ")[0] or kept
