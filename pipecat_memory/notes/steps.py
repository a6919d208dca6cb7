"""Steps of a task: capped, merged, and folded once done."""

from __future__ import annotations

from collections.abc import Iterable

PENDING = 12
COMPLETED = 12
"""Steps kept of each kind. Past this the oldest completed ones fold into one line."""

LONGEST = 200
"""Characters of a step, a task or a topic: they stand in every briefing."""

_FOLDED = "… "


def short(text: str | None) -> str | None:
    """A one-line text within the cap; None where nothing is left."""
    if text is None:
        return None
    plain = " ".join(text.split())[:LONGEST].strip()
    return plain or None


def merge_pending(held: Iterable[str], new: Iterable[str], done: Iterable[str]) -> tuple[str, ...]:
    """Pending steps with new ones added and done ones taken off; the earliest stay."""
    finished = {_same(step) for step in done}
    return tuple(step for step in _unique((*held, *new)) if _same(step) not in finished)[:PENDING]


def merge_completed(held: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    """Completed steps, the oldest folded into a count."""
    steps = list(_unique((*held, *new)))
    folded = 0
    if steps and steps[0].startswith(_FOLDED):
        folded = int(steps.pop(0).removeprefix(_FOLDED).split()[0])
    over = len(steps) + (1 if folded else 0) - COMPLETED
    if over > 0:
        over += 0 if folded else 1
        folded, steps = folded + over, steps[over:]
    return (f"{_FOLDED}{folded} earlier", *steps) if folded else tuple(steps)


def _unique(steps: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for step in steps:
        kept = short(step)
        if kept is not None:
            found.setdefault(_same(kept), kept)
    return tuple(found.values())


def _same(step: str) -> str:
    return " ".join(step.casefold().split()).rstrip(".。!！")
