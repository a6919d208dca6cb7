"""What the agent did on a call: one record a heard reply, with what it was told and the tools it called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..course import Course
from ..records.action import Action

HEARD, SOURCES = 300, 20
"""Characters of a reply, and ids of briefing lines, that are kept of it: a record takes 2 kB at most."""


def actions_of(course: Course, sources: Mapping[str, Sequence[str]]) -> list[Action]:
    """The agent's actions, in order; `sources` are its briefing lines by reply."""
    called: dict[int, list[dict[str, Any]]] = {}
    for tool in course.ledger.tools:
        called.setdefault(tool.turn, []).append({"id": tool.id, "name": tool.name, "status": tool.status})
    heard = [item for item in course.history() if item.role == "assistant"]
    return [
        Action(
            step=f"{course.started.call}:{step}",
            call=course.started.call,
            turn=item.turn,
            reply=item.reply,
            heard=item.text[:HEARD],
            tools=tuple(called.get(item.turn, ())),
            sources=tuple(sources.get(item.reply or "", ()))[:SOURCES],
        )
        for step, item in enumerate(heard, 1)
    ]
