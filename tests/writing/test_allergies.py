"""An allergy is what the caller says is one: not what is liked or hated, nor what another question asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot

from .scene import fact, history, judged, turn_of

ASKED = history(("assistant", "Do you have any allergies?"))
ELSE = history(
    ("assistant", "Do you have any allergies?"), ("user", "peanuts"), ("assistant", "Anything else?")
)
LATER = history(("assistant", "Do you have any allergies?"), ("user", "no"), ("assistant", "And your city?"))
NONE = history(("assistant", "Where do you live?"))
SCHEMA = MemorySchema(slots=(Slot("allergies", "list"), Slot("name", "name"), Slot("pin", secret=True)))

ROWS: list[tuple[str, Any, Any, list[str], str | None]] = [
    ("A friend of mine hates fish", ASKED, "fish", [], "does_not_follow"),
    ("a friend of mine is allergic to fish", ASKED, "fish", [], "other_person"),
    ("somebody I know is allergic to fish", ASKED, "fish", [], "other_person"),
    ("one of my friends can't eat fish", NONE, "fish", [], "other_person"),
    ("friends of ours are allergic to fish", NONE, "fish", [], "other_person"),
    ("Tom is allergic to fish", ASKED, "fish", [], "other_person"),
    ("nuts give my son hives", ASKED, "nuts", [], "other_person"),
    ("eine Freundin von mir ist gegen Fisch allergisch", ASKED, "Fisch", [], "other_person"),
    ("un de mes amis est allergique au poisson", ASKED, "poisson", [], "other_person"),
    ("我有个朋友对鱼过敏", ASKED, "鱼", [], "other_person"),
    ("my card is [card]", ASKED, "[card]", [], "secret"),
    ("my card is [card]", ASKED, "card", [], "does_not_follow"),
    ("my card is [card]", ASKED, "my card", [], "does_not_follow"),
    ("it is [security code]", ASKED, "security code", [], "does_not_follow"),
    ("call me at the office", ASKED, "office", [], "does_not_follow"),
    ("I live in Lyon", ASKED, "Lyon", [], "does_not_follow"),
    ("Lyon", LATER, "Lyon", [], "does_not_follow"),
    ("I love fish", ASKED, "fish", [], "does_not_follow"),
    ("I hate fish", NONE, "fish", [], "does_not_follow"),
    ("ich sitze im Rollstuhl", NONE, "Rollstuhl", [], "does_not_follow"),
    ("I'm allergic to nuts and I live in Lyon", NONE, "Lyon", [], "does_not_follow"),
    ("fish", NONE, "fish", [], "does_not_follow"),
    ("fish", ASKED, "fish", ["fish"], None),
    ("yes, fish", ASKED, "fish", ["fish"], None),
    ("just a bit of shellfish I think", ASKED, "shellfish", ["shellfish"], None),
    ("kiwi and shellfish", ELSE, ["kiwi", "shellfish"], ["kiwi", "shellfish"], None),
    ("penicillin, unfortunately", ASKED, "penicillin", ["penicillin"], None),
    ("I'm allergic to nuts, fish and kiwi", NONE, ["nuts", "fish", "kiwi"], ["nuts", "fish", "kiwi"], None),
    ("I'm lactose intolerant", NONE, "lactose", ["lactose"], None),
    ("I can't have dairy", NONE, "dairy", ["dairy"], None),
    ("penicillin makes me swell up", NONE, "penicillin", ["penicillin"], None),
    ("ich vertrage keine Nüsse", NONE, "Nüsse", ["Nüsse"], None),
    ("no puedo comer mariscos", NONE, "mariscos", ["mariscos"], None),
    ("我不能吃花生", NONE, "花生", ["花生"], None),
]  # fmt: skip


@pytest.mark.parametrize(("said", "before", "value", "right", "refused"), ROWS)
def test_what_is_an_allergy_of_the_caller(
    said: str, before: Any, value: Any, right: list[str], refused: str | None
) -> None:
    (result,) = judged(turn_of(said), [fact("allergy", value, said)], before=before)
    assert [claim.value for claim in result.claims] == right
    assert set(result.refused) == ({refused} if refused else set())


@pytest.mark.parametrize(("said", "before", "value", "right", "refused"), ROWS)
def test_a_slot_of_allergies_is_filled_with_no_less(
    said: str, before: Any, value: Any, right: list[str], refused: str | None
) -> None:
    answer = json.dumps({"facts": [], "slots": [{"name": "allergies", "value": value, "quote": said}]})
    (result,) = judged(turn_of(said), answer, before=before, schema=SCHEMA)
    assert [list(slot.value) for slot in result.patch.slots] == ([right] if right else [])
    assert set(result.refused) == ({refused} if refused else set())


@pytest.mark.parametrize(
    ("said", "name", "value", "found", "refused"),
    [
        ("my brother is called Tom", "name", "Tom", [], "other_person"),
        ("my friend says I'm called Tom", "name", "Tom", [], "reported"),
        ("my name is not Tom", "name", "Tom", [], "denied"),
        ("could you put it under the name Tom?", "name", "Tom", [("Tom", False)], None),
        ("my name is Tom", "name", "Tom", [("Tom", True)], None),
        ("am I allergic to fish?", "allergies", "fish", [], "question"),
        ("if I were allergic to fish", "allergies", "fish", [], "hypothetical"),
        ("it is [pin]", "pin", "[pin]", [], "secret"),
        ("it is four four one two", "pin", "4412", [], "secret"),
    ],
)
def test_a_slot_about_the_person_needs_the_callers_own_statement(
    said: str, name: str, value: str, found: list[tuple[str, bool]], refused: str | None
) -> None:
    answer = json.dumps({"facts": [], "slots": [{"name": name, "value": value, "quote": said}]})
    (result,) = judged(turn_of(said), answer, schema=SCHEMA)
    assert [(slot.value, slot.explicit) for slot in result.patch.slots] == found
    assert set(result.refused) == ({refused} if refused else set())


def test_one_value_of_a_list_costs_no_other() -> None:
    said = "I'm allergic to nuts but my wife is allergic to fish"
    answer = json.dumps(
        {"facts": [], "slots": [{"name": "allergies", "value": ["nuts", "fish"], "quote": said}]}
    )
    (result,) = judged(turn_of(said), answer, schema=SCHEMA)
    assert [slot.value for slot in result.patch.slots] == [("nuts",)]


@pytest.mark.parametrize(
    ("said", "key", "value", "stands"),
    [
        ("Tom hates fish", "dislikes", "fish", False),
        ("fish is what my friend hates", "dislikes", "fish", False),
        ("the friend I live with hates fish", "dislikes", "fish", False),
        ("un amigo mío odia el pescado", "dislikes", "pescado", False),
        ("I hate curry", "food_preference", "curry", False),
        ("I hate curry", "preference", "no curry", True),
        ("text me, I don't like calls", "contact_preference", "text", True),
        ("my wife and I hate fish", "dislikes", "fish", True),
        ("the gold plan works for me", "plan", "gold", True),
    ],
)
def test_whose_liking_it_is_and_what_of(said: str, key: str, value: str, stands: bool) -> None:
    (result,) = judged(turn_of(said), [fact(key, value, said)])
    assert [claim.value for claim in result.claims] == ([value] if stands else [])
