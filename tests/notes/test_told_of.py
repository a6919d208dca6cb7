"""Days and times that are told of something else than what is wanted."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import talk, values

FRIDAY, TOMORROW, WEDNESDAY = "2026-12-04", "2026-12-01", "2026-12-02"

NOTHING = [
    "I booked yesterday",
    "my card was stolen last Monday",
    "my card was stolen on Monday",
    "I lost my card two days ago",
    "I've had a headache since Sunday",
    "what day is it today",
    "what time is it now",
    "I'll call back in an hour",
    "I'd like the same table as last Friday",
    "gestern habe ich angerufen",
    "meine Karte wurde am Montag gestohlen",
    "ich habe seit Sonntag Kopfschmerzen",
    "welcher Tag ist heute",
    "ich rufe morgen wieder an",
    "ayer llamé",
    "me robaron la tarjeta el lunes",
    "qué día es hoy",
    "hier j'ai appelé",
    "on m'a volé ma carte lundi",
    "quel jour sommes-nous aujourd'hui",
    "昨天我打过电话",
    "我的卡周一被偷了",
    "今天几号",
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_wanted(text: str) -> None:
    assert values(talk(text)) == {}


WANTED: list[tuple[str, dict[str, Any]]] = [
    ("I called yesterday and I need a table for tomorrow", {"date": TOMORROW}),
    ("I've had a headache since Sunday, can I come on Wednesday at ten",
     {"date": WEDNESDAY, "time": "10:00"}),
    ("I bought a cake for Friday", {"date": FRIDAY}),
    ("I made a reservation yesterday for 7:15 pm", {"time": "19:15"}),
    ("I was hoping for Friday", {"date": FRIDAY}),
    ("my booking was for Friday", {"date": FRIDAY}),
    ("it was Friday not Thursday", {"date": FRIDAY}),
    ("book it for May 19th 2025", {"date": "2025-05-19"}),
    ("ich habe gestern angerufen, ich brauche einen Termin am Freitag", {"date": FRIDAY}),
    ("ayer llamé, quiero una mesa para el viernes", {"date": FRIDAY}),
    ("j'ai appelé hier, je voudrais une table pour vendredi", {"date": FRIDAY}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WANTED, ids=[one[0] for one in WANTED])
def test_what_is_wanted_is_noted(text: str, expected: dict[str, Any]) -> None:
    assert values(talk(text)) == expected


def test_a_past_day_that_was_asked_for_is_taken() -> None:
    theft = MemorySchema((Slot("stolen_on", "date", description="day the card was stolen"),))
    assert values(talk(("On which date was it stolen on?", "last Monday"), schema=theft)) == {
        "stolen_on": "2026-11-23"
    }
    born = MemorySchema((Slot("date", "date"), Slot("birth_date", "date")))
    asked = ("What is your date of birth?", "the 5th of March 1980")
    assert values(talk(asked, schema=born)) == {"birth_date": "1980-03-05"}
    assert values(talk(asked)) == {}
