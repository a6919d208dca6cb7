"""The heard part of a text, in its written form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.ledger.playback import share, words, written
from pipecat_memory.ledger.script import join


@pytest.mark.parametrize(
    ("plan", "heard", "cut", "whole"),
    [
        ("Hello, Ada. How are you?", "hello", "Hello", "Hello"),
        ("Hello, Ada. How are you?", "hello,", "Hello,", "Hello,"),
        ("Hello, Ada. How are you?", "Hello Ada", "Hello, Ada", "Hello, Ada"),
        (
            "Hello, Ada. How are you?",
            "Hello Ada how are you",
            "Hello, Ada. How are you?",
            "Hello, Ada. How are you?",
        ),
        ("It costs 12 euros today.", "it costs twelve", "It costs", "It costs"),
        ("It costs 12 euros today.", "it costs twelve euros", "It costs 12 euros", "It costs 12 euros"),
        ("It costs 12 euros", "it costs twelve euros", "It costs 12 euros", "It costs 12 euros"),
        ("Dr. Quill is in.", "doctor quill is", "Dr. Quill is", "Dr. Quill is"),
        ("Code B4", "code bee four", "Code B4", "Code B4"),
        ("Code B4", "code bee", "Code", "Code B4"),
        (
            "**Bold** words <break/> follow here",
            "bold words follow here",
            "**Bold** words <break/> follow here",
            "**Bold** words <break/> follow here",
        ),
        ("one two three four", "one two one two", "one two", "one two"),
        ("one two three one", "one two one", "one two", "one two"),
        ("สวัสดีครับ", "สวัส", "สวัส", "สวัส"),
        ("Straße 5", "STRASSE", "Straße", "Straße"),
        ("12 %", "twelve percent", "12", "12 %"),
        ("", "as heard", "as heard", "as heard"),
        ("planned", "...", "", ""),
    ],
)
def test_written(plan: str, heard: str, cut: str, whole: str) -> None:
    assert written(plan, heard, whole=False) == cut
    assert written(plan, heard, whole=True) == whole


@pytest.mark.parametrize(
    ("text", "played", "part"),
    [
        ("One. Two. Three.", 0.4, "One."),
        ("One two three", 1.0, "One two three"),
        ("One two three", 0.0, ""),
        ("One two", 3 / 7, "One"),
        ("One two", 0.99, "One"),
        ("今天天气很好", 0.5, "今天天"),
        ("... One", 0.5, ""),
        ("", 0.5, ""),
    ],
)
def test_share_goes_back_to_a_whole_word(text: str, played: float, part: str) -> None:
    assert share(text, played) == part


@given(st.text(max_size=80), st.text(max_size=80), st.booleans())
def test_what_was_heard_is_a_prefix_of_the_plan(plan: str, heard: str, whole: bool) -> None:
    plan = " ".join(plan.split())
    assert plan.startswith(written(plan, heard, whole=whole)) or not plan


@given(st.lists(st.text("abcäß今天,.", min_size=1, max_size=6), min_size=1, max_size=12), st.integers(0, 12))
def test_as_many_words_as_were_heard(tokens: list[str], count: int) -> None:
    plan = " ".join(tokens)
    heard = " ".join(tokens[:count])
    assert len(words(written(plan, heard, whole=False))) == len(words(heard))


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["a", "b"], "a b"),
        ([" a ", "", "b\n c"], "a b c"),
        (["你好", "世界"], "你好世界"),
        (["你好。", "世界"], "你好。世界"),
        (["你好", "Ada"], "你好 Ada"),
        (["안녕", "하세요"], "안녕 하세요"),
        ([], ""),
    ],
)
def test_join(pieces: list[str], text: str) -> None:
    assert join(pieces) == text
