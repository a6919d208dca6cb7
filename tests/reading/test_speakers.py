"""By what names the people in a memory go, and whom a question names."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.speakers import Speakers


def met(*said: tuple[str, str, str]) -> Speakers:
    speakers = Speakers()
    for name, call, text in said:
        speakers.heard(name, call, text)
    return speakers


TWO = (("Ada Lovelace", "c", "I sail"), ("Bo Lovelace", "c", "I cook"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does Ada Lovelace like?", 1),
        ("what does ada like", 1),
        ("Ada's boat", 1),
        ("Does Bo cook?", 2),
        ("What does Lovelace like?", 0),
        ("Do Ada and Bo sail?", 0),
        ("Adam sails", 0),
        ("", 0),
    ],
)
def test_named_by_the_whole_or_by_a_part_that_only_one_bears(text: str, expected: int) -> None:
    assert met(*TWO).named(text) == expected


def test_a_part_that_is_a_function_word_names_nobody() -> None:
    assert met(("Will Young", "c", "hello")).named("what will happen, I mean with Young people? will it") == 1
    assert met(("Will Young", "c", "hello")).named("what will happen") == 0


def test_known_by_what_the_other_one_calls_them() -> None:
    speakers = met(
        *(("Bo", "c", text) for text in ("Hi Addie!", "Thanks, Addie, see you", "Lunch, Addie?")),
        ("Ada", "c", "hello, I am here"),
    )
    assert speakers.named("What did Addie say?") == 2
    assert "addie" in speakers.names


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("Bo", "c", "Hi Addie!"), ("Ada", "c", "Yes?")], id="once-is-no-name"),
        pytest.param([("Bo", "c", "Hi Addie!"), ("Bo", "c", "Hi Addie!")], id="nobody-else-there"),
        pytest.param(
            [("Bo", "c", "Hi Addie!")] * 2 + [("Ada", "c", "Yes?"), ("Cy", "c", "Me?")],
            id="three-in-the-call",
        ),
        pytest.param([("Bo", "c", "hi there")] * 2 + [("Ada", "c", "Yes?")], id="not-a-name"),
        pytest.param([("Bo", "c", "Hi Addie!"), ("Ada", "c", "Hello Addie!")] * 2, id="both-are-called-so"),
    ],
)
def test_not_known_by_it(said: list[tuple[str, str, str]]) -> None:
    assert met(*said).named("What did Addie and there say?") == 0


def test_nobody_known_nobody_named() -> None:
    speakers = met(("", "c", "Hi Ada"))
    assert (speakers.names, speakers.named("Ada?"), speakers.heard("", "c", "hm")) == ((), 0, 0)
