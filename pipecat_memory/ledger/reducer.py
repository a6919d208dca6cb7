"""The ledger: events in, what really happened out. The one place where that is decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..events import (
    CallEnded,
    Event,
    Interrupted,
    MachineDetected,
    Party,
    ReplyEnded,
    ReplyHeard,
    ReplyStarted,
    ReplyText,
    ToolCalled,
    ToolReturned,
    TurnEnded,
    UserFinal,
    UserPartial,
)
from ..records.turn import HistoryItem, ToolRecord, Turn
from .agent_side import AgentSide
from .caller_side import CallerSide
from .effects import CallOver, Effect, Rejected, ReplyAmended, ReplyCommitted, ReplyOpened
from .growing import SoFar
from .guesses import LeftOpen
from .history import History, MaskHeard, counts
from .outcome import outcome
from .parties import Parties, Who
from .phases import Phase, Phases
from .replies import Reply
from .segments import Entry
from .soundness import fault
from .speech import Place
from .tool_records import ToolRecords
from .tools import Tool

_AGENTS_ALONE = (ReplyText, ToolCalled, ToolReturned)
"""What says nothing of the caller's side."""


class Ledger:
    """Folds the events of one call. Pure: no I/O, no clock, and `apply` never raises.

    Args:
        interrupted_reply: `prefix` keeps the heard part of a cut reply, `drop` none of it.
        mask: takes what must not be kept out of a heard text, given it and the rest of its reply.
        run: stands before the keys of turns.
    """

    def __init__(
        self,
        *,
        run: str = "",
        interrupted_reply: Literal["prefix", "drop"] = "prefix",
        mask: MaskHeard = lambda text, _rest: text,
    ) -> None:
        self.caller = CallerSide(run)
        self.agent = AgentSide()
        self._history = History(self.caller, self.agent, keep_cut=interrupted_reply == "prefix", mask=mask)
        self._tools = ToolRecords(self.caller, self.agent)
        self._phases = Phases(self.caller, self.agent, self._history)
        self._parties = Parties()
        self._arrivals = 0
        self._partials = 0
        self._rejections: list[tuple[str, str]] = []

    def apply(self, event: Event) -> tuple[Effect, ...]:
        """Take one event, late, doubled or out of order as it may be.

        Returns:
            What it changed. An event that can't be taken gives one `Rejected` and changes nothing.
        """
        if (reason := fault(event)) is not None:
            return (self.reject(reason, ""),)
        self._arrivals += 1
        at = (event.t, self._arrivals)
        if (orphan := self._orphan(event)) is not None:
            return (self.reject("unknown_id", orphan),)
        effects = self._take_caller(event) + self._take_agent(event, at)
        match event:
            case Party():
                self._parties.take(event)
            case UserFinal(speaker=str(label)):
                self._parties.label(label, event.t if event.started is None else event.started)
            case UserPartial():
                self._partials += 1
            case MachineDetected():
                self._parties.hear_machine()
            case Interrupted():
                for reply in self.agent.cut(at):
                    self._touch(reply)
                effects += self._tools.finished(self.agent.running.values())
            case TurnEnded() | ReplyStarted():
                self.agent.side_ended(at)
                if isinstance(event, TurnEnded):
                    self._phases.turn_ended(at)
                effects += self._tools.finished(self.agent.running.values())
            case CallEnded() if self._phases.reason is None:
                effects += self._end(event, at)
            case _:
                pass
        return tuple(effects)

    def resume(self, run: str) -> None:
        """The events that follow are those of another process, which named its turns by this run."""
        self.caller.keys.begin(run)
        self.caller.voices.begin(self._arrivals + 1)

    def leave_open(self, t: float) -> None:
        """Whoever held the call until then holds it no more; a guess of theirs stays one."""
        self._arrivals += 1
        self._take_caller(LeftOpen(t=t))

    def redact(self, old: Entry, new: Entry) -> list[Effect]:
        """Put a masked entry of the caller in the place of one that was taken already."""
        effects = self.caller.redact(old, new)
        if self.caller.changed is not None:
            self._history.changed(self.caller.changed)
        return effects

    def remask(self) -> None:
        """What must not be kept is more than it was: the history is put together again."""
        self._history.changed((float("-inf"), 0))

    @property
    def turns(self) -> SoFar[Turn]:
        """Committed turns of the caller, by when speech started."""
        return self.caller.turns.so_far()

    @property
    def last_number(self) -> int:
        """Number of the last committed turn, 0 before the first."""
        return len(self.caller.turns)

    def closed_by(self, t: float) -> Turn | None:
        """The turn that the turn end reported at `t` closed, late words included; None while empty."""
        return self.caller.closed_by(t)

    @property
    def open_turn(self) -> Turn | None:
        """What the caller said so far in the turn that has not ended, under the number it would get."""
        return self.caller.open_turn

    def history(self) -> SoFar[HistoryItem]:
        """What was said and heard, in order of speech."""
        return self._history.items()

    @property
    def tools(self) -> tuple[ToolRecord, ...]:
        """All tool calls on the record, by when they were made."""
        return self._tools.all(lambda: self.last_heard)

    @property
    def cut(self) -> tuple[str | None, str] | None:
        """The last reply, if it was interrupted and no other followed: its id and what was heard."""
        return self._history.last_cut

    @property
    def last_heard(self) -> HistoryItem | None:
        """The last item of the agent's."""
        return self._history.last_heard

    @property
    def phase(self) -> Phase:
        """Where the call is."""
        return self._phases.call

    def phase_of(self, reply: str) -> Phase | None:
        """Where one reply is, None for an id that never started. Nothing unproven is `completed`."""
        return self._phases.of(reply)

    @property
    def counters(self) -> dict[str, int]:
        """Counts of what came in, by what became of it."""
        own = {"partials": self._partials, **counts(self.agent, self._history, self.caller.turns)}
        return own | self.caller.counts

    @property
    def rejections(self) -> tuple[tuple[str, str], ...]:
        """(reason, id) of every event that was not taken."""
        return tuple(self._rejections)

    @property
    def missed(self) -> bool:
        """The last turn ended with voice but without sure words: "did not catch that" is next."""
        return self.caller.missed

    @property
    def paused(self) -> bool:
        return self.caller.off_record.paused

    @property
    def parties(self) -> tuple[Party, ...]:
        """Who joined and is still on the line."""
        return self._parties.present

    def is_caller(self, speaker: str | None) -> bool:
        """Whether words under that label are the caller's: a person's, and nobody else's."""
        return self._parties.is_caller(speaker)

    @property
    def voices(self) -> int:
        """Grows whenever it may have become another answer whose words some are."""
        return self._parties.version

    def who(self, speaker: str | None, started: float) -> Who:
        """Whose words those under a label are, in speech that started then."""
        return self._parties.who(speaker, started)

    @property
    def machine(self) -> bool:
        """The far end was found to be no person."""
        return self._parties.machine

    def outcome(self, reason: str) -> str:
        """How the call ended, without a model."""
        heard = any(r.heard()[0] for r in self.agent.replies.values() if r.place is not None and r.record)
        return outcome(
            reason,
            self._history.items(),
            machine=self._parties.machine,
            reply_heard=heard,
            answering=self.open_turn is not None,
        )

    # One event.

    def _orphan(self, event: Event) -> str | None:
        """The id of a reply or tool that nobody will open any more, where the event has one."""
        if self._phases.reason is None or self.agent.holds(event):
            return None
        match event:
            case ReplyText(reply=id) | ReplyHeard(reply=id) | ReplyEnded(reply=id) | ToolReturned(id=id):
                return id
            case _:
                return None

    def _take_agent(self, event: Event, at: Place) -> list[Effect]:
        known = isinstance(event, ReplyStarted) and self.phase_of(event.reply) is not None
        touched = self.agent.take(event, at)
        if isinstance(touched, Tool):
            return [*self._tools.finished([touched])]
        if touched is None:
            return []
        self._touch(touched)
        if self._history.void(touched):
            # Kept aside all the same: playback that is reported late may prove that it was out.
            return [self.reject("withdrawn_reply", touched.id)]
        effects: list[Effect] = []
        if isinstance(event, ReplyStarted) and not known:
            effects.append(ReplyOpened(touched.id, touched.record))
        return effects + self._commit(touched)

    def _take_caller(self, event: Event) -> list[Effect]:
        if isinstance(event, _AGENTS_ALONE):
            return []
        withdrawn = len(self.caller.guesses.withdrawn)
        if isinstance(event, (ReplyHeard, ReplyEnded)):
            effects = self.caller.sounded(event.t)
        else:
            effects = self.caller.take(event, self._arrivals)
        if self.caller.changed is not None:
            self._history.changed(self.caller.changed)
        for start, _, _ in self.caller.guesses.withdrawn[withdrawn:]:
            self._history.changed(start)
        return effects

    def _commit(self, reply: Reply) -> list[Effect]:
        """Say that a reply is history, or that what is known of it changed."""
        if not reply.ended and not (reply.cut and self._phases.reason is not None):
            return []
        item, before = self._history.item(reply), reply.committed
        if item is None or (before is not None and replace(before, turn=item.turn) == item):
            return []
        reply.committed = item
        return [ReplyCommitted(item) if before is None else ReplyAmended(item)]

    def _end(self, event: CallEnded, at: Place) -> list[Effect]:
        self._phases.reason = event.reason
        effects: list[Effect] = []
        for reply in self.agent.finish(at):
            self._touch(reply)
            effects += self._commit(reply)
        effects += self._tools.finished(self.agent.running.values())
        for orphan in list(self.agent.unknown()):
            self.agent.discard(orphan)
            effects.append(self.reject("unknown_id", orphan))
        return [*effects, CallOver(event.reason, self.outcome(event.reason))]

    def _touch(self, reply: Reply) -> None:
        if reply.place is not None:
            self._history.changed(reply.place)

    def reject(self, reason: str, id: str) -> Rejected:
        """Note that an event was not taken; `id` names its place, never what it held."""
        self._rejections.append((reason, id))
        return Rejected(reason, id)
