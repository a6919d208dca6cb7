"""Recorded events through the real engine, on a clock held by hand: what it ended up believing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import msgspec

from . import events as ev
from .behaviour.actions import actions_of
from .call import CallMemory
from .config import Settings
from .errors import EventError, SchemaError
from .ledger.effects import TurnCommitted
from .memory import Memory
from .records.caller import Caller
from .records.schema import MemorySchema
from .report import call_report, parting_report
from .testing.clock import ManualClock
from .testing.scripted import ScriptedAnswer, ScriptedModel

_OPENING = re.compile(rb'"type"\s*:\s*"call_started"')


@dataclass(slots=True)
class _Line:
    """One readable event, with where it stood and which call it belongs to."""

    number: int
    event: ev.Event
    call: int


class Replay:
    """Feeds one recording into a memory of its own.

    Args:
        store: store URL; `memory://` keeps nothing.
        tenant: tenant of calls that name none.
        embedder: as in `Memory.open`.
        settings: as in `Memory.open`.
    """

    def __init__(
        self,
        store: str = "memory://",
        *,
        tenant: str = "default",
        embedder: Any = "auto",
        settings: Settings | None = None,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._embedder = embedder
        self._settings = settings or Settings()
        self._clock = ManualClock()
        self._model = ScriptedModel(self._clock)
        self._errors: list[dict[str, Any]] = []
        self._calls: list[tuple[ev.CallStarted, CallMemory]] = []
        self._answers: dict[int, list[tuple[int, ev.ModelAnswer]]] = {}
        self._seen = 0
        self._first: dict[tuple[int, str], int] = {}
        """Line at which each id of a call was named first: where a stray piece is reported."""

    async def run(self, lines: Iterable[str | bytes]) -> dict[str, Any]:
        """Replay and report, in the form that design.md fixes.

        Raises:
            StoreError: the store can't be read.
        """
        events = self._read(lines)
        memory = await Memory.open(
            self._store,
            tenant=self._tenant,
            model=self._model,
            embedder=self._embedder,
            settings=self._settings,
            clock=self._clock,
        )
        self._clock.pending = lambda: memory.archive.gauge.out
        try:
            for line in events:
                await self._feed(memory, line)
            await self._run_out(memory)
            await self._finish(memory)
            return await self._report(memory)
        finally:
            await memory.close()

    def _read(self, lines: Iterable[str | bytes]) -> list[_Line]:
        """Decode; attach model answers to the turn or call they belong to."""
        events: list[_Line] = []
        calls, call = 0, -1
        turn_line: dict[int, int] = {}
        for number, text in enumerate(lines, 1):
            try:
                event = ev.decode(text)
                if event is None:
                    continue
                if isinstance(event, ev.CallStarted):
                    event = self._with_sound_schema(number, event)
                    calls, call = calls + 1, calls
                elif call < 0:
                    raise EventError("no_call", "no readable call_started stands before it")
            except (EventError, ValueError) as error:
                self._fail(number, getattr(error, "kind", "wrong_value"), str(error))
                if _opens_a_call(text):
                    call = -1  # what follows is of a call we know nothing of, not of the one before
                continue
            if isinstance(event, ev.ModelAnswer):
                owner = turn_line.get(call, 0) if event.purpose == "extract" else -1 - call
                self._answers.setdefault(owner, []).append((call, event))
                continue
            if isinstance(event, ev.TurnEnded):
                turn_line[call] = number
            events.append(_Line(number, event, call))
        return events

    def _with_sound_schema(self, number: int, event: ev.CallStarted) -> ev.CallStarted:
        """The call goes on with the default schema where its own does not fit."""
        try:
            MemorySchema.from_dict(event.schema) if event.schema is not None else None
        except SchemaError as error:
            self._fail(number, "wrong_value", f"call_started: schema{error}")
            return replace(event, schema=None)
        return event

    async def _feed(self, memory: Memory, line: _Line) -> None:
        event = line.event
        if (id := getattr(event, "reply", None) or getattr(event, "id", None)) is not None:
            self._first.setdefault((line.call, id), line.number)
        if isinstance(event, ev.CallStarted):
            await self._start(memory, event, line.call)
            return
        call = self._calls[line.call][1]
        start = self._base + event.t
        if start > self._clock.monotonic():
            await self._clock.advance(start - self._clock.monotonic())
        if isinstance(event, ev.ReplyStarted):
            await call.reader.prefetch.wait(_words(call), None)
        if isinstance(event, ev.CallEnded):
            before = len(call.rejections)
            await self._end(call, event)
            self._rejected(line.number, call, before, line.call)
            return
        if isinstance(event, ev.TurnEnded):
            # Before it is applied: a committed turn asks at once.
            self._script(self._answers.pop(line.number, []), call, event.t)
        before = len(call.rejections)
        effects = call.apply(event)
        self._rejected(line.number, call, before)
        self._seen += sum(isinstance(e, TurnCommitted) for e in effects)
        await self._clock.settle()

    async def _start(self, memory: Memory, event: ev.CallStarted, index: int) -> None:
        self._clock.start_at(event.at)
        self._base = self._clock.monotonic()
        caller = Caller.phone(event.caller, how=event.how, person=event.person)
        caller = caller.answering() if event.direction == "outbound" else caller
        call = CallMemory(
            memory,
            event,
            caller,
            run=f"{index}-" if any(c.id == event.call for _, c in self._calls) else "",
        )
        self._calls.append((event, call))
        for _, answer in self._answers.pop(-1 - index, []):
            self._model.add(self._scripted(answer, call.id, None))
        await call.preload(self._settings.store_timeout)
        await self._clock.settle()

    async def _end(self, call: CallMemory, event: ev.CallEnded) -> None:
        """The drain runs on the clock: move it while the closing waits."""
        closing = call.memory.tasks.spawn(call.close(event.reason), "replayed close")
        end = self._clock.monotonic() + self._settings.drain + 0.001
        await self._clock.settle()
        while not closing.done() and self._clock.monotonic() < end:
            await self._clock.advance(0.05)
        await closing

    async def _run_out(self, memory: Memory) -> None:
        """Let the clock run until no work of ours waits for it."""
        await self._clock.settle()
        for _ in range(100_000):
            if not memory.busy:
                return
            await self._clock.next()

    async def _finish(self, memory: Memory) -> None:
        """What a worker would do later: settle the calls that crashed or never ended."""
        for _, call in self._calls:
            if call.caller.known and call.course.ended in (None, "crash"):
                call.course.break_off()
                work = memory.tasks.spawn(memory.keeper.settle(call), "replayed worker")
                await self._run_out(memory)
                call.summary = (await work) or call.summary

    def _script(self, answers: list[tuple[int, ev.ModelAnswer]], call: CallMemory, ended: float) -> None:
        def turn() -> int | None:
            closed = call.course.ledger.closed_by(ended)
            return closed.number if closed else None

        for _, answer in answers:
            self._model.add(self._scripted(answer, call.id, turn))

    def _scripted(
        self, answer: ev.ModelAnswer, call: str, turn: Callable[[], int | None] | None
    ) -> ScriptedAnswer:
        return ScriptedAnswer(
            call=call,
            purpose=answer.purpose,
            text=answer.text,
            turn=turn,
            finish=answer.finish,
            t=self._base + answer.t,
            delay=answer.delay,
        )

    def _rejected(self, number: int, call: CallMemory, before: int, ending: int | None = None) -> None:
        for one in call.rejections[before:]:
            # A stray piece waits for its opening event until the call ends; it is reported where it stands.
            line = number if ending is None else self._first.get((ending, one.id), number)
            self._fail(line, one.reason, f"{one.reason.replace('_', ' ')}: {one.id}")

    def _fail(self, line: int, kind: str, message: str) -> None:
        self._errors.append({"line": line, "kind": kind, "message": message})

    async def _report(self, memory: Memory) -> dict[str, Any]:
        calls: list[dict[str, Any]] = []
        actions: list[dict[str, Any]] = []
        known: dict[tuple[str, str], Caller] = {}
        for _, call in self._calls:
            for left in call.identity.left:
                calls.append(await parting_report(left))
                known[left.caller.label, call.tenant] = left.caller
            calls.append(call_report(call, call.caller.id))
            known[call.caller.label, call.tenant] = call.caller
            actions += [action.report() for action in actions_of(call.stays)]
        profiles: dict[str, list[dict[str, Any]]] = {}
        for (label, tenant), caller in known.items():
            if caller.known:  # one of two tenants has a profile with each; the report names callers only
                profiles.setdefault(label, []).extend(await memory.holdings.facts(caller, tenant))
        return {
            "calls": calls,
            "profiles": profiles,
            "actions": actions,
            "counters": self._counters(memory),
            "errors": sorted(self._errors, key=lambda e: e["line"]),
        }

    def _counters(self, memory: Memory) -> dict[str, int]:
        total: dict[str, int] = {**memory.counters}
        for _, call in self._calls:
            stays = [(stay.course.ledger.counters, stay.journal.counters) for stay in call.stays]
            for source in (call.counters, call.writer.counters, *chain.from_iterable(stays)):
                for name, value in source.items():
                    total[name] = total.get(name, 0) + value
        total["turns_committed"] = sum(
            len(stay.course.ledger.turns) for _, call in self._calls for stay in call.stays
        )
        total.setdefault("turns_seen", self._seen)
        total["model_calls"] = len(self._model.requests)
        unread = sum(len(rows) for rows in self._answers.values())
        total["answers_unused"] = self._model.unused + unread
        total["events_rejected"] = len(self._errors)
        return {name: total[name] for name in sorted(total)}


async def replay(lines: Iterable[str | bytes], store: str = "memory://", **options: Any) -> dict[str, Any]:
    """Replay recorded lines; see `Replay`."""
    return await Replay(store, **options).run(lines)


def _opens_a_call(text: str | bytes) -> bool:
    """Whether a line that can't be read as an event was to begin a call.

    A line that isn't even JSON (cut, nested too deeply) is judged by its looks: what follows must
    not be taken for a part of the call before, which may be another person's.
    """
    try:
        line = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return (
            _OPENING.search(text if isinstance(text, bytes) else text.encode("utf-8", "replace")) is not None
        )
    return isinstance(line, dict) and line.get("type") == "call_started"


def _words(call: CallMemory) -> str:
    turns = call.course.ledger.turns
    turn = call.course.ledger.open_turn or (turns[-1] if turns else None)
    return turn.text if turn else ""
