"""What was meant, one row an utterance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipecat_memory.evals import repair
from pipecat_memory.notes.disfluency import repairs
from pipecat_memory.writing.clean import clean

SAID = [
    # fillers and asides
    ("uh I'd like um a room", "en", "I'd like a room"),
    ("it's you know quite late", "en", "it's quite late"),
    ("well I think so", "en", "I think so"),
    ("do you know the way", "en", "do you know the way"),
    ("it went well today", "en", "it went well today"),
    ("eh quiero una mesa", "es", "quiero una mesa"),
    ("ähm ich möchte ein Zimmer", "de", "ich möchte ein Zimmer"),
    ("嗯，我想订位", "zh", "我想订位"),
    # said twice, taken up again
    ("I I want to to go", "en", "I want to go"),
    ("I'd like, um, I'd like a table", "en", "I'd like a table"),
    ("the a table", "en", "a table"),
    ("very very late", "en", "very very late"),
    ("my number is four four double five", "en", "my number is four four double five"),
    ("it's s s e double n", "en", "it's s s e double n"),
    # like for like
    ("for four, no, five", "en", "for five"),
    ("a table for four no five people tomorrow", "en", "a table for five people tomorrow"),
    ("on Thursday sorry Friday at nine", "en", "on Friday at nine"),
    ("Book it for Thursday. No, Friday.", "en", "Book it for Friday."),
    ("call me at nine make that ten", "en", "call me at ten"),
    ("twenty one no thirty", "en", "thirty"),
    ("order 4 4 8 no 4 4 9", "en", "order 4 4 9"),
    ("I want the red one no the blue one", "en", "I want the blue one"),
    ("my name is Jon no John", "en", "my name is John"),
    ("We'll be six. Actually, make that seven.", "en", "We'll be seven."),
    ("When does it no wait where does it leave?", "en", "Where does it leave?"),
    ("para cuatro, no, perdón, cinco", "es", "para cinco"),
    ("am Donnerstag nein Freitag", "de", "am Freitag"),
    ("明天下午三点，不对，后天下午三点", "zh", "后天下午三点"),
    ("订四个人，不对，五个人", "zh", "订五个人"),
    # no correction at all
    ("no I want Thursday", "en", "no I want Thursday"),
    ("I'd rather have tea", "en", "I'd rather have tea"),
    ("there is no problem", "en", "there is no problem"),
    ("actually I want two", "en", "actually I want two"),
    ("I need to wait for my wife", "en", "I need to wait for my wife"),
    ("he said no and left", "en", "he said no and left"),
    ("not Thursday but Friday", "en", "not Thursday but Friday"),
    ("My name is Ana sorry what did you say", "en", "My name is Ana sorry what did you say"),
    ("What time do you open? Sorry, what did you say?", "en", None),
    ("I'm calling about my order sorry the line is bad", "en", None),
    ("a burger no onions", "en", "a burger no onions"),
    ("two adults, no children", "en", "two adults, no children"),
    ("a burger, no, fries", "en", "a fries"),
    ("which bus no tram goes there", "en", "which tram goes there"),
    ("no no no", "en", "no no no"),
    ("sorry", "en", "sorry"),
    ("uh", "en", "uh"),
    ("", "en", ""),
]


@pytest.mark.parametrize(("text", "language", "meant"), SAID)
def test_clean(text: str, language: str, meant: str | None) -> None:
    assert clean(text, language).text == (text if meant is None else meant)


def test_the_kept_tokens_are_those_of_the_raw_text() -> None:
    text = "uh for four, no, five people"
    made = clean(text)
    assert [text.split()[k] for k in made.keep] == ["for", "five", "people"]


def test_a_repair_says_what_replaced_what() -> None:
    text = "for four, no, five"
    (found,) = repairs(text)
    assert (text[found.start : found.stop], text[found.cue : found.end], text[found.end :]) == (
        "four, ",
        "no, ",
        "five",
    )


def test_in_chinese_what_is_replaced_need_not_end_at_the_cue() -> None:
    text = "订四个人的位子，不对，五个人"
    (found,) = repairs(text)
    assert text[found.start : found.stop] == "四个人"
    assert text[found.end :] == "五个人"


def test_no_repr_shows_what_was_said() -> None:
    assert "four" not in repr(clean("for four no five"))


def test_the_evaluation_counts_and_writes(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    rows = [
        {"id": "a", "raw": "uh for four no five", "fluent": "for five", "labels": "e f rm rm f"},
        {"id": "b", "raw": "that is right", "fluent": "that's it", "labels": "f f rm"},
    ]
    cases.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    report = repair.run(cases, predictions=tmp_path / "out.jsonl")
    assert report == {
        "utterances": 2,
        "exact": 0.5,
        "removal": {"precision": 1.0, "recall": 0.75, "f1": 0.8571},
    }
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert lines[0] == {"id": "a", "fluent": "for five", "keep": [1, 4]}
