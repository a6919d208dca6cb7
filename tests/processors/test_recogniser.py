"""Alternatives, confidence and speaker out of whatever a recogniser's result looks like."""

from __future__ import annotations

from types import SimpleNamespace as Thing
from typing import Any

import pytest

from pipecat_memory.processors.recogniser import Hearing, read

WORDS = [{"speaker": 0, "confidence": 0.5}, {"speaker": 1}, {"speaker": 1, "confidence": 0.7}]
CASES: list[tuple[Any, Hearing]] = [
    (None, Hearing()),
    ("text", Hearing()),
    ({}, Hearing()),
    (object(), Hearing()),
    ({"channel": {"alternatives": []}}, Hearing()),
    ({"channel": {"alternatives": [{"transcript": "hi", "confidence": 0.9}]}}, Hearing(confidence=0.9)),
    (
        {"channel": {"alternatives": [{"transcript": "hi"}, {"transcript": "high"}, {"transcript": ""}]}},
        Hearing(nbest=("hi", "high")),
    ),
    (
        Thing(channel=Thing(alternatives=[Thing(transcript="hi", confidence=0.4, words=[Thing(speaker=3)])])),
        Hearing(confidence=0.4, speaker="3"),
    ),
    ({"alternatives": [{"text": "hi"}, {"text": "hey"}, {"text": "hey"}]}, Hearing(nbest=("hi", "hey"))),
    ({"words": WORDS}, Hearing(confidence=0.6, speaker="1")),
    ({"speaker": "S2"}, Hearing(speaker="S2")),
    ({"confidence": 7, "speaker": True, "words": "odd"}, Hearing()),
    ({"alternatives": [{"text": str(i)} for i in range(99)]}, Hearing(nbest=("hi", *map(str, range(9))))),
]


@pytest.mark.parametrize(("result", "hearing"), CASES)
def test_reads(result: Any, hearing: Hearing) -> None:
    got = read(result, "hi")
    assert (got.nbest, got.speaker) == (hearing.nbest, hearing.speaker)
    assert got.confidence == pytest.approx(hearing.confidence)


def test_its_repr_tells_no_words() -> None:
    assert "secret" not in repr(Hearing(nbest=("secret",)))
