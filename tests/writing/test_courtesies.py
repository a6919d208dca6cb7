"""What is said for the sake of saying it, and a yes beside a no."""

from __future__ import annotations

import pytest

from .scene import fact, judged, turn_of


@pytest.mark.parametrize(
    ("said", "key", "right"),
    [
        ("I'm vegetarian so no ham sandwiches for me", "vegetarian", [True]),
        ("no ham sandwiches, I'm vegetarian", "vegetarian", [True]),
        ("I'm not vegetarian", "vegetarian", []),
        ("the goodbye was nice, I'm not vegetarian any more", "vegetarian", []),
    ],
)
def test_a_yes_is_denied_only_where_it_is_said(said: str, key: str, right: list[bool]) -> None:
    (result,) = judged(turn_of(said), [fact(key, True, said, text=said)])
    assert [claim.value for claim in result.claims] == right


@pytest.mark.parametrize(
    ("key", "value"), [("goodbye", "adiós"), ("greeting", "good morning"), ("thanks", "danke")]
)
def test_a_courtesy_is_no_fact(key: str, value: str) -> None:
    (result,) = judged(turn_of(value), [fact(key, value, value, text=value)])
    assert (result.claims, dict(result.refused)) == ((), {"says_nothing": 1})


def test_a_time_of_day_is_no_courtesy() -> None:
    (result,) = judged(turn_of("call me in the morning"), [fact("contact_time", "morning", "in the morning")])
    assert [claim.value for claim in result.claims] == ["morning"]
