"""Ending a call, live or late: drain, summarise, write; bounded for the caller, finished behind it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, get_args

from .. import arguments
from ..errors import Erased, StoreError
from ..events import CallEnded, EndReason
from ..guard import Guard
from ..records.fact import Claim
from ..records.summary import Summary
from ..tasks import outlived, within
from .settle import open_items_of, rule_claims, write_call
from .speakers import relabel
from .summary import summarise, summarise_rules
from .vectors import renew

if TYPE_CHECKING:
    from ..call import CallMemory

logger = logging.getLogger(__name__)

PATIENCE = 120.0
"""Longest that unfinished model work of an ended call is waited for in the background, seconds."""


class Closing:
    """The end of one call."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._memory = call.memory
        self._task: asyncio.Task[Summary | None] | None = None

    async def close(self, reason: str) -> Summary | None:
        """See `CallMemory.close`."""
        arguments.one_of("call.close(reason=)", reason, get_args(EndReason))
        if self._task is None:
            self._call.apply(CallEnded(t=self._call.elapsed, reason=reason))  # pyright: ignore[reportArgumentType] - checked above
            self._task = self._memory.tasks.spawn(self.run(reason), "close")
        return await outlived(self._task)

    async def run(self, reason: str) -> Summary | None:
        """Finish as far as `settings.drain` allows; the rest goes on in the background.

        A short drain still leaves the journal `settings.store_timeout` to become durable.

        A call that crashed gets no clean-up: its job stays in the store for the next worker.
        """
        call = self._call
        call.reader.prefetch.cancel()
        if reason == "crash":
            return None
        if any(left.late for left in call.identity.left):
            self._memory.tasks.spawn(self._memory.keeper.hands.settle_late(call), "settle what came late")
        if call.journal.file is None and not call.caller.known:
            summary = self._by_rules()
            self._tell(summary)
            self._memory.tasks.spawn(self._leave(), "leave")
            return summary
        finish = self._memory.tasks.spawn(self.finish(), "finish")
        done, summary = await within(self._memory.clock, call.settings.drain, asyncio.shield(finish))
        if not done:
            # What was said must be found by whoever answers the next call, in this process or another.
            spare = max(0.0, call.settings.store_timeout - call.settings.drain)
            await within(self._memory.clock, spare, call.kept.durable())
            summary = self._by_rules()
        self._tell(summary)
        return summary

    async def finish_late(self) -> Summary:
        """Finish a call that its journal told: what the deep path has not answered is asked for first."""
        call = self._call
        for turn in call.findings.missing():
            call.writer.turn(turn, [i for i in call.course.history() if i.turn <= turn.number])
        return await self.finish()

    async def finish(self) -> Summary:
        """Drain the writer, summarise, write the profile, finish the job."""
        call = self._call
        left = await call.writer.drain(PATIENCE)
        if call.kept.begun_elsewhere and call.live:
            return await self._whole()
        summary = await summarise(
            self._memory.model,
            call=call.id,
            clock=self._memory.clock,
            settings=call.settings,
            course=call.course,
            usage=call.writer.usage,
            fallback=self._by_rules(),
            aside=self._memory.aside,
        )
        if call.summary is not None and call.summary != summary:
            # The caller's side was told a first version before the model had answered.
            summary = replace(summary, version=call.summary.version + 1)
        # A call may be over before its file is open, or while it moves to another caller's file.
        await call.kept.durable()
        file = call.journal.file
        if file is None or not call.course.started.remember or self._memory.keeper.live.goes_on(call):
            self._memory.keeper.let_go(call)
            return summary
        try:
            claims = await self._labelled()
            line, strength = call.settings.line_of_business, int(call.caller.strength)
            await write_call(
                file,
                call.kept.meta,
                call.course,
                [*claims, *rule_claims(call.course, strength, line)],
                summary,
                embedder=self._memory.embedder,
                usage=call.writer.usage,
                line=line,
                clock_now=self._memory.clock.now,
                parked=left,
            )
            await self._memory.keeper.left.retain(file)
            if left == 0:
                await self._memory.keeper.finish(call, file)
            if self._memory.embedder is not None:
                page = self._memory.settings.recall_calls
                self._memory.tasks.spawn(renew(file, self._memory.embedder, call.id, page), "renew vectors")
        except Erased:
            logger.info("call %s ended after its caller was forgotten; nothing was kept", call.id)
        except StoreError as error:
            logger.error("call %s: %s; it will be settled later from the journal", call.id, error)
        self._memory.keeper.let_go(call)
        call.summary = summary
        return summary

    async def _whole(self) -> Summary:
        """Another process held this call before, or its caller was on the line before: from its journal."""
        call, keeper = self._call, self._memory.keeper
        await call.kept.durable()
        file = call.journal.file
        if file is None or keeper.live.goes_on(call):
            keeper.let_go(call)
            return self._by_rules()
        try:
            await file.open_call(call.kept.meta)  # who held it before may have settled it without our turns
            whole = await self._memory.archive.revive(file, call.id)
        except Erased:
            whole = None
        except StoreError as error:
            logger.error("call %s: %s; it will be settled later from the journal", call.id, error)
            whole = None
        if whole is None:
            keeper.let_go(call)
            return self._by_rules()
        keeper.live.stand_in(call, whole)
        whole.summary = call.summary
        whole.caller = call.caller
        whole.writer.usage.include(call.writer.usage)
        call.summary = await Closing(whole).finish_late()
        return call.summary

    def _tell(self, summary: Summary | None) -> None:
        """The call is over; comes exactly once."""
        self._call.summary = summary
        if summary is not None:
            news = {"version": summary.version, "open_items": len(summary.open_items)}
            self._call.telling.news("summary", **news)

    async def _leave(self) -> None:
        """A call of nobody is over when nothing is asked about it any more."""
        await self._call.writer.idle()
        self._memory.keeper.let_go(self._call)

    async def _labelled(self) -> list[Claim]:
        """The call's claims, moved to their speakers where the app corrects labels after the call."""
        call, hook = self._call, self._memory.speaker_labels
        if hook is None:
            return call.findings.claims
        turns, claims = call.course.ledger.turns, call.findings.claims
        # The app's hook may do and give anything: that is no fault of ours, in tests neither.
        with Guard(call.id, strict=False, warn=logger.warning)("its speaker labels"):
            _, labels = await within(self._memory.clock, PATIENCE, hook.label(call.id, turns))
            if labels is None:
                return claims
            work, said = partial(relabel, claims, turns, labels), sum(len(claim.quote) for claim in claims)
            return await self._memory.aside.run(work, chars=said)
        call.count("labels_failed")
        return claims

    def _by_rules(self) -> Summary:
        course = self._call.course
        return summarise_rules(course, open_items_of(course), line=self._call.settings.line_of_business)
