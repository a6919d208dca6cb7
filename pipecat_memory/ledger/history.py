"""The one order of things: caller turns and heard replies by when they started."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from ..records.turn import HistoryItem, Turn
from .agent_side import AgentSide
from .caller_side import CallerSide
from .growing import Growing, SoFar
from .replies import Reply
from .speech import Place

MaskHeard = Callable[[str, str], str]


class History:
    """Committed items in order; only what changed is put together again.

    Args:
        keep_cut: whether the heard part of an interrupted reply is history.
        mask: a heard text without what must not be kept, given it and the rest of the reply; pieces
            come word by word, and only together they show a number.
    """

    def __init__(self, caller: CallerSide, agent: AgentSide, *, keep_cut: bool, mask: MaskHeard) -> None:
        self._caller = caller
        self._agent = agent
        self._keep_cut = keep_cut
        self._mask = mask
        self._places: list[Place] = []
        self._items = Growing[HistoryItem]()
        self._stale: Place | None = None

    def changed(self, place: Place) -> None:
        """Something that started there changed."""
        self._stale = place if self._stale is None else min(self._stale, place)

    def items(self) -> SoFar[HistoryItem]:
        """All of it, as it stands now."""
        self._renew()
        return self._items.so_far()

    @property
    def last_heard(self) -> HistoryItem | None:
        """The last item of the agent's."""
        self._renew()
        return next((item for item in reversed(self._items) if item.role == "assistant"), None)

    @property
    def last_cut(self) -> tuple[str, str] | None:
        """The last reply, if it was interrupted and no other followed: its id and what was heard."""
        for place, name in reversed(self._agent.order):
            reply = self._agent.replies[name]
            if not reply.record or self.void(reply) or self._caller.off_record.drops(place):
                continue
            if reply.was_cut:
                item = self.item(reply)
                return name, item.text if item else ""
            if reply.ended or reply.evidence:
                return None
        return None

    def item(self, reply: Reply) -> HistoryItem | None:
        """The history item a reply amounts to now, None where it is none."""
        if reply.place is None or not reply.record or self.void(reply):
            return None
        if reply.was_cut and not self._keep_cut:
            return None
        if self._caller.off_record.drops(reply.place):
            return None
        text, precision = reply.heard()
        if not text:
            return None
        plan = reply.plan
        text = self._mask(text, plan[len(text) :] if plan.startswith(text) else "")
        return HistoryItem(
            role="assistant",
            text=text,
            started=reply.started,
            turn=self._caller.before(reply.place),
            interrupted=reply.was_cut,
            precision=precision,
            reply=reply.id,
        )

    def void(self, reply: Reply) -> bool:
        """Whether it answered a guess that was taken back before any of it was heard."""
        if reply.place is None:
            return False
        if not self._caller.guesses.withdrawn:
            return False
        heard = reply.first_heard
        return any(heard is None or heard > end[0] for end in self._caller.guesses.taken_back(reply.place))

    def _renew(self) -> None:
        place, self._stale = self._stale, None
        if place is None:
            return
        keep = bisect_left(self._places, place)
        del self._places[keep:]
        self._items.cut(keep)
        turns, places = self._caller.turns, self._caller.places
        fresh: list[tuple[Place, HistoryItem]] = [
            (places[i], _said(turns[i])) for i in range(bisect_left(places, place), len(turns))
        ]
        for at, name in self._agent.order[bisect_left(self._agent.order, (place, "")) :]:
            item = self.item(self._agent.replies[name])
            if item is not None:
                fresh.append((at, item))
        if len(fresh) > 1:
            fresh.sort(key=lambda pair: pair[0])
        for at, item in fresh:
            self._places.append(at)
            self._items.append(item)


def _said(turn: Turn) -> HistoryItem:
    return HistoryItem(
        role="user",
        text=turn.text,
        started=turn.started,
        turn=turn.number,
        speaker=turn.speaker,
        promoted=turn.promoted,
        incomplete=turn.incomplete,
        trust=turn.trust,
        voices=turn.segments
        if len(turn.segments) > 1 and len({s.speaker for s in turn.segments}) > 1
        else (),
    )


def counts(agent: AgentSide, history: History, turns: Iterable[Turn]) -> dict[str, int]:
    """How many replies and turns came to what."""
    replies = [r for r in agent.replies.values() if r.place is not None]
    return {
        "replies": sum(r.record for r in replies),
        "replies_interrupted": sum(r.record and r.was_cut for r in replies),
        "replies_withdrawn": sum(history.void(r) for r in replies),
        "turns_promoted": sum(t.promoted for t in turns),
        "turns_low_trust": sum(t.trust == "low" and not t.promoted for t in turns),
    }
