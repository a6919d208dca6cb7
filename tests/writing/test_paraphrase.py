"""Values that a model put in words of its own: what the caller's words carry stands, the rest is refused.

Four languages; a row is language, words, op, key, value, text, and the quote where it is a part of the words.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipecat_memory.records.fact import Claim

from .scene import fact, judged, turn_of

ROWS: dict[str, list[list[str]]] = json.loads(
    Path(__file__).with_name("paraphrases.json").read_text(encoding="utf-8")
)


def made_of(row: list[str]) -> tuple[Claim, ...]:
    language, said, op, key, value, text, *quote = row
    answer = [fact(key, value, quote[0] if quote else said, text=text, op=op)]
    return judged(turn_of(said, language=language), answer)[0].claims


@pytest.mark.parametrize("row", ROWS["stand"], ids=lambda row: f"{row[1]} / {row[2]} {row[4]}")
def test_what_the_words_carry_stands(row: list[str]) -> None:
    (claim,) = made_of(row)
    assert claim.explicit
    assert claim.key == row[3]


@pytest.mark.parametrize("row", ROWS["refused"], ids=lambda row: f"{row[1]} / {row[2]} {row[4]}")
def test_what_they_do_not_carry_is_refused_or_takes_nothing_back(row: list[str]) -> None:
    claims = made_of(row)
    if row[2] == "retract":
        assert not any(claim.explicit for claim in claims), "only a plain retract takes a fact back"
    else:
        assert claims == ()


@pytest.mark.parametrize(
    "said",
    [
        "he dejado de fumar",
        "he perdido el trabajo",
        "me he mudado a Cádiz y he vendido el piso",
        "he visto el piso",
    ],
)
def test_i_have_in_spanish_is_not_he_in_english(said: str) -> None:
    last = said.split()[-1]
    (result,) = judged(turn_of(said, language="es"), [fact("note", last, said, text=said)])
    assert [claim.value for claim in result.claims] == [last]


@pytest.mark.parametrize("said", ["my brother lost it, he has no job", "he decided to stop smoking"])
def test_he_in_english_still_is_somebody_else(said: str) -> None:
    (result,) = judged(turn_of(said), [fact("note", said.split()[-1], said, text=said)])
    assert result.claims == ()


def test_may_in_german_denies_nothing() -> None:
    (result,) = judged(
        turn_of("im Mai ziehe ich nach Bern", language="de"),
        [fact("home_city", "Bern", "im Mai ziehe ich nach Bern", text="Zieht nach Bern.")],
    )
    assert [claim.value for claim in result.claims] == ["Bern"]
