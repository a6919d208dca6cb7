"""One call. The only object that front doors talk to; everything else stands behind it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from . import arguments
from . import events as ev
from .clients.base import Usage
from .clients.prices import bill
from .config import Settings
from .course import Course
from .errors import NotConfirmed, UsedWrongly
from .following import Following
from .guard import Guard
from .ledger.effects import Effect
from .ledger.forgetting import only_asks_to_forget
from .notes.guard import unconfirmed
from .notes.secret import mark, secret_slots
from .reading.briefing import Briefing
from .reading.index import Index
from .reading.key_terms import key_terms
from .reading.preload import Known
from .reading.reader import Older, Reader
from .records.call_state import NextStep
from .records.caller import Caller, How, Strength
from .records.schema import MemorySchema
from .records.summary import OpenItem, Summary
from .stores.contents import CallMeta
from .stores.secrets import Secrets
from .tasks import within
from .writing.closing import Closing
from .writing.findings import Findings
from .writing.journal import Journal
from .writing.parting import Parting
from .writing.process import this_process
from .writing.writer import Writer

if TYPE_CHECKING:
    from .memory import Memory

logger = logging.getLogger(__name__)

Listener = Callable[[str, dict[str, Any]], None]


class CallMemory:
    """What one call knows and what it leaves behind. Made by `Memory.call`.

    Every method that is not `async` does no I/O and waits for nothing, so it may stand on the
    reply path.
    """

    def __init__(
        self,
        memory: Memory,
        started: ev.CallStarted,
        caller: Caller,
        *,
        schema: MemorySchema | None = None,
        run: str | None = None,
        live: bool = True,
    ) -> None:
        self.id = started.call
        self.live = live
        self.caller = caller
        self.memory = memory
        self.settings: Settings = memory.settings
        self.tenant = started.tenant or memory.tenant
        run = f"{secrets.token_hex(4)}-" if run is None else run
        self.course = Course(
            started,
            schema=schema,
            interrupted_reply=self.settings.interrupted_reply,
            candidates=memory.candidates,
            mask=lambda text, rest: self.secrets.mask(text, after=rest)[0],
            run=run if live else "",
        )
        secret = {slot.name: mark(slot) for slot in secret_slots(self.course.schema)}
        self.secrets = Secrets(memory.masker, secret)
        self.journal = Journal(self.id, run, memory.tasks, memory.clock, self.secrets)
        self.reader = Reader(self.settings, memory.embedder, started.at)
        self.findings = Findings(
            self.course, self.journal, lambda turn, facts: self._tell("stored", turn=turn, facts=facts)
        )
        self.writer = Writer(
            self.id,
            memory.model,
            memory.clock,
            self.settings,
            memory.extraction,
            self.findings.take,
            started=started,
            schema=self.course.schema,
            strength=lambda: int(self.caller.strength),
            usage=Usage(above=memory.usage_of(self.tenant)),
            aside=memory.aside,
        )
        self.briefings: list[str] = []
        self.sources: dict[str, tuple[str, ...]] = {}
        self.summary: Summary | None = None
        self.counters: dict[str, int] = {"turns_committed": 0}
        self.runs = {run: started.at.isoformat()} if live else {}
        """When each process that is told of here began to hold the call."""
        self.begun_elsewhere = False
        """Another process (or an earlier `CallMemory`) held this call before; its journal holds that part."""
        self.parted = 0
        """How often one verified person gave the line to another, and with it what had been said."""
        self.indexing: asyncio.Task[tuple[Known, Index, Older]] | None = None
        """Reads on behind the preload and builds the index; recall finds nothing before it is done."""
        self.front_door: object | None = None
        """What tells this call what happens, where that has begun; two would tell it everything twice."""
        self.opening: asyncio.Task[None] | None = None
        """Opens the call's file; until then the journal waits in memory."""
        self._following = Following(self)
        self._given: Briefing | None = None
        self._listeners: list[Listener] = []
        self._listened = Guard(self.id, strict=self.settings.strict, warn=logger.warning)
        self._preload: asyncio.Task[None] | None = None
        self._identifying: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[Summary | None] | None = None
        if live:
            memory.keeper.begin(self)

    # On the reply path: sync, no I/O.

    @property
    def elapsed(self) -> float:
        """Seconds since the call began; front doors stamp their events with it."""
        return max(0.0, (self.memory.clock.now() - self.course.started.at).total_seconds())

    @property
    def meta(self) -> CallMeta:
        """The head of this call's records."""
        started = self.course.started
        return CallMeta(
            call=self.id,
            at=started.at.isoformat(),
            timezone=started.timezone,
            direction=started.direction,
            how=self.caller.how,
            line=self.settings.line_of_business,
            schema=self.course.schema.report(),
            runs=self.runs,
            process=this_process() if self.live else "",
        )

    @property
    def state(self) -> Mapping[str, Any]:
        """The working notes, in the report's `state` form."""
        return self.course.state_report()

    def apply(self, event: ev.Event) -> tuple[Effect, ...]:
        """Take one event of the call.

        Args:
            event: what happened; anything of `pipecat_memory.events` but `CallStarted`.

        Returns:
            What it changed, as the ledger's effects.

        Raises:
            UsedWrongly: it is no event of a call that has begun.
        """
        arguments.instance("call.apply(event)", event, ev.Event, example="an event such as UserFinal(...)")
        if isinstance(event, ev.CallStarted):
            raise UsedWrongly("call.apply(event): a call begins with memory.call(...), not with an event")
        return self._following.apply(event)

    def briefing(self, text: str | None = None, nbest: Sequence[str] = ()) -> Briefing:
        """What to tell the model before its next reply.

        Args:
            text: the caller's words this reply answers, where they are not committed yet (a
                speculative turn); nothing of them is kept. None: as committed.
            nbest: the recogniser's alternatives for `text`, best first.
        """
        before = len(self.reader.hits)
        briefing = self.reader.brief(self.course, text, nbest)
        if briefing is not self._given:
            self._given = briefing
            if self.reader.hits or before:
                self._tell("recalled", hits=[hit.entry.id for hit in self.reader.hits])
        return briefing if self.settings.inject else Briefing()

    def next_step(self) -> NextStep:
        """What the agent would best do next, decided without a model."""
        return self.course.next_step()

    def require(self, *slots: str) -> None:
        """Let a tool go on only where these slots are confirmed.

        Raises:
            NotConfirmed: some are not; the message tells the model what to ask.
        """
        if missing := unconfirmed(self.course.notes, slots):
            raise NotConfirmed(missing)

    def guard(self, tools: Mapping[str, tuple[str, ...]]) -> None:
        """Say which guarded tools the model can call now, so that `next_step` can name them.

        Args:
            tools: the slots that each tool's guard asks for, by the tool's name.
        """
        self.course.guard(tools)

    def documents(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """The app's own retrieval for this turn: `{"id","text","fields"?}` each."""
        example = 'a list of {"id": ..., "text": ...}'
        arguments.instance("call.documents(docs)", docs, (list, tuple), example=example)
        for doc in docs:
            arguments.instance("call.documents(docs)", doc, Mapping, example=example)
        self.apply(ev.Documents(t=self.elapsed, docs=tuple(dict(doc) for doc in docs)))

    def correct(self, path: str, value: Any, by: str) -> None:
        """A person mends the notes; `path` is a JSON Pointer such as `/slots/date`."""
        arguments.text("call.correct(path=)", path, example="/slots/date")
        arguments.text("call.correct(by=)", by, example="operator")
        self.apply(ev.Corrected(t=self.elapsed, path=path, value=value, by=by))

    def forget_last(self) -> int:
        """Forget what the caller said last; where that only asks to forget, what was said before it too.

        Returns:
            How many turns were forgotten that said more than that: 0 where there was none.
        """
        forgotten, moment = 0, self.elapsed
        for step in range(3):  # the request may have come in two turns
            turns = self.course.ledger.turns
            if not turns or forgotten:
                break
            self.apply(ev.MemoryForgetLast(t=moment + step / 1000))  # two of one moment count once
            if all(turn.key != turns[-1].key for turn in self.course.ledger.turns):
                forgotten += not only_asks_to_forget(turns[-1].text)
        return forgotten

    def remember(self, key: str, value: str, quote: str) -> bool:
        """Keep what the caller asks to be kept, as far as the caller's own words carry it.

        Args:
            key: what it is about, such as `preferred_table`.
            value: what is to be kept.
            quote: the caller's words that say so.

        Returns:
            Whether it will be there next time: not without words that say it, nor on a call that leaves
            nothing, nor while nobody is known to be calling.
        """
        if not self.course.started.remember:
            return False
        scene = self.writer.scene(self.course.history())
        return self.findings.ask(key, value, quote, scene) and self.caller.known

    def rollback(self, turn: int) -> None:
        """Put the notes back to what they were after that turn; 0 = before the first."""
        arguments.count("call.rollback(turn=)", turn)
        self.apply(ev.RolledBack(t=self.elapsed, turn=turn))

    def pause(self) -> None:
        """Off the record from here."""
        self.apply(ev.MemoryPaused(t=self.elapsed))

    def resume(self) -> None:
        """On the record again."""
        self.apply(ev.MemoryResumed(t=self.elapsed))

    def handoff(self) -> str:
        """A brief for a colleague or a person who takes over: one `<memory>` element a part."""
        return self.reader.brief(self.course, None).text

    def key_terms(self) -> tuple[str, ...]:
        """Names and terms worth hinting to the recogniser, most useful first."""
        return key_terms(self.course.notes, self.reader.seen)

    def greeting_name(self) -> str | None:
        """The first name to greet with, where the identity allows it."""
        return self.reader.seen.name

    def left_open(self) -> tuple[OpenItem, ...]:
        """What earlier calls left open, newest last, as far as the identity allows it."""
        return self.reader.seen.open_items

    def listen(self, callback: Listener) -> None:
        """Be told of `preloaded`, `recalled`, `stored` and `summary`, with ids and counts.

        Args:
            callback: called at once, so it must be quick; one that raises is named in the log by type.
        """
        self._listeners.append(callback)

    def usage(self) -> dict[str, Any]:
        """Model requests and tokens of this call by purpose, and their cost by `Settings.prices`."""
        return bill(self.writer.usage, self.memory.model_name, self.settings.prices)

    # Off the reply path.

    async def recall_ready(self, text: str) -> bool:
        """Wait, at most `recall_wait` seconds, for the query vector of these words."""
        ready = await self.reader.prefetch.wait(text, self.settings.recall_wait)
        if not ready and self.memory.embedder is not None:
            self.count("vector_late")
        if self.settings.notes_model_wait > 0:
            await within(self.memory.clock, min(self.settings.notes_model_wait, 0.4), self.writer.idle())
        return ready

    async def preload(self, wait: float = 0.3) -> bool:
        """Load what is known of the caller; starts at the first call, then only waits.

        Args:
            wait: longest wait in seconds; the load itself goes on behind it.

        Returns:
            Whether it is there.
        """
        if self._preload is None:
            self._preload = self.memory.tasks.spawn(self.memory.keeper.preload(self), "preload")
        there, _ = await within(self.memory.clock, wait, self._arrival(self._preload))
        if not there:
            self.count("preload_late")
        return there and self.reader.known is not None

    async def identify(self, caller: Caller | str | None, how: How | None = None) -> None:
        """Say who calls, late or anew: by sign-in, by what was said, or after a transfer.

        Args:
            caller: who it is; None for nobody.
            how: how surely; None takes the caller's own.

        Raises:
            UsedWrongly: an argument does not fit.
        """
        known = caller if isinstance(caller, Caller) else Caller.phone(caller)
        known = known if how is None else known.proven(how)
        self.apply(ev.CallerIdentified(t=self.elapsed, caller=known.id, how=known.how, person=known.person))
        if self._identifying is not None:
            await asyncio.shield(self._identifying)

    async def close(self, reason: str) -> Summary | None:
        """End the call: finalise, drain for at most `settings.drain` seconds, summarise.

        Args:
            reason: why it ended, one of `events.CallEnded.reason`.

        Returns:
            The summary as far as it was made in that time; None where nothing may be kept.

        Raises:
            UsedWrongly: the reason is none.
        """
        arguments.one_of("call.close(reason=)", reason, get_args(ev.EndReason))
        if self._closing is None:
            self.apply(ev.CallEnded(t=self.elapsed, reason=reason))  # pyright: ignore[reportArgumentType] - checked above
            self._closing = self.memory.tasks.spawn(Closing(self).run(reason), "close")
        return await asyncio.shield(self._closing)

    # For the rooms behind it.

    @property
    def loading(self) -> asyncio.Task[None] | None:
        """The preload, once it was asked for."""
        return self._preload

    def take_given(self) -> Briefing:
        """What the model was told last, for the record of the reply that it began."""
        given, self._given = self._given or self.reader.brief(self.course, None), None
        return given

    def tell_summary(self, summary: Summary | None) -> None:
        """The call is over; comes exactly once."""
        self.summary = summary
        if summary is not None:
            self._tell("summary", version=summary.version, open_items=len(summary.open_items))

    def arrive(self, known: Known) -> None:
        """The preload is there: what is known takes part from now on."""
        self.reader.arrive(known, self.caller)
        self._learn()
        seen = self.reader.seen
        self._tell("preloaded", facts=seen.count, open_items=len(seen.open_items))

    def _learn(self) -> None:
        """What may be seen of the caller takes part in the notes."""
        seen = self.reader.seen
        resumed = seen.dropped.slots if seen.dropped else {}
        told = {f.key: f.value for f in seen.facts if f.subject == "caller"}
        self.course.learn(told, resumed, seen.open_items)

    def read_on(self, reading: asyncio.Task[tuple[Known, Index, Older]]) -> None:
        """All that is known and the index, once they are there, unless somebody else is on the line then."""
        known = self.reader.known
        self.indexing = reading

        def read(task: asyncio.Task[tuple[Known, Index, Older]]) -> None:
            if not task.cancelled() and task.exception() is None and self.reader.known is known:
                self.reader.take_rest(*task.result(), self.caller)

        reading.add_done_callback(read)

    def take_identity(self, caller: Caller) -> None:
        """The caller is known, or known better: records and reading follow."""
        head = self.meta
        before, self.caller = self.caller, caller
        if caller.id == before.id and caller.person == before.person:
            self.reader.identify(caller)
            if self.reader.known is not None and caller.how != before.how:
                self._learn()  # who is known better is known more of
            if caller.how != before.how and self.caller.known:
                self.memory.tasks.spawn(self.memory.keeper.note_identity(self), "note identity")
            return
        self.reader.arrive(None, caller)
        if before.strength is Strength.VERIFIED:
            self._part(before, head)
            return
        self._identifying = self.memory.tasks.spawn(
            self.memory.keeper.rekey(self, self._identifying), "identify"
        )

    def _part(self, before: Caller, head: CallMeta) -> None:
        """Who proved to be somebody else now leaves what was said before to who said it."""
        left = Parting(before, head, self.journal, self.elapsed)
        self.parted += 1
        run = f"{left.journal.run}{self.parted}-"
        self.runs = {run: self.course.started.at.isoformat()}
        self.journal = Journal(self.id, run, self.memory.tasks, self.memory.clock, self.secrets)
        self.findings.begin_anew(self.journal)
        for turn in self.course.ledger.turns:
            self.writer.forget(turn.key)
        self._learn()
        self.course.part(run)
        self._identifying = self.memory.tasks.spawn(
            self.memory.keeper.part(self, self._identifying, left), "part"
        )

    def catch_up(self) -> None:
        """Ask the deep path for every committed turn it has not answered yet."""
        for turn in self.findings.missing():
            self.writer.turn(turn, [i for i in self.course.history() if i.turn <= turn.number])

    @property
    def is_durable(self) -> bool:
        """Whether all that was applied so far is in the journal, or is to be kept nowhere."""
        under_way = any(task is not None and not task.done() for task in (self.opening, self._identifying))
        return not under_way and (self.journal.file is None or not self.journal.waiting)

    async def durable(self) -> None:
        """Wait until all that was applied so far is in the journal, wherever it is to be kept."""
        for task in (self.opening, self._identifying):
            if task is not None:
                await asyncio.wait({task})
        await self.journal.flushed()

    # Inside.

    async def _arrival(self, preload: asyncio.Task[None]) -> None:
        await asyncio.wait({preload})
        while self._identifying is not None and not self._identifying.done():
            await asyncio.wait({self._identifying})

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    def _tell(self, name: str, **payload: Any) -> None:
        for listener in self._listeners:
            with self._listened("a listener"):
                listener(name, {"call_id": self.id, **payload})

    def __repr__(self) -> str:
        return f"<CallMemory {self.id}>"
