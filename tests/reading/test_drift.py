"""What is dropped although it was found."""

from __future__ import annotations

import numpy as np
import pytest

from pipecat_memory.reading.drift import direct, relevant
from pipecat_memory.reading.entry import Entry, Query
from pipecat_memory.reading.index import Index
from pipecat_memory.reading.query import Part


@pytest.mark.parametrize(
    ("about", "similarity", "closest", "share", "expected"),
    [
        (1.0, 0.0, 0.5, 1.0, True),
        (0.4, 0.0, 0.5, 0.35, True),
        (0.39, 0.24, 0.24, 1.0, False),
        (0.3, 0.25, 0.31, 1.0, True),
        (0.3, 0.3, 0.4, 1.0, False),
        (-0.1, -0.1, 0.0, 1.0, False),
        (1.0, 1.0, 1.0, 0.34, False),
    ],
)
def test_worth_a_line(about: float, similarity: float, closest: float, share: float, expected: bool) -> None:
    assert relevant(about, similarity, closest, share) is expected


@pytest.mark.parametrize(
    ("held", "expected"),
    [({"a"}, False), ({"a", "b"}, True), ({"x"}, True), ({"b c"}, False), (set[str](), False)],
)
def test_another_line_is_asked_for_outright(held: set[str], expected: bool) -> None:
    """Half of the words of one part, pairs of words aside."""
    parts = [
        Part((("a", 1.0), ("b", 1.0), ("c", 1.0), ("b c", 0.4)), 0),
        Part((("x", 1.0), ("y", 1.0)), 1),
        Part((), 2),
    ]
    assert direct(parts, held, lambda term: 1.0) is expected


def told(texts: list[str], question: str, vectors: np.ndarray | None = None) -> list[str]:
    """The texts that one question brings up, where `vectors` has a row a text, and the question's last."""
    index = Index()
    entries = [Entry(id=f"{n}", kind="turn", text=text, call="c", turn=n) for n, text in enumerate(texts)]
    index.add(entries, None if vectors is None else vectors[:-1])
    asked = None if vectors is None else vectors[-1]
    return [hit.entry.text for hit in index.search(Query(text=question, vector=asked))]


@pytest.mark.parametrize(
    "question",
    [
        "what is the capital of France",
        "can you tell me a joke",
        "I need a table for two",
        "do you remember what I told you",
        "let me ask you something, did I say that",
    ],
)
def test_what_has_nothing_to_do_with_the_caller_brings_nothing_up(question: str) -> None:
    texts = [
        "my car is a red estate",
        "leave the radio on P2 please",
        "did I say it rattles the last time it rained",
        "my card ends in 4 4 2 1",
        "you can ask my neighbour for the key",
    ]
    assert told(texts, question) == []


def test_words_of_asking_hide_no_topic() -> None:
    texts = [
        "I was told last time that you would say when",
        "the charging cable is loose",
        "remind me next time",
    ]
    question = "can you remind me what we said last time about the charging"
    assert told(texts, question)[0] == "the charging cable is loose"


def test_a_little_of_words_and_of_meaning_is_worth_as_much_as_much_of_one() -> None:
    texts = ["the boiler rattles", "the plumber came", "a parcel for the shop"]
    question = "boiler pressure valve"
    at = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.22, 0.22, 0]], dtype=np.float32)
    assert told(texts, question, at) == ["the boiler rattles"]


@pytest.mark.parametrize("usual", [0.05, 0.4, 0.7])
def test_an_embedder_for_which_all_texts_look_alike_brings_up_no_more(usual: float) -> None:
    """Of thirty texts one is alike beyond what is usual, whatever is usual with the embedder."""
    rows = np.zeros((31, 33), dtype=np.float32)
    rows[:, 0] = usual**0.5
    rows[np.arange(30), np.arange(1, 31)] = (1 - usual) ** 0.5
    related = usual + 0.4 * (1 - usual)
    rows[30, 7] = (related - usual) / (1 - usual) ** 0.5
    rows[30, 32] = (1 - usual - rows[30, 7] ** 2) ** 0.5
    texts = [f"word{n} thing{n}" for n in range(30)]
    assert told(texts, "something else altogether", rows) == [texts[6]]
    unrelated = rows.copy()
    unrelated[30, 7], unrelated[30, 32] = 0.0, (1 - usual) ** 0.5
    assert told(texts, "something else altogether", unrelated) == []
