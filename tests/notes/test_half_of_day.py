"""A time said without its half of the day: placed by what it is said among, or asked about."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.next_step import next_step
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import Line, held, talk, values

PLACED: list[tuple[tuple[Line, ...], str]] = [
    # By what the caller says with it.
    (("dinner on Friday at eight",), "20:00"),
    (("breakfast at eight",), "08:00"),
    (("tomorrow evening, around eight",), "20:00"),
    (("a table for four at half past seven",), "19:30"),
    (("una mesa para cuatro a las ocho",), "20:00"),
    (("para cenar a las nueve",), "21:00"),
    (("desayuno a las nueve",), "09:00"),
    (("zum Abendessen um acht Uhr",), "20:00"),
    (("pour le dîner à huit heures",), "20:00"),
    (("订位，八点钟，四个人",), "20:00"),
    (("早餐八点钟",), "08:00"),
    # By what the agent says.
    ((("What time would you like dinner?", "half past seven"),), "19:30"),
    ((("Is six pm okay?", "no can we do nine"),), "21:00"),
    ((("Is six pm okay?", "nine o'clock please"),), "21:00"),
    ((("Is nine am okay?", "no, at eight"),), "08:00"),
    ((("¿A qué hora quiere cenar?", "a las ocho y media"),), "20:30"),
    ((("下午六点可以吗？", "不行，九点吧"),), "21:00"),
    ((("几点吃晚饭？", "七点半"),), "19:30"),
    # By what stands.
    (("at 7 pm", "no, half past eight"), "20:30"),
    (("at 8 am", "no, nine o'clock"), "09:00"),
    (("tonight please", "at nine"), "21:00"),
    # Nobody asks about these.
    (("at three",), "15:00"),
    (("at eleven",), "11:00"),
    (("at 19:30",), "19:30"),
    (("08:30",), "08:30"),
    (("at noon",), "12:00"),
    # Settled after the question.
    (("half past seven", ("In the morning or in the evening?", "evening please")), "19:30"),
    (("half past seven", ("In the morning or in the evening?", "the morning")), "07:30"),
    (("half past seven", ("Is that in the evening?", "yes")), "19:30"),
    (("half past seven", ("Is that in the evening?", "no")), "07:30"),
    (("half past seven", "at 7:30 pm"), "19:30"),
    (("a las siete y media", ("¿De la mañana o de la tarde?", "de la tarde")), "19:30"),
    (("七点半", ("早上还是晚上？", "晚上")), "19:30"),
]


@pytest.mark.parametrize(("lines", "expected"), PLACED, ids=[str(line[0]) for line in PLACED])
def test_it_is_placed(lines: tuple[Line, ...], expected: str) -> None:
    time = held(talk(*lines), "time")
    assert (time.value, time.confidence, time.asked) == (expected, "confirmed", None)


OPEN: list[tuple[Line, ...]] = [
    ("half past seven",),
    ("good evening, I need an appointment at half past seven",),
    (("What time?", "half past seven"),),
    ("a las siete y media",),
    ("buenas tardes, a las siete y media",),
    ("七点半",),
    ("晚上好，七点半",),
    ("um halb acht",),
]


@pytest.mark.parametrize("lines", OPEN, ids=str)
def test_where_nothing_tells_both_are_asked(lines: tuple[Line, ...]) -> None:
    notes = talk(*lines)
    time = held(notes, "time")
    assert (time.value, time.confidence, time.asked) == ("07:30", "inferred", "19:30")
    assert next_step(notes).reason == "two_values"


def test_said_again_it_stands_as_it_was_placed() -> None:
    notes = talk("dinner at eight", "yes, at eight")
    assert (held(notes, "time").value, held(notes, "time").confidence) == ("20:00", "confirmed")


WHEN = MemorySchema((Slot("when", "datetime"), Slot("breakfast_time", "time")))
MOMENTS: list[tuple[str, dict[str, Any]]] = [
    ("for dinner on Friday at nine", {"when": "2026-12-04T21:00+00:00"}),
    ("on Friday at three", {"when": "2026-12-04T15:00+00:00"}),
    ("breakfast time at nine", {"breakfast_time": "09:00"}),
]


@pytest.mark.parametrize(("text", "expected"), MOMENTS)
def test_moments_and_what_the_slot_is_for(text: str, expected: dict[str, Any]) -> None:
    assert values(talk(text, schema=WHEN)) == expected


def test_a_moment_keeps_both_readings() -> None:
    when = held(talk("on Friday at nine", schema=WHEN), "when")
    assert (when.value, when.asked) == ("2026-12-04T09:00+00:00", "2026-12-04T21:00+00:00")
    assert when.confidence == "inferred"
