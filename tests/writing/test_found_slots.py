"""Slots that a model filled: what of them the caller's words carry."""

from __future__ import annotations

from pipecat_memory.records.schema import MemorySchema, Slot

from .scene import judged, turn_of

SHOP = MemorySchema(
    slots=(
        Slot("city", values=("Denver", "Boston"), synonyms={"Denver": ["the mile high city"]}),
        Slot("guests", "quantity"),
        Slot("extras", "list"),
    )
)


def test_slots_may_come_from_a_question() -> None:
    answer = {
        "facts": [],
        "slots": [
            {"name": "guests", "value": 4, "quote": "a table for four"},
            {"name": "city", "value": "Denver", "quote": "in the mile high city"},
            {"name": "city", "value": "Boston", "quote": "in Boston"},
            {"name": "color", "value": "red", "quote": "a table"},
            {"name": "guests", "value": 9, "quote": "a table for four"},
            {"name": "extras", "value": ["balcony", "pool"], "quote": "with a balcony"},
        ],
        "task": "booking",
        "mood": "in a hurry",
    }
    turn = turn_of("can I get a table for four in the mile high city with a balcony?")
    (result,) = judged(turn, answer, schema=SHOP)
    found = {slot.name: slot.value for slot in result.patch.slots}
    assert found == {"guests": 4, "city": "Denver", "extras": ("balcony",)}
    assert (result.patch.task, result.patch.mood) == ("booking", "in a hurry")
    assert result.refused == {"no_quote": 1, "schema": 1, "does_not_follow": 1}


def test_a_doubted_slot_is_not_explicit() -> None:
    answer = {"facts": [], "slots": [{"name": "city", "value": "Denver", "quote": "maybe in Denver"}]}
    (result,) = judged(turn_of("maybe in Denver"), answer, schema=SHOP)
    assert [slot.explicit for slot in result.patch.slots] == [False]
