"""What the agent said: plan, playback evidence and end of each reply, and the item they prove."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..events import ReplyEnded, ReplyHeard, ReplyText
from ..records.turn import HistoryItem, Precision
from .playback import collapse, follows, share, written
from .script import unspaced
from .speech import Place


@dataclass(frozen=True, slots=True, repr=False)
class Piece:
    """A confirmed piece of playback. `again`: the same words at the same moment came before."""

    text: str
    t: float
    seq: int | None
    chars: bool
    again: bool


@dataclass(slots=True, repr=False)
class Reply:
    """One reply. `place` None: its start has not been seen yet, what came before it waits."""

    id: str
    place: Place | None = None
    record: bool = True
    ended: bool = False
    interrupted: bool = False
    cut: bool = False
    """The caller cut in, or the call ended, while it ran."""
    played: float | None = None
    timed: bool = True
    committed: HistoryItem | None = None
    _plan: list[ReplyText] = field(default_factory=list[ReplyText])
    _pieces: list[Piece] = field(default_factory=list[Piece])
    _heard: tuple[str, Precision] | None = None

    @property
    def started(self) -> float:
        return self.place[0] if self.place is not None else 0.0

    @property
    def evidence(self) -> bool:
        """Playback was confirmed: words came, or a share that is more than nothing."""
        return bool(self._pieces) or bool(self.played)

    @property
    def first_heard(self) -> float | None:
        return min((p.t for p in self._pieces), default=None)

    @property
    def was_cut(self) -> bool:
        return self.interrupted if self.ended else self.cut

    @property
    def plan(self) -> str:
        """All of it, as it was generated."""
        return collapse("".join(e.text for e in self._plan))

    def text(self, event: ReplyText) -> None:
        """Take generated text: it has no id, and a stream's tokens may be alike in words and moment.

        Only what comes again when the reply is over is a second delivery.
        """
        if self.ended and event in self._plan:
            return
        self._plan.append(event)
        self._heard = None

    def hear(self, event: ReplyHeard) -> None:
        """Take a piece of playback; the same piece delivered twice counts once."""
        if event.seq is not None and any(p.seq == event.seq for p in self._pieces):
            return
        again = event.seq is None and any(p.t == event.t and p.text == event.text for p in self._pieces)
        self._pieces.append(Piece(event.text, event.t, event.seq, event.chars, again))
        self._heard = None

    def end(self, event: ReplyEnded) -> None:
        """Take its end; of two that disagree the one that claims less counts."""
        self.ended = True
        self.interrupted = self.interrupted or event.interrupted
        self.timed = self.timed and event.timed
        if event.played is not None:
            self.played = event.played if self.played is None else min(self.played, event.played)
        self._heard = None

    def heard(self) -> tuple[str, Precision]:
        """What of it is history, and how sure that is."""
        if self._heard is None:
            self._heard = self._work_out()
        return self._heard

    def _work_out(self) -> tuple[str, Precision]:
        plan = self.plan
        if not any(p.text.strip() for p in self._pieces):
            if self.played:
                return share(plan, self.played), "estimated"
            return ("", "none") if self.was_cut or not self.ended else (plan, "none")
        whole = self.ended and not self.interrupted
        text = written(plan, self._joined(plan), whole=whole)
        if self.played:
            base = plan or ("" if self.timed else text)
            limit = share(base, self.played) if base else text
            text = min(text, limit, key=len)
        return text, "exact" if self.timed else "estimated"

    def _joined(self, plan: str) -> str:
        pieces = self._pieces
        if any(p.seq is not None for p in pieces):
            # A piece without a number keeps its place behind the one it came after.
            order: list[tuple[int, int]] = []
            last = -1
            for arrival, piece in enumerate(pieces):
                last = piece.seq if piece.seq is not None else last
                order.append((last, arrival))
            pieces = [pieces[arrival] for _, arrival in sorted(order)]
        heard = ""
        for piece in pieces:
            grown = _add(heard, piece)
            # Words of one moment come in batches, so the same word may really be in one twice: only
            # the plan tells that from a second delivery.
            if not piece.again or (plan and follows(plan, grown, chars=piece.chars)):
                heard = grown
        return collapse(heard)


def _add(heard: str, piece: Piece) -> str:
    if piece.chars:
        return heard + piece.text
    text = collapse(piece.text)
    if not heard or not text or heard[-1].isspace():
        return heard + text
    return heard + ("" if unspaced(heard[-1]) and unspaced(text[0]) else " ") + text
