"""Values that are voted on: digits, phone numbers, e-mail addresses, numbers, times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, get_args

from pipecat_memory.notes.fusion.channel import Sound, letter_row, prefix_costs
from pipecat_memory.notes.fusion.evidence import Attempt, mixture, rank_weights
from pipecat_memory.notes.spoken import Kind, find

NOTHING = 6.0
"""Cost per attempt at which nothing that was proposed is taken to be right."""
FLOOR = 9.0
OTHER = 4.0
"""Cost of hearing another value."""

Heard = list[list[tuple[Any, float]]]
"""Each attempt as what its hypotheses say, best first: the value and its price."""


def heard_values(
    kind: str,
    attempts: Sequence[Attempt],
    at: datetime,
    language: str | None,
    timezone: str,
    pattern: str | None,
) -> Heard:
    """Each attempt as the surest value in each hypothesis; a kind that is no spoken value is its text."""
    found: Heard = []
    for attempt in attempts:
        values: list[tuple[Any, float]] = []
        for text in attempt.texts:
            if kind in get_args(Kind):
                spans = find(text, kind, language=language, at=at, timezone=timezone, pattern=pattern)  # pyright: ignore[reportArgumentType]  # just checked
                best = max(spans, key=lambda span: span.certainty, default=None)
                if best:
                    values.append((best.value, 1.0 - best.certainty))
            else:
                values.append((" ".join(text.split()), 0.3))
        if values:
            found.append(values)
    return found


def value_scores(heard: Heard) -> dict[Any, float]:
    """Log likelihood of every value that was heard."""
    return known_value_scores(heard, {value: None for attempt in heard for value, _ in attempt})


def known_value_scores(heard: Heard, values: Iterable[Any]) -> dict[Any, float]:
    """Log likelihood of given values."""
    weights = [rank_weights(len(attempt)) for attempt in heard]
    return {
        value: sum(
            mixture((price + _distance(value, other) for other, price in attempt), shares, FLOOR)
            for attempt, shares in zip(heard, weights, strict=True)
        )
        for value in values
    }


def _distance(said: Any, heard: Any) -> float:
    """Cost of hearing one value for another: digit by digit in strings of digits."""
    if said == heard:
        return 0.0
    if isinstance(said, str) and isinstance(heard, str) and said.isascii() and heard.isascii():
        a, b = _tight(said), _tight(heard)
        if a == b:
            return 0.0
        if a and b and any(mark.isdigit() for mark in a):
            return min(
                OTHER, prefix_costs(a, tuple(Sound(mark, letter_row(mark), word=False) for mark in b))[-1]
            )
    return OTHER


def _tight(text: str) -> str:
    return "".join(mark for mark in text.lower() if mark.isalnum())
