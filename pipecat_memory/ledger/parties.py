"""Who is on the line, by the recogniser's labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..events import Party

Who = Literal["caller", "other", "human_agent", "recording", "unsure"]
"""Whose words those of the far end are; "unsure" while somebody is on the line whose label nobody told."""


@dataclass(slots=True, repr=False)
class Parties:
    """The people on the line. A label nobody introduced is the caller's if it was heard first."""

    events: list[Party] = field(default_factory=list[Party])
    machine: bool = False
    """The far end was found to be no person: nothing it says is the caller's."""
    version: int = 0
    """Grows whenever words may have become somebody else's."""
    _labels: dict[str, float] = field(default_factory=dict[str, float])

    def take(self, event: Party) -> None:
        if event not in self.events:
            self.version += 1
            self.events.append(event)
            self.events.sort(key=lambda e: e.t)

    def label(self, speaker: str, started: float) -> None:
        """A label was heard, in speech that started then."""
        if started < self._labels.get(speaker, float("inf")):
            self.version += 1
            self._labels[speaker] = started

    def hear_machine(self) -> None:
        """A recording speaks."""
        self.version += 1
        self.machine = True

    @property
    def caller(self) -> str | None:
        """The caller's label, where one is known."""
        said = [e.speaker for e in self.events if e.role == "caller" and e.speaker is not None]
        if said:
            return said[0]
        free = [(started, label) for label, started in self._labels.items() if label not in self._others]
        return min(free)[1] if free else None

    @property
    def _others(self) -> set[str]:
        """Labels introduced as somebody else's."""
        return {e.speaker for e in self.events if e.role != "caller" and e.speaker is not None}

    def is_caller(self, speaker: str | None) -> bool:
        """False for the label of somebody else; words without a label count as the caller's."""
        if speaker is None or self.machine:
            return not self.machine
        return speaker not in self._others and self.caller in (None, speaker)

    def who(self, speaker: str | None, started: float) -> Who:
        """Whose words those under a label are, in speech that started then."""
        if self.machine:
            return "recording"
        roles: list[Who] = [e.role for e in self.events if e.speaker == speaker and speaker is not None]
        if roles:
            return roles[-1]
        if not self.is_caller(speaker):
            return "other"
        return "unsure" if speaker is None and self._unlabelled(started) else "caller"

    def _unlabelled(self, at: float) -> bool:
        """Whether somebody else was on the line then, under no label of their own."""
        known = [e for e in self.events if e.role != "caller" and e.speaker is None and e.t <= at]
        return bool(known) and known[-1].event == "joined"

    @property
    def present(self) -> tuple[Party, ...]:
        """Who joined and has not left, the caller not counted unless named."""
        here: dict[tuple[str, str | None], Party] = {}
        for event in self.events:
            if event.event == "joined":
                here[event.role, event.speaker] = event
            else:
                here.pop((event.role, event.speaker), None)
        return tuple(here.values())
