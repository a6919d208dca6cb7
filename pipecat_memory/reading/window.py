"""Which messages of a long conversation the model still gets. Pure: messages in, messages out.

Turns leave the window at its old end, whole: a tool call never loses its result. Instructions (system and
developer messages) stay, word for word, wherever they stand. The window moves in steps of half its size, so
that the start of the prompt stays the same for several turns and can be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

M = TypeVar("M")
Mode = Literal["off", "last_n", "summary", "hybrid"]
Read = Callable[[M], Mapping[str, Any] | None]
"""Reads a message as a mapping, or None where it has a form that only its provider knows."""

SUMMARY_KEEPS = 2
"""Turns that stay raw under `summary`: the exchange that goes on, and the one it refers to."""


def select(
    messages: Sequence[M], *, mode: Mode, turns: int, covered: int | None = None, read: Read[M]
) -> list[M]:
    """The messages that stay.

    Args:
        messages: the whole conversation.
        mode: `last_n` drops older turns; `summary` and `hybrid` drop only turns that a summary covers,
            `summary` all but the last two of them.
        turns: user turns that stay raw at least.
        covered: how many of the oldest turns stand in a summary by now; None is none.
        read: how to read a message.

    Returns:
        A new list, in the same order.
    """
    if mode == "off":
        return list(messages)
    starts = [i for i, m in enumerate(messages) if _role(read(m)) == "user"]
    excess = leaving(messages, mode=mode, turns=turns, read=read)
    if mode != "last_n":
        excess = min(excess, covered or 0)
    if excess <= 0:
        return list(messages)
    cut = starts[excess]
    kept = _whole(messages, cut, read)
    return [m for i, m in enumerate(messages) if i >= cut or i in kept]


def leaving(messages: Sequence[M], *, mode: Mode, turns: int, read: Read[M]) -> int:
    """How many of the oldest turns should leave; see `select`."""
    keep = max(1, SUMMARY_KEEPS if mode == "summary" else turns)
    step = max(1, keep // 2)
    count = sum(_role(read(m)) == "user" for m in messages)
    return max(0, (count - keep) // step * step)


def _whole(messages: Sequence[M], cut: int, read: Read[M]) -> set[int]:
    """Indices before the cut that stay: instructions, and calls whose results stand behind it."""
    kept: set[int] = set()
    called: dict[str, int] = {}
    for i, message in enumerate(messages):
        body = read(message)
        if i < cut and _role(body) in ("system", "developer"):
            kept.add(i)
        for call in _calls(body):
            called[call] = i
        answers = str((body or {}).get("tool_call_id") or "")
        if _role(body) == "tool" and i >= cut and called.get(answers, cut) < cut:
            kept.add(called[answers])
    # A call that stays needs all of its results, those before the cut included.
    needed = {call for i in kept for call in _calls(read(messages[i]))}
    kept |= {
        i
        for i, m in enumerate(messages[:cut])
        if _role(read(m)) == "tool" and str((read(m) or {}).get("tool_call_id")) in needed
    }
    return kept


def _role(body: Mapping[str, Any] | None) -> str:
    return str((body or {}).get("role") or "")


def _calls(body: Mapping[str, Any] | None) -> list[str]:
    calls = (body or {}).get("tool_calls")
    return (
        [str(call.get("id")) for call in calls if isinstance(call, Mapping)]
        if isinstance(calls, list)
        else []
    )
