"""Callers' files: opened, read for a preload, and unfinished calls revived from their journals."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from .. import events as ev
from ..errors import EventError, StoreCorrupt
from ..notes.personal import filed
from ..reading.preload import Known, Unsettled
from ..records.caller import Caller, Scope
from ..records.fact import Claim
from ..stores.base import Entry
from ..stores.caller_file import CallerFile, Gauge
from ..stores.contents import BROKEN_OFF, CallMeta, Loaded
from ..stores.vault import Vault
from ..tasks import stand_back
from .claims_note import ClaimsNote
from .older import Shelf
from .process import is_dead
from .reconcile import reconcile
from .runs import Run, Telling, runs_of, shift_of
from .settle import merged_claims, rule_claims, with_left_open

if TYPE_CHECKING:
    from ..call import CallMemory
    from ..memory import Memory
    from ..reading.index import Index

logger = logging.getLogger(__name__)

_AT_ONCE = 4
"""Records of a call that are told in one go: those of a turn take a millisecond or two."""

Rest = tuple["Known", "Index", Shelf]
"""All that is known, what recall searches, and what of it is left in the store."""


class Archive:
    """Reads and revives what callers left, through the vault."""

    def __init__(self, memory: Memory, vault: Vault) -> None:
        self._memory = memory
        self.vault = vault
        self.gauge = Gauge()

    async def file(self, scope: Scope, *, create: bool = True) -> CallerFile | None:
        """The file of one caller; None where there is none and none is to be made."""
        with self.gauge.one():
            box = await self.vault.box(scope, create)
        return CallerFile(box, scope, self.gauge) if box else None

    async def file_of(self, owner: str) -> CallerFile | None:
        """The file of an owner named by a job; None where it was erased."""
        with self.gauge.one():
            box = await self.vault.box_of(owner)
        return CallerFile(box, None, self.gauge) if box else None

    async def known(self, file: CallerFile, call: CallMemory) -> tuple[Known, Loaded]:
        """What is known of a caller now, unfinished calls included, and what the file held.

        Of a long profile only the head, where nothing else is needed before `whole` has read the rest.
        """
        now = call.course.started.at
        loaded = await file.glance(lambda of, past: of == call.id or self._lately(past.broke_off, now))
        waiting = [m for m in _by_time(loaded) if m.call != call.id and self._matters(m, now)]
        revived = [(meta, await self._revive(file, meta, _as_known(meta, call.caller))) for meta in waiting]
        unsettled = [
            _unsettled(one, meta.line, await self._broke_off(meta, one, file)) for meta, one in revived
        ]
        if (mine := loaded.calls.get(call.id)) is not None and mine.runs.keys() != {call.journal.run}:
            before = await self._revive(file, mine, _as_known(mine, call.caller), but=call.journal.run)
            if now - before.course.at <= self._resumable:
                revived.append((mine, before))
                unsettled.append(_unsettled(before, mine.line, True))
        late = [r for meta, r in revived if not meta.settled]
        fresh = [c for r in late for c in (*r.findings.claims, *_claims_by_rule(r))]
        slots, told = (slot.name for slot in call.course.schema.slots), self._memory.settings.dump_below
        head = loaded.head if not fresh and loaded.head and loaded.head.serves(slots, told) else None
        if head is None:
            loaded = await file.whole(loaded)
        profile = head.profile if head else loaded.profile
        if fresh:
            # One of those calls may have been settled meanwhile, and stand in the claims already.
            claims = merged_claims((await file.load(claims=True)).profile.claims, fresh)
            rules = call.course.schema.facts
            with self.gauge.one():
                facts = await asyncio.to_thread(reconcile, claims, rules=rules, now=now)
            profile = replace(profile, claims=claims, facts=facts)
        over = [
            (one.course, meta.line) for meta, one in revived if not meta.settled and self._is_over(one, now)
        ]
        profile = with_left_open(profile, over)
        people = loaded.people
        if people and any(f.key in ("name", "preferred_name") for f in profile.current):
            people = ("", *people)
        known = Known(
            profile=profile,
            unsettled=tuple(unsettled),
            people=people,
            head=head,
        )
        return known, loaded

    async def rest(self, known: Known, loaded: Loaded, file: CallerFile) -> Rest:
        """Behind the preload, before the first question: the whole profile, the index, and what is older."""
        await stand_back()
        if known.head is not None:
            whole = (await file.whole(loaded)).profile
            # Calls that nobody has settled have left things open too.
            known = replace(known, profile=replace(whole, open_items=known.profile.open_items), head=None)
        shelf = Shelf(self._memory, known, file, loaded.newest_first)
        return known, await shelf.open(), shelf

    async def revive(self, file: CallerFile, call: str) -> CallMemory | None:
        """A call as its journal tells it, ready to be settled; None where that is done or it is gone."""
        meta = await file.call(call)
        if meta is None or meta.done:
            return None
        return await self._revive(file, meta, _as_known(meta, Caller(file.owner)))

    async def report_calls(self, file: CallerFile, caller: Caller) -> list[dict[str, Any]]:
        """Every call of a file in the replay report's form, rebuilt from its journal."""
        from ..report import call_report

        loaded = await file.load()
        calls: list[dict[str, Any]] = []
        for meta in _by_time(loaded):
            revived = await self._revive(file, meta, caller)
            revived.summary = meta.summaries[-1] if meta.summaries else None
            calls.append(call_report(revived, caller.label or None, usage=meta.usage))
        return calls

    async def _revive(
        self, file: CallerFile, meta: CallMeta, caller: Caller, *, but: str | None = None
    ) -> CallMemory:
        """The call as its journal tells it, `but` for the run that goes on now, where one is named."""
        from ..call import CallMemory
        from ..records.schema import MemorySchema

        started = ev.CallStarted(
            call=meta.call,
            at=datetime.fromisoformat(meta.at),
            caller=None,
            tenant=file.box.tenant,
            timezone=meta.timezone,
            direction="outbound" if meta.direction == "outbound" else "inbound",
            schema=None,
        )
        schema = MemorySchema.from_dict(meta.schema) if meta.schema else None
        call = CallMemory(self._memory, started, caller, schema=schema, run="late-", live=False)
        # What a later process asks is added to what the call has cost so far.
        call.writer.usage.by_purpose = {purpose: dict(row) for purpose, row in meta.usage.items()}
        call.kept.runs = dict(meta.runs)
        runs = [run for run in runs_of(await file.journal(meta.call), meta.runs) if run.name != but]
        over = but is not None or self._memory.keeper.live.on(meta.call, file) is None
        with self.gauge.one():
            call.findings.restore(await _tell(call, runs, over=over))
        call.journal.attach(file)
        return call

    def _matters(self, meta: CallMeta, now: datetime) -> bool:
        """Unfinished calls, and one that broke off so lately that it may be going on."""
        return not meta.settled or self._lately(meta.broke_off, now)

    def _lately(self, broke_off: str | None, now: datetime) -> bool:
        return broke_off is not None and now - datetime.fromisoformat(broke_off) <= self._resumable

    async def _broke_off(self, meta: CallMeta, revived: CallMemory, file: CallerFile) -> bool | None:
        """Whether a call did, and does not go on here or elsewhere; see `Unsettled`."""
        course = revived.course
        if meta.settled or course.ended is None:
            return meta.settled
        if not course.cut_short:
            return course.outcome in BROKEN_OFF
        gone = is_dead(meta.process) or await self._memory.keeper.leases.claim(meta.call, file)
        return True if gone else None

    def _is_over(self, revived: CallMemory, now: datetime) -> bool:
        """Whether a call was ended, by whomever, or broke off so long ago that it goes on nowhere."""
        course = revived.course
        gone = not course.cut_short or now - course.at > self._resumable
        return course.ended is not None and gone

    @property
    def _resumable(self) -> timedelta:
        return timedelta(seconds=self._memory.settings.resume_within)


async def _tell(call: CallMemory, runs: Sequence[Run], *, over: bool) -> list[ClaimsNote]:
    """All that was journalled, into a call that is being revived. Returns what was found in its turns.

    Args:
        call: the call, as yet empty.
        runs: its records.
        over: nobody holds the call any more; where nobody ended it, it broke off.
    """
    course, telling = call.course, Telling()
    found: list[ClaimsNote] = []
    late: list[ClaimsNote] = []
    shifts: dict[str, float] = {}
    for number, run in enumerate(runs):
        last, broke = number == len(runs) - 1, False
        course.ledger.resume(run.name)
        shift = shifts.setdefault(run.process, shift_of(run, course.started.at, course.at))
        telling.begin(run.name, shift)
        for count, entry in enumerate(run.entries):
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)  # who speaks in other calls need not wait for all of this one
            record = _read(entry)
            if isinstance(record, ClaimsNote):
                found.append(record)
                if not _enter(call, record):
                    late.append(record)  # about the turn in which the call broke off
            elif record is None:
                continue
            elif isinstance(record, ev.CallEnded) and not last:  # a call that went on had not ended
                course.break_between(record.t + shift)
                broke = True
            elif (event := telling.told(record)) is not None:
                course.apply(event)
        if not last and not broke:
            course.break_between()
        elif not last and course.ledger.open_turn is not None:  # what came late is not of the next run
            course.apply(ev.TurnEnded(t=max(one.started for one in course.ledger.open_turn.segments)))
    if over:
        course.break_off()
    for note in late:
        _enter(call, note)
    return found


def _read(entry: Entry) -> ClaimsNote | ev.Event | None:
    """What a journal record holds; a broken one is reported and left."""
    try:
        if entry.kind == "claims":
            return msgspec.json.decode(entry.blob, type=ClaimsNote)
        if entry.kind == "event":
            return ev.from_mapping(msgspec.json.decode(entry.blob))
    except (EventError, msgspec.DecodeError, StoreCorrupt) as error:
        logger.warning("journal record %s/%d left aside: %s", entry.call, entry.seq, type(error).__name__)
    return None


def _enter(call: CallMemory, note: ClaimsNote) -> bool:
    """What was found in a turn enters the notes where it did in the live call: between the same events."""
    turn = note.of_turn(call.course.ledger.turns)
    if turn is not None and not note.asked:
        call.course.deepen(turn, note.patch)
    return turn is not None


def _claims_by_rule(call: CallMemory) -> list[Claim]:
    return rule_claims(call.course, int(call.caller.strength), call.settings.line_of_business)


def _as_known(meta: CallMeta, caller: Caller) -> Caller:
    """The caller as surely as that call knew them, whoever looks at it."""
    return caller.proven("verified" if meta.how == "verified" else "number")


def _unsettled(call: CallMemory, line: str, broke_off: bool | None) -> Unsettled:
    course = call.course
    tools = tuple(
        f"{tool.name} was still running: whether it was done is not known"
        if tool.status is None or (tool.status == "cancelled" and tool.id in course.unreturned)
        else f"{tool.name} had ended: {tool.status}"
        for tool in course.ledger.tools
    )
    return Unsettled(
        call=call.id,
        started=course.started.at,
        last_event=course.at,
        history=tuple(course.history()),
        slots={
            name: held
            for name, held in course.notes.state.slots.items()
            if (slot := course.schema.slot(name)) is None or not slot.secret
        },
        tools=tools,
        broke_off=broke_off,
        strength=call.caller.strength,
        line=line,
        sensitive=frozenset(slot.name for slot in course.schema.slots if slot.sensitive),
        personal=frozenset(slot.name for slot in course.schema.slots if filed(slot) is not None),
    )


def _by_time(loaded: Loaded) -> Sequence[CallMeta]:
    return sorted(loaded.calls.values(), key=lambda meta: (meta.at, meta.call))
