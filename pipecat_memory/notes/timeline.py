"""What moved the notes of one call, step by step, so that any step can be redone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from .book import Notes, hear
from .heard import Heard

Kind = Literal["turn", "patch", "correct", "rollback", "settle"]


@dataclass(slots=True)
class _Step:
    kind: Kind
    key: str
    run: Callable[[Notes], Notes]
    after: Notes
    heard: Heard | None = None
    """The turn it took, where it took one."""


class Timeline:
    """The steps from blank notes to the present ones.

    Args:
        blank: the notes before anything was said.
    """

    def __init__(self, blank: Notes) -> None:
        self.base = blank
        self._steps: list[_Step] = []
        self._places: dict[tuple[Kind, str], int] = {}
        """Where each step stands, by kind and key: a call may have thousands."""

    @property
    def notes(self) -> Notes:
        """The notes as they stand."""
        return self._steps[-1].after if self._steps else self.base

    def rebase(self, base: Notes) -> None:
        """Begin with other notes, and fold everything on from them."""
        self.base = base
        self._refold(0)

    def add(self, kind: Kind, key: str, run: Callable[[Notes], Notes]) -> None:
        """One more step, behind all others."""
        self._append(_Step(kind, key, run, run(self.notes)))

    def put_back(self, key: str, keys: Iterable[str], back: Callable[[Notes, Notes], Notes]) -> None:
        """One more step: back to before the first of these turns, as the notes stand there when it is folded.

        Args:
            key: of the step.
            keys: of the turns.
            back: makes the notes of the present ones and those.
        """
        turns = tuple(keys)

        def run(notes: Notes) -> Notes:
            place = self._first_of(turns)
            return back(notes, notes if place is None else self._start_of(place))

        self.add("rollback", key, run)

    def redo(self, kind: Kind, key: str, run: Callable[[Notes], Notes], heard: Heard | None = None) -> None:
        """Replace the step of that kind and key, or add it at the end, and fold on from there.

        Args:
            kind: of the step.
            key: of the step; the turn's, where it belongs to one.
            run: what it makes of the notes.
            heard: the turn that it takes, where it takes one.
        """
        found = self._found(kind, key)
        if found is None:
            self._append(_Step(kind, key, run, run(self.notes), heard))
            return
        self._steps[found] = replace(self._steps[found], run=run, heard=heard)
        self._refold(found)

    def hear(self, heard: Heard) -> None:
        """A turn as it stands now; its mere end adds no words, and costs no fold."""
        found = self._found("turn", heard.key)
        before = None if found is None else self._steps[found].heard
        if before is not heard and before != heard:
            self.redo("turn", heard.key, _hearing(heard), heard)

    def drop(self, key: str) -> None:
        """A turn is forgotten, and what was found in it."""
        index = next((i for i, s in enumerate(self._steps) if s.key == key), None)
        self._put([s for s in self._steps if s.key != key])
        if index is not None:
            self._refold(index)

    def reorder(self, turns: Iterable[Heard]) -> None:
        """A late turn slipped in between: fold all turns again, in the order they were spoken."""
        blocks: dict[str, list[_Step]] = {}
        current = ""
        for step in self._steps:
            current = step.key if step.kind == "turn" else current
            blocks.setdefault(current, []).append(step)
        steps = list(blocks.pop("", []))
        for heard in turns:
            for step in blocks.pop(heard.key, []):
                turned = step.kind == "turn"
                steps.append(replace(step, run=_hearing(heard), heard=heard) if turned else step)
        self._put(steps + [step for block in blocks.values() for step in block])
        self._refold(0)

    def before(self, keys: Iterable[str]) -> Notes:
        """The notes as they were before the first turn of these; the present ones where there is none."""
        place = self._first_of(keys)
        return self.notes if place is None else self._start_of(place)

    def patched(self, keys: Iterable[str]) -> bool:
        """Whether the model's findings for any of these turns have entered the notes."""
        return any(("patch", key) in self._places for key in keys)

    def _first_of(self, keys: Iterable[str]) -> int | None:
        """Where the first turn of these stands."""
        return min((p for key in keys if (p := self._found("turn", key)) is not None), default=None)

    def _found(self, kind: Kind, key: str) -> int | None:
        return self._places.get((kind, key))

    def _append(self, step: _Step) -> None:
        self._places[step.kind, step.key] = len(self._steps)
        self._steps.append(step)

    def _put(self, steps: list[_Step]) -> None:
        self._steps = steps
        self._places = {(step.kind, step.key): place for place, step in enumerate(steps)}

    def _start_of(self, index: int) -> Notes:
        return self._steps[index - 1].after if index else self.base

    def _refold(self, index: int) -> None:
        for i in range(index, len(self._steps)):
            step = self._steps[i]
            self._steps[i] = replace(step, after=step.run(self._start_of(i)))


def _hearing(heard: Heard) -> Callable[[Notes], Notes]:
    return lambda notes: hear(notes, heard)
