"""Values: every word of one was said, and it says more than its key."""

from __future__ import annotations

import pytest

from .scene import fact, judged, turn_of


@pytest.mark.parametrize(
    ("said", "value", "stands"),
    [
        ("we'd like the table by the window", "table by the window", True),
        ("we'd like the table by the window", "the table by the door", False),
        (
            "the quiet corner table upstairs by the window please",
            "quiet corner table upstairs by the door",
            False,
        ),
        ("the quiet corner tables upstairs by the window", "quiet corner table upstairs by the window", True),
        ("I'd like one by the window", "window table", True),  # what it is stands in the key
        ("una mesa tranquila junto a la ventana grande", "mesa tranquila junto a la puerta grande", False),
    ],
)
def test_every_word_of_a_value_was_said(said: str, value: str, stands: bool) -> None:
    (result,) = judged(turn_of(said), [fact("table", value, said)])
    assert [claim.value for claim in result.claims] == ([value] if stands else [])


@pytest.mark.parametrize(
    ("key", "value"), [("boiler", "boiler"), ("boiler", "The boiler"), ("work_address", "work address")]
)
def test_a_value_that_only_repeats_its_key_is_no_fact(key: str, value: str) -> None:
    said = "it's about the boiler at my work address"
    (result,) = judged(turn_of(said), [fact(key, value, said)])
    assert not result.claims
    assert result.refused == {"says_nothing": 1}


def test_a_value_that_stands_in_its_key_among_other_words_is_one() -> None:
    (result,) = judged(turn_of("I like curry"), [fact("favourite_curry_food", "curry", "I like curry")])
    assert [claim.value for claim in result.claims] == ["curry"]
