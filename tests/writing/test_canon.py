from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.writing import keys
from pipecat_memory.writing.canon import canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lyon", " lyon. "),
        ("São Paulo", "Sao Paulo"),
        ("peanuts", "Erdnüsse"),
        ("peanuts", "花生"),
        ("left-handed", "zurdo"),
        ("a dog", "dogs"),
        ("Katze", "cat"),
        (2, "2"),
        (2.0, 2),
        (True, "yes"),
        (False, "no"),
        ("ｆｕｌｌ", "full"),
        ("curries", "curry"),
    ],
)
def test_one_value_in_two_forms(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("peanuts", "walnuts"),
        ("Anna", "Hanna"),
        ("0042", "42"),
        (1, True),
        ("no curry", "curry"),
        ("not allergic", "allergic"),
        ("2026-03-03", "2026-03-04"),
        ("n@example.org", "m@example.org"),
        ("glass", "glas"),
    ],
)
def test_two_values_stay_two(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("key", "held"),
    [
        *(
            (key, False)
            for key in ("home_city", "city", "name", "preferred_day", "favorite_food", "address", "status")
        ),
        *(
            (key, True)
            for key in ("allergies", "food_allergy", "preferences", "languages", "medication", "daughter")
        ),
        *((key, None) for key in ("seat_preference", "car")),
    ],
)
def test_how_many_values_a_key_holds(key: str, held: bool | None) -> None:
    assert keys.several(key) is held


def test_what_a_key_says_of_its_facts() -> None:
    assert keys.dated("dentist_appointment")
    assert not keys.dated("dentist")
    assert keys.negative("food_allergies")
    assert keys.private("medication")
    assert keys.private("account_number")
    assert not keys.private("seat")
    assert keys.secret("card_pin")
    assert not keys.secret("spin_class")
    assert keys.opposite("hates") == "likes"
    assert keys.person_of("wife_name") == "wife"
    assert [keys.kind_of(k) for k in ("likes", "allergy", "daughter", "flight", "job")] == [
        "preference", "constraint", "relation", "event", "fact",
    ]  # fmt: skip
