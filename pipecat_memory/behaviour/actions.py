"""What the agent did on a call: one record a heard reply, with what it was told and the tools it called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..records.action import Action

if TYPE_CHECKING:
    from ..calls.stay import Stay

HEARD, SOURCES = 300, 20
"""Characters of a reply, and ids of briefing lines, that are kept of it: a record takes 2 kB at most."""


def actions_of(stays: Iterable[Stay]) -> list[Action]:
    """The agent's actions in one call, in order, whoever was on the line."""
    actions: list[Action] = []
    for stay in stays:
        actions += _actions(stay, len(actions))
    return actions


def _actions(stay: Stay, before: int) -> list[Action]:
    course = stay.course
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
            sources=tuple(stay.sources.get(item.reply or "", ()))[:SOURCES],
        )
        for step, item in enumerate(heard, before + 1)
    ]
