"""What a caller had struck out of a call: it stays in the journal as said, but without words.

Whoever tells the call from its journal then forgets the same turn at the same moment, with all that came
from it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from ..events import (
    Dtmf,
    Event,
    ReplyHeard,
    ReplyStarted,
    ReplyText,
    ToolCalled,
    ToolReturned,
    UserFinal,
    UserPartial,
    UserTyped,
    encode,
    from_mapping,
)
from ..records.turn import Turn

WORDS = "[forgotten]"
"""Stands where the words stood: letters, so that what was a turn is one."""

INTERIM = "[forgotten interim]"
"""The same of interim words that stand for a turn: no finals hold these, or they would count as said there."""

Record = tuple[str, str, float, bytes]
"""Of a journal: uid, kind, Unix time, payload."""


class Struck:
    """What was struck out of one call by this run."""

    def __init__(self) -> None:
        self._turns: list[tuple[Turn, float]] = []
        self._replies: set[str] = set()
        self._tools: set[str] = set()

    def strike(self, turn: Turn, until: float, records: Sequence[Record]) -> list[Record]:
        """Strike a turn out, with all that began from its start until that second of the call.

        Returns:
            The records without their words; without the claims that were found in the turn.
        """
        kept: list[Record] = []
        for record in records:
            uid, kind, at, payload = record
            fields = msgspec.json.decode(payload)
            if kind == "claims":
                if fields["turn"] != turn.key:
                    kept.append(record)
                continue
            event = from_mapping(fields) if fields.get("t", 0.0) >= turn.started else None
            if event is not None:
                self._note(event, event.t <= until)
            if event is None or not (_is_of(turn, event, until) or self._came_of_it(event)):
                kept.append(record)
            else:
                kept.append((uid, kind, at, msgspec.json.encode(encode(self._wordless(event)))))
        self._turns.append((turn, until))
        return kept

    def told(self, event: Event) -> Event:
        """A new event as it may be kept: late words of a struck turn, or of what came from it, go."""
        for turn, until in self._turns:
            self._note(event, turn.started <= event.t < until)
        struck = any(_is_of(turn, event) for turn, _ in self._turns) or self._came_of_it(event)
        return self._wordless(event) if struck else event

    def _note(self, event: Event, came_of_it: bool) -> None:
        if not came_of_it:
            return
        if isinstance(event, ReplyStarted):
            self._replies.add(event.reply)
        elif isinstance(event, ToolCalled):
            self._tools.add(event.id)

    def _came_of_it(self, event: Event) -> bool:
        match event:
            case ReplyText(reply=reply) | ReplyHeard(reply=reply):
                return reply in self._replies
            case ToolCalled(id=id) | ToolReturned(id=id):
                return id in self._tools
            case _:
                return False

    def _wordless(self, event: Event) -> Event:
        match event:
            case UserFinal():
                return replace(event, text=WORDS, nbest=())
            case UserPartial():
                return replace(event, text=INTERIM)
            case UserTyped() | ReplyText() | ReplyHeard():
                return replace(event, text=WORDS)
            case Dtmf():
                return replace(event, digits="0")
            case ToolCalled():
                return replace(event, args={})
            case ToolReturned():
                return replace(event, result=None)
            case _:
                return event


def _is_of(turn: Turn, event: Event, until: float = 0.0) -> bool:
    """Whether an event is one of the turn's finals, entries or partials, or stood between them.

    What has neither an id nor the moment when it began is told by its words and its own moment; a partial, by
    its words up to `until`.
    """
    if not isinstance(event, UserFinal | UserTyped | UserPartial | Dtmf):
        return False
    id = getattr(event, "id", None)
    if id is not None and any(segment.id == id for segment in turn.segments):
        return True
    started = event.started if isinstance(event, UserFinal) else None
    if started is not None:
        return turn.started <= started <= turn.segments[-1].started
    words = event.digits if isinstance(event, Dtmf) else event.text
    return any(
        segment.text == words
        and (
            segment.started <= event.t <= until
            if isinstance(event, UserPartial)
            else segment.started == event.t
        )
        for segment in turn.segments
    )
