"""Whatever is said, finding raises nothing and its spans are in the words."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipecat_memory.notes.disfluency import clean, repairs
from pipecat_memory.notes.spoken import Kind, find

AT = datetime(2026, 12, 2, 10, 0, tzinfo=UTC)
# Words of every grammar, so that odd orders of them are met.
SAYINGS = (
    *("the", "5", "th", "of", "May", "in", "two", "weeks", "ago", "next", "last", "Friday", "half", "past"),
    *(
        "quarter",
        "to",
        "nine",
        "hundred",
        "thousand",
        "million",
        "oh",
        "double",
        "triple",
        "at",
        "dot",
        "com",
    ),
    *(
        "minus",
        "plus",
        "$",
        "£",
        "12:75",
        "99/99/9999",
        "29/02/2027",
        "0",
        "00",
        "9" * 22,
        "point",
        "and",
        "a",
    ),
    *(
        "uh",
        "no",
        "sorry",
        "i",
        "mean",
        "or",
        "rather",
        "make",
        "that",
        "what",
        "when",
        "下周",
        "五",
        "点",
        "半",
    ),
    *(
        "年",
        "月",
        "三十一",
        "号",
        "两",
        "万",
        "亿",
        "后",
        "小时",
        "不对",
        "mañana",
        "y",
        "media",
        "arroba",
        "hace",
    ),
    *(
        "nächsten",
        "halb",
        "vor",
        "eins",
        "as",
        "m",
        "for",
        "double-u",
        "-",
        ".",
        ",",
        "?",
        "'",
        "’",
        "²",
        "①",
    ),
    *("٣", "Ⅷ", "ß"),
)
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(SAYINGS), max_size=14).map(" ".join))
languages = st.sampled_from([None, "en", "en-GB", "es", "de-DE", "fr", "zh", "xx", ""])
zones = st.sampled_from(["UTC", "Europe/London", "America/New_York", "Asia/Shanghai"])


@pytest.mark.parametrize("kind", get_args(Kind))
@settings(max_examples=150, deadline=None)
@given(text=texts, language=languages, zone=zones)
@example(text="0£0", language=None, zone="UTC")  # one sign between two amounts belongs to the first
@example(text="zero £5", language=None, zone="UTC")
@example(text="1.5 €5 dollars", language=None, zone="UTC")
def test_nothing_raises_and_spans_are_true(kind: Kind, text: str, language: str | None, zone: str) -> None:
    found = find(text, kind, language=language, at=AT, timezone=zone)
    for span in found:
        assert text[span.start : span.end] == span.text
        assert 0.0 <= span.certainty <= 1.0
    assert all(a.end <= b.start for a, b in pairwise(found))


@settings(max_examples=300, deadline=None)
@given(text=texts, language=languages)
def test_cleaning_raises_nothing_and_keeps_tokens_in_order(text: str, language: str | None) -> None:
    made = clean(text, language)
    assert list(made.keep) == sorted(set(made.keep))
    assert made.keep or not text.strip()
    for repair in repairs(text, language):
        assert 0 <= repair.start <= repair.stop <= repair.cue <= repair.end <= len(text)
