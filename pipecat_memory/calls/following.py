"""What one event of a call sets off: masked, folded, journalled, foreseen, written. All of it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import arguments
from .. import events as ev
from ..errors import UsedWrongly
from ..ledger.effects import Effect, Rejected, ReplyOpened, TurnAmended, TurnCommitted, TurnForgotten
from ..ledger.soundness import ill_typed
from ..tasks import within
from .stay import Stay

if TYPE_CHECKING:
    from ..call import CallMemory

_OF_THE_ROOM = (ev.Party, ev.MemoryPaused, ev.MemoryResumed)
"""What holds for whoever is on the line, however late it is told."""


class Following:
    """Follows the events of one call. Sync, no I/O: it only queues what has to be written."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._held: ev.TurnEnded | None = None

    def hold(self, event: ev.TurnEnded) -> None:
        """See `CallMemory.turn_ended`."""
        self.catch_up()
        self._held = event

    def catch_up(self) -> None:
        """See `CallMemory.catch_up`."""
        held, self._held = self._held, None
        if held is not None:
            self.apply(held)

    def apply(self, event: ev.Event) -> tuple[Effect, ...]:
        """See `CallMemory.apply`."""
        self.catch_up()
        arguments.instance("call.apply(event)", event, ev.Event, example="an event such as UserFinal(...)")
        if isinstance(event, ev.CallStarted):
            raise UsedWrongly("call.apply(event): a call begins with memory.call(...), not with an event")
        call = self._call
        if ill_typed(event):
            refused = call.course.ledger.reject("wrong_value", "")
            call.rejections.append(refused)
            return (refused,)
        stay = call.whose.stay_of(event)
        if stay is None:
            return ()
        effects = self._taken(event) if stay is call.stay else self._late(event, stay)
        for piece in call.whose.waited_for(event):
            effects += self.apply(piece)
        if isinstance(event, ev.CallEnded):
            effects += self._unopened()
        return effects

    def begin_anew(self, run: str, t: float) -> Stay:
        """Somebody else is on the line, from that second of the call on: nothing of who left is told here."""
        call, before = self._call, self._call.stay
        stay = Stay(call, before.course.schema, run, self.follow, since=t)
        stay.course.guard(before.course.guards)
        call.findings.begin_anew(stay.course, stay.journal)
        call.writer.begin_anew()
        call.telling.begin_anew()
        return stay

    async def ready(self, text: str) -> bool:
        """See `CallMemory.recall_ready`."""
        call, settings = self._call, self._call.settings
        ready = await call.reader.prefetch.wait(text, settings.recall_wait)
        if not ready and call.memory.embedder is not None:
            call.count("vector_late")
        if settings.notes_model_wait > 0:
            await within(call.memory.clock, min(settings.notes_model_wait, 0.4), call.writer.idle())
        return ready

    def follow(self, effect: Effect) -> None:
        """What comes of one effect."""
        match effect:
            case TurnCommitted(turn) | TurnAmended(turn):
                self._call.count("turns_committed", int(isinstance(effect, TurnCommitted)))
                if self._call.course.ledger.machine:
                    return  # no person's words
                if self._call.started.remember and turn.trust == "high" and not turn.promoted:
                    writer = self._call.writer
                    writer.turn(turn, self._call.course.history() if writer.asks else ())
            case ReplyOpened(reply, True):
                call = self._call
                call.stay.briefed(reply, call.telling.replied(lambda: call.reader.brief(call.course, None)))
            case TurnForgotten(key):
                self._call.writer.forget(key)
                self._call.findings.forget(key)
            case Rejected():
                self._call.rejections.append(effect)
            case _:
                pass

    def _taken(self, event: ev.Event) -> tuple[Effect, ...]:
        """An event of who is on the line."""
        call = self._call
        event, effects = call.stay.take(event)
        self._foresee(event)
        for effect in effects:
            self.follow(effect)
        match event:
            case ev.CallerIdentified():
                refused = call.identity.told(event)
                call.rejections.extend(refused)
                return (*effects, *refused)
            case ev.Party():
                self._seat(event)
            case ev.Corrected() if not any(isinstance(effect, Rejected) for effect in effects):
                call.memory.keeper.corrected(call, event.by)
            case ev.Documents():
                call.reader.documents(event.docs)
            case _:
                pass
        return effects

    def _late(self, event: ev.Event, stay: Stay) -> tuple[Effect, ...]:
        """An event of who left the line: it is told in their record, and nowhere else."""
        call = self._call
        call.count("of_who_left")
        _, effects = stay.take(event)
        call.memory.keeper.hands.came_late(call, stay)
        rejected = tuple(effect for effect in effects if isinstance(effect, Rejected))
        call.rejections.extend(rejected)
        if isinstance(event, _OF_THE_ROOM):  # who is there now hears it too
            self._taken(event)
        return rejected

    def _unopened(self) -> tuple[Effect, ...]:
        """The call is over: what is a piece of nothing is nobody's."""
        refused = [self._call.course.ledger.reject("unknown_id", id) for id in self._call.whose.given_up()]
        self._call.rejections.extend(refused)
        return tuple(refused)

    def _foresee(self, event: ev.Event) -> None:
        """Words on their way start the embedding of the query; a cut drops it."""
        match event:
            case ev.UserPartial(text=text) if len(text) >= self._call.settings.prefetch_chars:
                self._call.reader.prefetch.want(text)
            case ev.TurnSpeculated(text=text):
                self._call.reader.prefetch.want(text)
            case ev.UserFinal() | ev.UserTyped():
                ledger = self._call.course.ledger
                turn = ledger.open_turn or (ledger.turns or (None,))[-1]
                if turn is not None:
                    self._call.reader.prefetch.want(turn.text)
                if ledger.open_turn is not None and self._call.live:
                    self._call.memory.tasks.spawn(self._prepare(ledger.open_turn.text), "prepare briefing")
            case ev.Interrupted():
                self._call.reader.prefetch.cancel()
            case _:
                pass

    async def _prepare(self, text: str) -> None:
        """Once these words are embedded, make ready what a reply to them needs: the turn still goes on."""
        if await self._call.reader.prefetch.settled(text):
            self._call.reader.prepare(self._call.course, text)

    def _seat(self, event: ev.Party) -> None:
        """Who is on the line decides whose facts they are."""
        if event.role == "caller" and event.speaker is not None:
            self._call.writer.caller_voice = event.speaker
        if event.role != "caller" and event.speaker is not None:
            self._call.writer.other_voices.add(event.speaker)
        if event.role != "caller" and event.speaker is None:
            self._call.writer.labels_sure = event.event == "left"
