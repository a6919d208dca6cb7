"""What the app's documents say against the notes: a plain statement is told of, anything else is not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pipecat_memory.notes.mention import Moment
from pipecat_memory.reading.documents import STATEMENTS, document_lines, read_documents
from pipecat_memory.records.call_state import CallState, SlotValue
from pipecat_memory.records.schema import MemorySchema

from ..kit import opened, say, verified

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
"""A Monday."""
SCHEMA = MemorySchema.from_dict(
    {
        "version": 1,
        "slots": [
            {"name": "date", "type": "date"},
            {"name": "time", "type": "time", "description": "arrival time"},
            {"name": "party_size", "type": "number"},
            {"name": "phone", "type": "phone"},
            {"name": "email", "type": "email"},
            {"name": "budget", "type": "money"},
            {"name": "order_number", "type": "digits"},
            {"name": "seat", "type": "choice", "values": ["inside", "outside"]},
            {"name": "allergies", "type": "list"},
            {"name": "pin", "type": "digits", "secret": True},
        ],
    }
)
VALUES: dict[str, Any] = {
    "date": "2026-03-06",
    "time": "19:00",
    "party_size": 4,
    "phone": "+15551230001",
    "email": "ana@example.org",
    "budget": 80,
    "order_number": "4471",
    "seat": "inside",
    "allergies": ["nuts"],
    "pin": "1234",
}


def state(confidence: Any = "confirmed", **values: Any) -> CallState:
    held = values or VALUES
    return CallState(slots={n: SlotValue(v, str(v), confidence, 1, AT.isoformat()) for n, v in held.items()})


def warned(text: str = "", *, fields: Any = None, notes: CallState | None = None) -> list[str]:
    doc = {"id": "d1", "text": text} | ({} if fields is None else {"fields": fields})
    told = read_documents([doc], SCHEMA, Moment(AT, "UTC"))
    return [line.text for line in document_lines(told, notes or state())]


@pytest.mark.parametrize(
    ("text", "slot", "words"),
    [
        ("Date: Thursday", "date", "Thursday"),
        ("Booking 12. Date is 5 March 2026.", "date", "5 March 2026"),
        ("**Date:** 2026-03-05", "date", "2026-03-05"),
        ("The table was moved.\ndate - tomorrow\nName: Ana", "date", "tomorrow"),
        ("Time: 8 pm", "time", "8 pm"),
        ("Arrival time is 20:30.", "time", "20:30"),
        ("Party size: 6", "party_size", "6"),
        ("party_size = six", "party_size", "six"),
        ("Phone: +1 555 123 0009", "phone", "+1 555 123 0009"),
        ("Email: bob@example.org", "email", "bob@example.org"),
        ("The budget is 120 euros.", "budget", "120 euros"),
        ("Order number: 9983", "order_number", "9983"),
    ],
)
def test_a_plain_statement_of_another_value_is_warned_of(text: str, slot: str, words: str) -> None:
    assert warned(text) == [
        f"Document d1 says {slot} = {words}, but the caller said {VALUES[slot]}: go by the caller."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Date: Friday",
        "Date: 6 March",
        "Time: 7 pm",
        "Party size: four",
        "Phone: 555 123 0001",
        "Email: ANA@example.org",
        "Order number: 44 71",
        "We are closed on Thursday.",
        "Our opening time on Thursday is from 8 pm to 10 pm.",
        "Time: 8 pm to 10 pm",
        "Time: 8 pm - 10 pm",
        "Date: Thursday or Saturday",
        "Date: Monday to Thursday",
        "Party size: 6 or more",
        "Party size: up to 12",
        "Maximum party size: 6",
        "Max. party size is 6",
        "Party size: at most 6",
        "If the party size is 6, a deposit is due.",
        "The date is not Thursday.",
        "The old date was Thursday.",
        "Previous phone: +1 555 123 0009",
        "The date of your last visit was Thursday.",
        "Up to date: 5 March 2026?",
        "Date: Thursday\nDate: Saturday",
        "Date: Thursday\nDate: Saturday\nDate: Sunday",
        "What is the date? Thursday is fully booked.",
        "Update: Thursday",
        "Dates: Thursday",
        "Email: write to us",
        "Seat: outside",
        "Allergies: milk",
        "Pin: 9999",
        "Party size:",
        "Date:",
        "",
        "   ",
    ],
)
def test_what_may_mean_anything_else_says_nothing(text: str) -> None:
    assert warned(text) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"date": "2026-03-05"}, "2026-03-05"),
        ({"date": "Thursday"}, "Thursday"),
        ({"date": "Friday"}, None),
        ({"party_size": 4}, None),
        ({"party_size": "four"}, None),
        ({"party_size": 6}, "6"),
        ({"seat": "outside"}, "outside"),
        ({"seat": "Inside"}, None),
        ({"allergies": "milk"}, None),
        ({"colour": "red"}, None),
        ("date: Thursday", None),
        (["date"], None),
    ],
)
def test_fields_are_held_against_the_written_form(fields: Any, words: str | None) -> None:
    found = warned(fields=fields)
    assert [f" = {words}," in line for line in found] == ([True] if words else [])


def test_what_the_fields_say_is_not_read_out_of_the_text_again() -> None:
    assert len(warned("Date: Thursday", fields={"date": "2026-03-05"})) == 1


def test_what_waits_for_a_yes_is_contradicted_by_nothing_and_what_is_hidden_is_not_told() -> None:
    assert warned("Date: Thursday", notes=state("pending", date="2026-03-06")) == []
    told = read_documents([{"id": "d", "text": "Date: Thursday"}], SCHEMA, Moment(AT, "UTC"))
    assert document_lines(told, state(), {"date"}) == []


def test_long_and_many_documents_are_read_within_bounds() -> None:
    short = [{"id": str(n), "text": "Party size: 6"} for n in range(50)]
    long = [{"id": "long", "text": "Party size: 6. " * 40 + "x" * 100_000}]
    assert len(read_documents(long + short, SCHEMA, Moment(AT, "UTC"))) == STATEMENTS
    assert read_documents(4 * long + short, SCHEMA, Moment(AT, "UTC")) == ()
    assert read_documents([{}, {"id": None, "text": None}, {"text": 5}], SCHEMA, Moment(AT, "UTC")) == ()


async def test_the_briefing_warns_whenever_the_caller_says_it() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", schema=SCHEMA)
        await call.preload()
        call.documents([{"id": "d1", "text": "Your booking. Date: Thursday"}])
        assert "Document d1" not in call.briefing().text
        await say(call, clock, "I'll come on Friday the 6th of March")
        assert "Document d1 says date = Thursday, but the caller said 2026-03-06" in call.briefing().text
        call.documents([])
        assert "Document d1" not in call.briefing().text
