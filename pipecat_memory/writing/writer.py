"""The background writer of one call: one ordered queue, one request at a time, nothing lost.

A committed turn waits here for the model. The turn is already in the journal, so whatever is left
when the call or the process ends can be asked for again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..clients.base import LanguageModel, Usage
from ..clock import Clock
from ..config import Settings
from ..errors import ModelError
from ..events import CallStarted
from ..records.schema import MemorySchema
from ..records.turn import HistoryItem, Turn
from ..tasks import within
from .answer import read_extract
from .aside import Aside
from .ask import Choosy, ask
from .extract import ExtractionResult, request_for, results_of
from .pace import Mode, Pace
from .scene import Scene
from .signal import low_signal

logger = logging.getLogger(__name__)

Deliver = Callable[[ExtractionResult], None]

ITEM = 100
"""Characters of a turn that are searched in the time that an item of an answer takes anyway."""


@dataclass(slots=True)
class _Waiting:
    turn: Turn
    before: Sequence[HistoryItem]


class Writer:
    """Extracts from the turns of one call, in order, in the background.

    Args:
        call_id: the call.
        model: whom to ask; None turns everything off.
        clock: measures deadlines.
        settings: timeouts, window, token budget.
        mode: `per_turn`, `window` (every `extraction_window` turns), `per_call` (at the end), `off`.
        deliver: gets one result a turn, on the loop, in order; again when a turn was amended.
        started: the call's opening.
        schema: the app's.
        strength: of the caller's identity, now.
        caller_voice: the recogniser's label of the caller where the app knows it; else the first
            label heard counts as the caller's.
        usage: where requests are counted; None counts them for this call alone.
        aside: where long work is done.

    Attributes:
        caller_voice: may be set during the call.
        labels_sure: False while a second person may be speaking under the caller's label: facts
            of turns read meanwhile wait.
    """

    def __init__(
        self,
        call_id: str,
        model: LanguageModel | None,
        clock: Clock,
        settings: Settings,
        mode: Mode,
        deliver: Deliver,
        *,
        started: CallStarted,
        schema: MemorySchema,
        strength: Callable[[], int] = lambda: 1,
        caller_voice: str | None = None,
        usage: Usage | None = None,
        aside: Aside | None = None,
    ) -> None:
        self.usage = usage or Usage()
        self._aside = aside or Aside()
        self.counters = dict.fromkeys(
            ("turns_extracted", "turns_parked", "turns_skipped", "model_calls", "facts_rejected"), 0
        )
        self.caller_voice = caller_voice
        self.labels_sure = True
        self.parked: dict[str, Turn] = {}
        self._call = call_id
        self._model = model if mode != "off" else None
        self._clock = clock
        self._settings = settings
        self._pace = Pace(mode, settings.extraction_window)
        self._deliver = deliver
        self._started = started
        self._schema = schema
        self._strength = strength
        self._waiting: dict[str, _Waiting] = {}
        self._asked: dict[str, Turn] = {}
        self._done: dict[str, str] = {}
        self._latest: dict[str, Turn] = {}
        self.other_voices: set[str] = set()
        """Labels that the app introduced as somebody else's."""
        self._voices: list[str] = []
        self._work: asyncio.Task[None] | None = None

    def turn(self, turn: Turn, before: Sequence[HistoryItem]) -> None:
        """Schedule a committed turn, or an amended one. The same text again is no work.

        Args:
            turn: its key is what makes it the same turn; its number may change.
            before: the history up to it.
        """
        self._hear(turn)
        if self._model is None or turn.trust == "low" or self._done.get(turn.key) == turn.text:
            return
        asked = self._asked.get(turn.key)
        if asked is not None and asked.text == turn.text:
            return
        if low_signal(turn, before) or not self._wanted(self._model, turn):
            self.counters["turns_skipped"] += 1
            self._waiting.pop(turn.key, None)
            return
        self.parked.pop(turn.key, None)
        self._waiting[turn.key] = _Waiting(turn, tuple(before))
        self._start()

    amend = turn

    def forget(self, key: str) -> None:
        """Drop a turn: it is not asked for, and what was asked is not delivered."""
        for held in (self._waiting, self._asked, self._done, self.parked, self._latest):
            held.pop(key, None)

    def begin_anew(self) -> None:
        """Somebody else is on the line: nothing of who was there is asked for here, or delivered."""
        for key in list(self._latest):
            self.forget(key)
        self.caller_voice, self.labels_sure = None, True
        self.other_voices.clear()
        self._voices.clear()

    @property
    def asks(self) -> bool:
        """Whether there is a model to ask; without one no turn needs what stood before it."""
        return self._model is not None

    @property
    def busy(self) -> bool:
        """Whether something is being asked now."""
        return self._work is not None and not self._work.done()

    async def idle(self) -> None:
        """Wait until nothing is being asked. Modes that wait for more turns are idle meanwhile."""
        while self._work is not None and not self._work.done():
            await asyncio.wait({self._work})

    async def drain(self, seconds: float) -> int:
        """Ask for everything that waits, whatever the mode, at most so many seconds.

        Returns:
            How many turns are left: not asked, not answered, or parked. They can be asked for again.
        """
        self._pace.ending = True
        self._start()
        finished, _ = await within(self._clock, seconds, self.idle())
        if not finished and self._work is not None:
            self._work.cancel()
            await asyncio.wait({self._work})
        return self.left

    @property
    def left(self) -> int:
        """How many turns have no answer: not asked, being asked, or parked."""
        return len(self._waiting) + len(self._asked) + len(self.parked)

    # Inside.

    def _hear(self, turn: Turn) -> None:
        self._latest[turn.key] = turn
        for segment in turn.segments:
            if segment.speaker is not None and segment.speaker not in self._voices:
                self._voices.append(segment.speaker)

    def _wanted(self, model: LanguageModel, turn: Turn) -> bool:
        return not isinstance(model, Choosy) or model.wants(self._call, "extract", (turn.number,))

    def _start(self) -> None:
        if self._model is not None and (self._work is None or self._work.done()) and self._take(peek=True):
            work = self._run(self._model)
            self._work = asyncio.get_running_loop().create_task(
                work, name=f"pipecat-memory writer {self._call}"
            )

    def _take(self, *, peek: bool = False) -> list[_Waiting]:
        """The turns of the next request, by number; none where the mode waits for more."""
        ready = sorted(self._waiting.values(), key=lambda waiting: waiting.turn.number)
        if not ready or self._model is None:
            return []
        size = self._pace.size(self._model, len(ready))
        taken = ready[:size]
        if not peek:
            for waiting in taken:
                del self._waiting[waiting.turn.key]
                self._asked[waiting.turn.key] = waiting.turn
        return taken

    async def _run(self, model: LanguageModel) -> None:
        while taken := self._take():
            turns = [waiting.turn for waiting in taken]
            try:
                await self._extract(model, taken)
            except ModelError as error:
                self._park(turns, type(error).__name__)
            except Exception as error:  # noqa: BLE001  # the queue's one guard: a fault costs its own turns only
                self._park(turns, f"fault {type(error).__name__}")
            finally:
                for turn in turns:
                    if self._asked.get(turn.key) is turn and not self._settled(turn):
                        # Cancelled in the middle: it waits again, for whoever comes next.
                        self._waiting.setdefault(turn.key, taken[turns.index(turn)])
                    if self._asked.get(turn.key) is turn:
                        del self._asked[turn.key]

    async def _extract(self, model: LanguageModel, taken: Sequence[_Waiting]) -> None:
        turns = [waiting.turn for waiting in taken]
        if self.usage.tokens >= self._settings.call_token_budget:
            self._park(turns, "token budget")
            return
        before = taken[-1].before
        scene, said = self.scene(before), sum(len(turn.text) for turn in turns)
        request = await self._aside.run(lambda: request_for(turns, scene), chars=said)
        try:
            raw = await ask(
                model,
                request,
                read_extract,
                clock=self._clock,
                seconds=self._settings.model_timeout,
                usage=self.usage,
                aside=self._aside,
            )
        finally:
            self.counters["model_calls"] = self.usage.by_purpose.get("extract", {}).get("requests", 0)
        # Words or a number may have been amended meanwhile; quotes are held to the turn as it is now.
        current = [self._latest.get(turn.key, turn) for turn in turns]
        raw = raw.renumbered({turn.number: new.number for turn, new in zip(turns, current, strict=True)})
        scene = self.scene(before)
        items, longest = len(raw.facts) + len(raw.slots), max(len(turn.text) for turn in current)
        judge = partial(results_of, raw, turns, current, scene)
        for result in await self._aside.run(judge, chars=items * (ITEM + longest)):
            asked = self._asked.get(result.turn.key)
            if asked is None:
                continue  # forgotten meanwhile
            self.counters["facts_rejected"] += result.rejected
            self.counters["turns_extracted"] += result.turn.key not in self._done
            self._done[result.turn.key] = asked.text
            self._deliver(result)

    def scene(self, before: Sequence[HistoryItem]) -> Scene:
        """What the grounding of these turns may look at."""
        return Scene(
            started=self._started,
            schema=self._schema,
            before=before,
            caller_voice=self.caller_voice
            or next((voice for voice in self._voices if voice not in self.other_voices), None),
            other_voices=frozenset(self.other_voices),
            labels_sure=self.labels_sure,
            strength=max(1, self._strength()),
            line=self._settings.line_of_business,
        )

    def _park(self, turns: Sequence[Turn], reason: str) -> None:
        for turn in turns:
            if turn.key in self._asked:
                self.parked[turn.key] = turn
        self.counters["turns_parked"] = len(self.parked)
        logger.warning("call %s: %d turn(s) parked: %s", self._call, len(turns), reason)

    def _settled(self, turn: Turn) -> bool:
        return self._done.get(turn.key) == turn.text or turn.key in self.parked

    def __repr__(self) -> str:
        return f"<Writer {self._call} waiting={len(self._waiting)} parked={len(self.parked)}>"
