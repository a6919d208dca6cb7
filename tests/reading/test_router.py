"""Which turns ask for recall at all, and for which kinds of memory first."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.entry import Entry, Kind, Query
from pipecat_memory.reading.index import Index
from pipecat_memory.reading.router import favoured, low_signal


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("", True),
        ("...", True),
        ("yes", True),
        ("Okay, thanks!", True),
        ("mhm", True),
        ("yeah that's right", True),
        ("no, not really", True),
        ("sí, gracias", True),
        ("ja, danke", True),
        ("do you remember what I said?", True),
        ("weißt du noch, was ich gesagt habe", True),
        ("sorry, can you repeat that?", True),
        ("moment please, hold on", True),
        ("un momento, por favor", True),
        ("嗯", True),
        ("好的", True),
        ("when is my appointment", False),
        ("thanks, and the refund?", False),
        ("Leeds", False),
        ("42", False),
        ("¿cuándo es mi cita?", False),
        ("我的预约是几点", False),
    ],
)
def test_turns_that_ask_for_nothing(text: str, low: bool) -> None:
    assert low_signal(text) is low


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("When is my appointment?", {"fact"}),
        ("What did we discuss last time?", {"turn", "summary"}),
        ("Do you remember the dentist?", {"turn", "summary"}),
        ("¿Qué dije la última vez?", {"turn", "summary"}),
        ("上次我们说过什么？", {"turn", "summary"}),
        ("How should I pay, usually?", {"fact", "reflection"}),
        ("我一般喜欢什么？", {"fact", "reflection"}),
        ("", {"fact"}),
    ],
)
def test_kinds_asked_for_first(text: str, kinds: set[Kind]) -> None:
    assert favoured(text) == kinds


@pytest.mark.parametrize(
    ("question", "first"),
    [("parcel to Leeds?", "fact"), ("what was said before: parcel to Leeds?", "summary")],
)
def test_the_kind_is_a_nudge_between_equals_and_hides_nothing(question: str, first: Kind) -> None:
    index = Index()
    index.add(
        [
            Entry(id="f", kind="fact", text="The parcel goes to Leeds by van", at="2024-01-01"),
            Entry(id="s", kind="summary", text="The parcel goes to Leeds by train", at="2024-01-01"),
        ]
    )
    hits = index.search(Query(text=question, floor=False))
    assert hits[0].entry.kind == first
    assert {hit.entry.id for hit in hits} == {"f", "s"}
