"""The ledger: events in, what really happened out. The one place where that is decided."""

from __future__ import annotations

from collections.abc import Iterable
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
from .effects import CallOver, Effect, Rejected, ReplyAmended, ReplyCommitted, ReplyOpened, ToolFinished
from .growing import SoFar
from .history import History, MaskHeard, counts
from .outcome import outcome
from .parties import Parties, Who
from .phases import Phase, over, phase_of
from .replies import Reply
from .segments import Entry
from .soundness import fault
from .speech import Place
from .tools import Tool


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
        self._caller = CallerSide(run)
        self._agent = AgentSide()
        self._history = History(self._caller, self._agent, keep_cut=interrupted_reply == "prefix", mask=mask)
        self._parties = Parties()
        self._arrivals = 0
        self._reason: str | None = None
        self._machine = False
        self._partials = 0
        self._turn_end: Place | None = None
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
                self._machine = True
            case Interrupted():
                for reply in self._agent.cut(at):
                    self._touch(reply)
                effects += self._finished(self._agent.running.values())
            case TurnEnded() | ReplyStarted():
                self._agent.side_ended(at)
                if isinstance(event, TurnEnded):
                    self._turn_end = max(at, self._turn_end or at)
                effects += self._finished(self._agent.running.values())
            case CallEnded() if self._reason is None:
                effects += self._end(event, at)
            case _:
                pass
        return tuple(effects)

    def resume(self, run: str) -> None:
        """The events that follow are those of another process, which named its turns by this run."""
        self._caller.keys.begin(run)

    def redact(self, old: Entry, new: Entry) -> list[Effect]:
        """Put a masked entry of the caller in the place of one that was taken already."""
        effects = self._caller.redact(old, new)
        if self._caller.changed is not None:
            self._history.changed(self._caller.changed)
        return effects

    def remask(self) -> None:
        """What must not be kept is more than it was: the history is put together again."""
        self._history.changed((float("-inf"), 0))

    @property
    def turns(self) -> SoFar[Turn]:
        """Committed turns of the caller, by when speech started."""
        return self._caller.turns.so_far()

    @property
    def last_number(self) -> int:
        """Number of the last committed turn, 0 before the first."""
        return len(self._caller.turns)

    def closed_by(self, t: float) -> Turn | None:
        """The turn that the turn end reported at `t` closed, late words included; None while empty."""
        return self._caller.closed_by(t)

    @property
    def open_turn(self) -> Turn | None:
        """What the caller said so far in the turn that has not ended, under the number it would get."""
        return self._caller.open_turn

    def history(self) -> SoFar[HistoryItem]:
        """What was said and heard, in order of speech."""
        return self._history.items()

    @property
    def tools(self) -> tuple[ToolRecord, ...]:
        """All tool calls on the record, by when they were made."""
        last = self.last_heard
        told_at = last.started if last is not None else None
        rows = [self._record(tool, told_at) for tool in self._agent.tools.values()]
        return tuple(sorted((r for r in rows if r is not None), key=lambda r: r.called))

    @property
    def cut(self) -> tuple[str | None, str] | None:
        """The last reply, if it was interrupted and no other followed: its id and what was heard."""
        for _, name in reversed(self._agent.order):
            reply = self._agent.replies[name]
            if not reply.record or self._history.void(reply) or self._off(reply):
                continue
            if reply.was_cut:
                item = self._history.item(reply)
                return name, item.text if item else ""
            if reply.ended or reply.evidence:
                return None
        return None

    @property
    def last_heard(self) -> HistoryItem | None:
        """The last item of the agent's."""
        return self._history.last_heard

    @property
    def phase(self) -> Phase:
        if self._reason is not None:
            return over(self._reason)
        last = self._agent.order[-1] if self._agent.order else None
        running = self.phase_of(last[1]) if last else None
        if running in ("thinking", "speaking"):
            return running
        waiting = self._turn_end is not None and (last is None or last[0] < self._turn_end)
        if waiting and self.open_turn is None and not self.missed and self._caller.turns:
            return "thinking"
        return "listening"

    def phase_of(self, reply: str) -> Phase | None:
        """Where one reply is, None for an id that never started. Nothing unproven is `completed`."""
        found = self._agent.replies.get(reply)
        if found is None or found.place is None:
            return None
        return phase_of(
            found,
            reason=self._reason,
            cut_in=self._agent.cut_after(found.place),
            void=self._history.void(found),
        )

    @property
    def counters(self) -> dict[str, int]:
        """Counts of what came in, by what became of it."""
        own = {"partials": self._partials, **counts(self._agent, self._history, self._caller.turns)}
        return own | self._caller.counts

    @property
    def rejections(self) -> tuple[tuple[str, str], ...]:
        """(reason, id) of every event that was not taken."""
        return tuple(self._rejections)

    @property
    def missed(self) -> bool:
        """The last turn ended with voice but without sure words: "did not catch that" is next."""
        return self._caller.missed

    @property
    def paused(self) -> bool:
        return self._caller.off_record.paused

    @property
    def parties(self) -> tuple[Party, ...]:
        """Who joined and is still on the line."""
        return self._parties.present

    @property
    def caller_speaker(self) -> str | None:
        """The recogniser's label for the caller, where one is known."""
        return self._parties.caller

    def is_caller(self, speaker: str | None) -> bool:
        """Whether words under that label are the caller's: a person's, and nobody else's."""
        return not self._machine and self._parties.is_caller(speaker)

    def who(self, speaker: str | None, started: float) -> Who:
        """Whose words those under a label are, in speech that started then."""
        return "recording" if self._machine else self._parties.who(speaker, started)

    def voice_of(self, turn: int) -> str | None:
        """The caller's label in that turn, where the recogniser gave one."""
        found = next((t for t in self.turns if t.number == turn), None)
        labels = [s.speaker for s in found.segments if self.is_caller(s.speaker)] if found else []
        return labels[0] if labels else None

    @property
    def machine(self) -> bool:
        """The far end was found to be no person."""
        return self._machine

    def outcome(self, reason: str) -> str:
        """How the call ended, without a model."""
        heard = any(r.heard()[0] for r in self._agent.replies.values() if r.place is not None and r.record)
        return outcome(
            reason,
            self._history.items(),
            machine=self._machine,
            reply_heard=heard,
            answering=self.open_turn is not None,
        )

    # One event.

    def _orphan(self, event: Event) -> str | None:
        """The id of a reply or tool that nobody will open any more, where the event has one."""
        if self._reason is None:
            return None
        match event:
            case ReplyText(reply=id) | ReplyHeard(reply=id) | ReplyEnded(reply=id):
                return None if id in self._agent.replies else id
            case ToolReturned(id=id):
                return None if id in self._agent.tools else id
            case _:
                return None

    def _take_agent(self, event: Event, at: Place) -> list[Effect]:
        known = isinstance(event, ReplyStarted) and self.phase_of(event.reply) is not None
        touched = self._agent.take(event, at)
        if isinstance(touched, Tool):
            return self._finished([touched])
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
        if isinstance(event, ReplyText | ToolCalled | ToolReturned):
            return []
        withdrawn = len(self._caller.withdrawn)
        if isinstance(event, ReplyHeard | ReplyEnded):
            effects = self._caller.sounded(event.t)
        else:
            effects = self._caller.take(event, self._arrivals)
        if self._caller.changed is not None:
            self._history.changed(self._caller.changed)
        for start, _ in self._caller.withdrawn[withdrawn:]:
            self._history.changed(start)
        return effects

    def _commit(self, reply: Reply) -> list[Effect]:
        """Say that a reply is history, or that what is known of it changed."""
        if not reply.ended and not (reply.cut and self._reason is not None):
            return []
        item, before = self._history.item(reply), reply.committed
        if item is None or (before is not None and replace(before, turn=item.turn) == item):
            return []
        reply.committed = item
        return [ReplyCommitted(item) if before is None else ReplyAmended(item)]

    def _finished(self, tools: Iterable[Tool]) -> list[Effect]:
        effects: list[Effect] = []
        for tool in list(tools):
            record = self._record(tool, None)
            if record is not None and record.status is not None and record != tool.reported:
                tool.reported = record
                effects.append(ToolFinished(record))
                self._agent.running.pop(tool.id, None)
        return effects

    def _record(self, tool: Tool, told_at: float | None) -> ToolRecord | None:
        if tool.place is None or self._caller.off_record.drops(tool.place):
            return None
        turn = self._caller.before(tool.place)
        return tool.record(turn=turn, given_up=self._agent.given_up(tool), told_at=told_at)

    def _end(self, event: CallEnded, at: Place) -> list[Effect]:
        self._reason = event.reason
        effects: list[Effect] = []
        for reply in self._agent.finish(at):
            self._touch(reply)
            effects += self._commit(reply)
        effects += self._finished(self._agent.running.values())
        for orphan in list(self._agent.unknown()):
            self._agent.discard(orphan)
            effects.append(self.reject("unknown_id", orphan))
        return [*effects, CallOver(event.reason, self.outcome(event.reason))]

    def _touch(self, reply: Reply) -> None:
        if reply.place is not None:
            self._history.changed(reply.place)

    def _off(self, reply: Reply) -> bool:
        return reply.place is None or self._caller.off_record.drops(reply.place)

    def reject(self, reason: str, id: str) -> Rejected:
        """Note that an event was not taken; `id` names its place, never what it held."""
        self._rejections.append((reason, id))
        return Rejected(reason, id)
