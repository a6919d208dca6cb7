"""Our own frames: what memory tells the pipeline, and what an app may tell memory.

All are system frames: they take effect at once and no interruption drops them. The pushed ones hold ids
and counts only, never what a caller said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipecat.frames.frames import SystemFrame
from pipecat.metrics.metrics import ProcessingMetricsData

from ..records.caller import Caller, How


@dataclass
class MemoryFrame(SystemFrame):
    """Base of the frames that memory pushes.

    Parameters:
        call_id: the call.
        counts: what was done, by name.
        ids: ids of the records concerned.
    """

    interruptible: bool = field(default=False, init=False)

    call_id: str
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    ids: Sequence[str] = ()


@dataclass
class MemoryPreloadedFrame(MemoryFrame):
    """The caller's memory is in this process (or there is none to load)."""


@dataclass
class MemoryRecalledFrame(MemoryFrame):
    """The model was told something that this turn brought back; `ids` are briefing lines."""


@dataclass
class MemoryStoredFrame(MemoryFrame):
    """A turn and what came from it are stored."""


@dataclass
class CallSummaryFrame(MemoryFrame):
    """The call is summed up. Pushed only while the pipeline still runs; the event always comes."""


@dataclass
class MemoryIdentifyFrame(SystemFrame):
    """Tell memory who is on the line.

    Parameters:
        caller: the person.
        how: `number`, `claimed` or `verified`.
    """

    interruptible: bool = field(default=False, init=False)

    caller: Caller
    how: How


@dataclass
class MemoryPauseFrame(SystemFrame):
    """Off the record from here."""

    interruptible: bool = field(default=False, init=False)


@dataclass
class MemoryResumeFrame(SystemFrame):
    """On the record again."""

    interruptible: bool = field(default=False, init=False)


@dataclass
class MemoryDocumentsFrame(SystemFrame):
    """What the app's own retrieval found for this turn.

    Parameters:
        docs: `{"id", "text", "fields"?}` each.
    """

    interruptible: bool = field(default=False, init=False)

    docs: Sequence[Mapping[str, Any]]


class MemoryMetricsData(ProcessingMetricsData):
    """What memory added to one reply.

    Parameters:
        added_ms: milliseconds between the turn's context and the LLM.
    """

    added_ms: float
