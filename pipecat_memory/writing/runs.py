"""One call that several processes held in turn (its line went on when the first one died), told as one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ..events import (
    Event,
    ReplyEnded,
    ReplyHeard,
    ReplyStarted,
    ReplyText,
    ToolCalled,
    ToolReturned,
    UserFinal,
    UserTyped,
)
from ..stores.base import Entry

_PARTED = re.compile(r"(?:p\d+-)+\Z")
"""What the names of runs end with in which somebody else was on the line; others end with hex digits."""


@dataclass(slots=True, repr=False)
class Run:
    """What one process wrote of a call.

    Args:
        name: stands before the ids of its records and the keys of its turns.
        start: when it took the call; its events count from there. None: with the call itself.
    """

    name: str
    start: datetime | None
    entries: list[Entry] = field(default_factory=list[Entry])

    @property
    def process(self) -> str:
        """The run of whom the same process heard first: its runs, one a person, count on one clock."""
        return _PARTED.sub("", self.name)


def runs_of(entries: Sequence[Entry], starts: Mapping[str, str]) -> list[Run]:
    """A call's records by the process that wrote them, in order of when those began.

    Args:
        entries: the journal of the call.
        starts: when each run began, from the head of the call. Records of a run that is not named
            there are of a process that held the call from its start.
    """
    runs: dict[str, Run] = {}
    for entry in entries:
        name = run_of(entry)
        start = datetime.fromisoformat(starts[name]) if name in starts else None
        key = name if name in starts else ""
        runs.setdefault(key, Run(key, start)).entries.append(entry)
    return sorted(runs.values(), key=lambda run: (run.start.timestamp() if run.start else 0.0, run.name))


def run_after(run: str, left: int) -> str:
    """The run that a process goes on with when that many persons have left the line."""
    return f"{run}p{left}-"


def run_of(entry: Entry) -> str:
    """The run that a record belongs to: what a turn's key or a record's id begins with."""
    id = entry.uid.split(":")[1] if entry.kind == "claims" else entry.uid
    head, dash, _ = id.rpartition("-")
    return head + dash


class Telling:
    """Tells the events of one run after another on the clock of the whole call."""

    def __init__(self) -> None:
        self._run = ""
        self._shift = 0.0
        self._before: dict[str, str] = {}
        """Ids that earlier runs used, with the words of finals."""
        self._now: dict[str, str] = {}

    def begin(self, run: str, shift: float) -> None:
        """The next run, whose events happened `shift` seconds later than they say."""
        self._run, self._shift = run, shift
        self._before |= self._now
        self._now = {}

    def told(self, event: Event) -> Event | None:
        """The event as one of the whole call; None where an earlier run told it already.

        The same final is one: same id, same words. Any other id that an earlier run used too is
        another thing here, for ids of replies and tools often only count.
        """
        match event:
            case UserFinal(id=str(id)) | UserTyped(id=str(id)):
                place = f"said {id}"
                if self._before.get(place) == event.text:
                    return None
                event = replace(event, id=self._named(place, id, event.text))
            case ReplyStarted(reply=id) | ReplyText(reply=id) | ReplyHeard(reply=id) | ReplyEnded(reply=id):
                event = replace(event, reply=self._named(f"reply {id}", id))
            case ToolCalled(id=id):
                event = replace(event, id=self._named(f"tool {id}", id))
            case ToolReturned(id=id) if f"tool {id}" in self._now:
                event = replace(event, id=self._named(f"tool {id}", id))
            case _:
                pass
        return self._later(event)

    def _named(self, place: str, id: str, words: str = "") -> str:
        self._now[place] = words
        return f"{self._run}{id}" if place in self._before else id

    def _later(self, event: Event) -> Event:
        if not self._shift:
            return event
        event = replace(event, t=event.t + self._shift)
        if isinstance(event, UserFinal) and event.started is not None:
            event = replace(event, started=event.started + self._shift)
        return event


def shift_of(run: Run, at: datetime, latest: datetime) -> float:
    """Seconds between the call's start and a run's; never so few that the runs overlap."""
    return max((run.start or at) - at, latest - at, timedelta(0)).total_seconds()
