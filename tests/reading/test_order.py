"""The order in which hits are told: score, then time, then id; corrections first in their topic."""

from __future__ import annotations

import itertools

import pytest

from pipecat_memory.reading.entry import Entry, Hit, Standing
from pipecat_memory.reading.order import arranged


def hit(
    id: str,
    score: float,
    *,
    at: str = "",
    topic: str = "",
    status: Standing = "current",
    correction: bool = False,
) -> Hit:
    entry = Entry(id=id, kind="fact", text=id, at=at, topic=topic, status=status, correction=correction)
    return Hit(entry=entry, score=score, why={}, text=id, turns=(id,))


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param([hit("a", 1.0), hit("b", 2.0)], "ba", id="by-score"),
        pytest.param([hit("a", 1.0, at="2024"), hit("b", 1.0, at="2025")], "ba", id="ties-by-time"),
        pytest.param([hit("b", 1.0, at="2024"), hit("a", 1.0, at="2024")], "ab", id="then-by-id"),
        pytest.param(
            [hit("a", 3.0, topic="t"), hit("b", 2.0), hit("c", 1.0, topic="t", correction=True)],
            "cba",
            id="a-correction-takes-its-topic's-best-place",
        ),
        pytest.param(
            [hit("a", 2.0, topic="t", status="superseded"), hit("b", 1.0, topic="t")],
            "ba",
            id="current-before-superseded",
        ),
        pytest.param(
            [
                hit("a", 3.0, topic="t", status="superseded", correction=True),
                hit("b", 2.0, topic="t", correction=True),
                hit("c", 1.0, topic="t"),
            ],
            "bac",
            id="current-correction-before-superseded-correction",
        ),
        pytest.param(
            [hit("a", 2.0, topic="t"), hit("b", 1.0, topic="u", correction=True)],
            "ab",
            id="topics-do-not-mix",
        ),
        pytest.param(
            [hit("a", 2.0, status="superseded"), hit("b", 1.0, correction=True)],
            "ab",
            id="without-a-topic-the-score-decides",
        ),
    ],
)
def test_arranged_whatever_the_order_of_arrival(hits: list[Hit], expected: str) -> None:
    for mixed in itertools.permutations(hits):
        assert "".join(hit.entry.id for hit in arranged(mixed)) == expected
