"""One call. The only object that front doors talk to; everything else stands behind it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import arguments
from . import events as ev
from .calls.arrival import Arrival
from .calls.course import Course
from .calls.following import Following
from .calls.identity import Identity
from .calls.kept import Kept
from .calls.stay import Stay
from .calls.taking_back import take_back
from .calls.telling import Listener, Telling
from .calls.whose import Whose
from .clients.base import Usage
from .errors import NotConfirmed
from .ledger.effects import Effect, Rejected
from .notes.guard import unconfirmed
from .notes.secret import mark, secret_slots
from .reading.briefing import Briefing
from .reading.key_terms import key_terms
from .reading.reader import Reader
from .records.call_state import NextStep
from .records.caller import Caller, How
from .records.schema import MemorySchema
from .records.summary import OpenItem, Summary
from .stores.secrets import Secrets
from .writing.closing import Closing
from .writing.findings import Findings
from .writing.journal import Journal
from .writing.writer import Writer

if TYPE_CHECKING:
    from .memory import Memory


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
        self.started = started
        self.live = live
        self.caller = caller
        self.memory = memory
        self.settings = memory.settings
        self.tenant = started.tenant or memory.tenant
        schema = schema or MemorySchema.of(started.schema)
        self.secrets = Secrets(memory.masker, {slot.name: mark(slot) for slot in secret_slots(schema)})
        self.telling = Telling(self.id, strict=self.settings.strict)
        self.counters: dict[str, int] = {"turns_committed": 0}
        self.rejections: list[Rejected] = []
        """Events that were not taken, whoever's they were."""
        run = f"{secrets.token_hex(4)}-" if run is None else run
        self.not_before = 0.0
        """Seconds: what was stamped ahead of the clock stays ahead of what follows."""
        self.following = Following(self)
        self.whose = Whose(Stay(self, schema, run, self.following.follow))
        self.reader = Reader(self.settings, memory.embedder, started.at)
        self.findings = Findings(self.course, self.journal, self.telling.stored)
        self.writer = Writer(
            self.id,
            memory.model,
            memory.clock,
            self.settings,
            memory.extraction,
            self.findings.take,
            started=started,
            schema=schema,
            strength=lambda: int(self.caller.strength),
            usage=Usage(above=memory.spending.of(self.tenant)),
            aside=memory.aside,
        )
        self.summary: Summary | None = None
        self.kept = Kept(self, run if live else None)
        self.identity = Identity(self)
        self.arrival = Arrival(self)
        self.front_door: object | None = None
        """What tells this call what happens, where that has begun; two would tell it everything twice."""
        self._closing = Closing(self)
        if live:
            memory.keeper.begin(self)

    # On the reply path: sync, no I/O.

    @property
    def elapsed(self) -> float:
        """Seconds since the call began; front doors stamp their events with it."""
        return max(self.not_before, (self.memory.clock.now() - self.started.at).total_seconds())

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
        return self.following.apply(event)

    def turn_ended(self, t: float) -> None:
        """The turn whose words were told ended in that second of the call.

        It changes nothing that a reply is told, so it is taken behind it: with the next event or `catch_up`.
        """
        self.following.hold(ev.TurnEnded(t=t))

    def catch_up(self) -> None:
        """Take the end of a turn now, if it waits."""
        self.following.catch_up()

    def briefing(self, text: str | None = None, nbest: Sequence[str] = ()) -> Briefing:
        """What to tell the model before its next reply.

        Args:
            text: the caller's words this reply answers, where they are not committed yet (a
                speculative turn); nothing of them is kept. None: as committed.
            nbest: the recogniser's alternatives for `text`, best first.
        """
        arguments.words("call.briefing(text, nbest)", text, nbest)
        before = self.reader.hits
        briefing = self.reader.brief(self.course, text, nbest)
        if self.telling.give(briefing) and (self.reader.hits or before):
            self.telling.news("recalled", hits=[hit.entry.id for hit in self.reader.hits])
        return briefing if self.settings.inject else Briefing()

    def next_step(self) -> NextStep:
        """What the agent would best do next, decided without a model."""
        return self.course.next_step()

    def require(self, *slots: str) -> None:
        """Let a tool go on only where these slots are confirmed.

        Raises:
            NotConfirmed: some are not; the message tells the model what to ask.
        """
        arguments.names("call.require(*slots)", slots)
        if missing := unconfirmed(self.course.notes, slots):
            raise NotConfirmed(missing)

    def guard(self, tools: Mapping[str, tuple[str, ...]]) -> None:
        """Say which guarded tools the model can call now, so that `next_step` can name them.

        Args:
            tools: the slots that each tool's guard asks for, by the tool's name.
        """
        arguments.guards("call.guard(tools)", tools)
        self.course.guard(tools)

    def documents(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """The app's own retrieval for this turn: `{"id","text","fields"?}` each."""
        arguments.documents("call.documents(docs)", docs)
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
        return take_back(self)

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
        self.catch_up()
        arguments.kept(key=key, value=value, quote=quote)
        scene = self.writer.scene(self.course.history())
        return self.started.remember and self.findings.ask(key, value, quote, scene) and self.caller.known

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
        arguments.callback("call.listen(callback)", callback)
        self.telling.listen(callback)

    def usage(self) -> dict[str, Any]:
        """Model requests and tokens of this call by purpose, and their cost by `Settings.prices`."""
        return self.memory.spending.bill(self.writer.usage)

    # Off the reply path.

    async def recall_ready(self, text: str) -> bool:
        """Wait, at most `recall_wait` seconds, for the query vector of these words."""
        arguments.text("call.recall_ready(text=)", text, example="a table for five", empty=True)
        return await self.following.ready(text)

    async def preload(self, wait: float = 0.3) -> bool:
        """Load what is known of the caller; starts at the first call, then only waits.

        Args:
            wait: longest wait in seconds; the load itself goes on behind it.

        Returns:
            Whether it is there.
        """
        arguments.seconds("call.preload(wait=)", wait)
        return await self.arrival.wait(wait)

    async def identify(self, caller: Caller | str | None, how: How | None = None) -> None:
        """Say who calls, late or anew: by sign-in, by what was said, or after a transfer.

        Args:
            caller: who it is; None for nobody.
            how: how surely; None takes the caller's own.

        Raises:
            UsedWrongly: an argument does not fit, or the call has ended: its record stays whose it was.
        """
        await self.identity.say(caller, how)

    async def close(self, reason: str) -> Summary | None:
        """End the call: finalise, drain for at most `settings.drain` seconds, summarise.

        Args:
            reason: why it ended, one of `events.CallEnded.reason`.

        Returns:
            The summary as far as it was made in that time; None where nothing may be kept.

        Raises:
            UsedWrongly: the reason is none.
        """
        return await self._closing.close(reason)

    # For the rooms behind it.

    @property
    def stay(self) -> Stay:
        """Of who is on the line."""
        return self.whose.now

    @property
    def course(self) -> Course:
        """What the call amounts to with whoever is on the line."""
        return self.stay.course

    @property
    def journal(self) -> Journal:
        """Where that is written."""
        return self.stay.journal

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    def __repr__(self) -> str:
        return f"<CallMemory {self.id}>"
