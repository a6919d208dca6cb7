"""Text that the journal could not be read back with is made to fit before it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from pipecat_memory import Caller, Memory
from pipecat_memory import events as ev
from pipecat_memory.calls.fitting import MAX_VALUE, fitted
from pipecat_memory.plausible import MAX_TEXT

ANA = Caller.phone("+15551230001", how="verified")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My name is Ana\x00Lopez", "My name is Ana Lopez"),
        ("My name is Ana \ud83d", "My name is Ana \ufffd"),
        ("My name is Ana \ud83d\ude00", "My name is Ana \U0001f600"),
        ("My name is Ana " + "so " * 100_000, ("My name is Ana " + "so " * 100_000)[:MAX_TEXT].strip()),
        ("\u202eMy name is שלום", "\u202eMy name is שלום"),
    ],
)
async def test_odd_text_outlives_the_process(tmp_path: Path, said: str, kept: str) -> None:
    url = f"sqlite:///{tmp_path}/c.db"
    memory = await Memory.open(url, embedder=None)
    call = memory.call(ANA, call_id="c")
    await call.preload(5.0)
    call.apply(ev.UserFinal(t=0.0, text=said, started=0.0))
    call.apply(ev.TurnEnded(t=1.0))
    await call.kept.durable()
    await call.close("crash")
    await memory.close()
    memory = await Memory.open(url, embedder=None)
    calls = (await memory.export(ANA))["calls"]
    assert [item["text"] for item in calls[0]["history"]] == [kept]
    await memory.close()


def test_results_of_tools_are_made_to_fit_in_every_depth() -> None:
    event = ev.ToolReturned(t=0.0, id="t", status="ok", result={"a\x00": ["\ud800", {"b": ("x\x00", 1)}]})
    assert fitted(event)[0].result == {"a ": ["\ufffd", {"b": ("x ", 1)}]}


def test_what_fits_is_left_as_it_is() -> None:
    event = ev.ToolReturned(t=0.0, id="t", status="ok", result={"a": ["é", {"b": (1, None)}]})
    assert fitted(event)[0] is event


class Odd:
    """An app's own object."""

    def __str__(self) -> str:
        return "an odd one"


class Broken:
    def __str__(self) -> str:
        raise KeyError("whatever")


class Colour(StrEnum):
    RED = "red"


@dataclass
class Table:
    seats: int
    when: date


def rings() -> list[Any]:
    ring: list[Any] = [1]
    ring.append(ring)
    return ring


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


ODD: list[tuple[Any, Any, int]] = [
    (Odd(), "an odd one", 1),
    (Broken(), "<Broken: KeyError>", 1),
    ({"a": Odd(), "b": [Broken()]}, {"a": "an odd one", "b": ["<Broken: KeyError>"]}, 2),
    ({(1, 2): "x", None: 2, 3: 4}, {"(1, 2)": "x", "None": 2, 3: 4}, 0),
    (float("nan"), "nan", 1),
    (float("-inf"), "-inf", 1),
    (1 << 70, str(1 << 70), 1),
    (10**5000, "<int: ValueError>", 1),
    ({1}, [1], 0),
    (Colour.RED, "red", 0),
    (Table(4, date(2026, 3, 2)), {"seats": 4, "when": "2026-03-02"}, 0),
    (Decimal("1.50"), "1.50", 0),
    (b"\x00", "AA==", 0),
    (MappingProxyType({"a": 1}), {"a": 1}, 0),
    ("x" * (MAX_VALUE + 1), "x" * MAX_VALUE, 1),
]


@pytest.mark.parametrize(("result", "kept", "odd"), ODD, ids=[type(row[0]).__name__ for row in ODD])
def test_what_is_no_json_is_kept_as_its_text(result: Any, kept: Any, odd: int) -> None:
    event, found = fitted(ev.ToolReturned(t=0.0, id="t", status="ok", result=result))
    assert (event.result, found) == (kept, odd)
    ev.check(event)
    assert ev.decode(msgspec.json.encode(ev.encode(event))) is not None


@pytest.mark.parametrize(
    "result", [rings(), deep(10_000), [["x" * 1_000] * 10] * 100, list(range(100_000)), {"a": deep(63)}]
)
def test_endless_results_are_cut_and_counted(result: Any) -> None:
    event, odd = fitted(ev.ToolReturned(t=0.0, id="t", status="ok", result=result))
    assert odd > 0
    ev.check(event)
    assert len(msgspec.json.encode(event.result)) < 10 * MAX_VALUE


@pytest.mark.parametrize(
    "event",
    [
        ev.ToolCalled(t=1.0, id="t", name="book", args={"who": Odd(), "when": {date(2026, 3, 2)}}),
        ev.ToolReturned(t=2.0, id="t", status="ok", result=Odd()),
        ev.Corrected(t=3.0, path="/slots/name", value=Odd(), by="desk"),
        ev.Documents(t=3.0, docs=({"id": "1", "text": "x", "fields": {"o": Odd()}},)),
    ],
)
async def test_what_an_app_hands_over_never_costs_the_journal_an_event(
    tmp_path: Path, event: ev.Event
) -> None:
    url = f"sqlite:///{tmp_path}/c.db"
    memory = await Memory.open(url, embedder=None)
    call = memory.call(ANA, call_id="c")
    await call.preload(5.0)
    call.apply(ev.ToolCalled(t=0.5, id="t", name="book", args={}))
    call.apply(event)
    call.apply(ev.UserFinal(t=4.0, text="My name is Ana Lopez", started=4.0))
    call.apply(ev.TurnEnded(t=5.0))
    assert call.counters["values_made_to_fit"] == 1
    await call.kept.durable()
    await call.close("crash")
    await memory.close()
    memory = await Memory.open(url, embedder=None)
    (kept,) = (await memory.export(ANA))["calls"]
    assert [item["text"] for item in kept["history"]] == ["My name is Ana Lopez"]
    if isinstance(event, ev.ToolReturned):
        assert [tool["result"] for tool in kept["tools"]] == ["an odd one"]
    await memory.close()


async def test_a_call_id_may_be_any_text() -> None:
    memory = await Memory.open("memory://", embedder=None)
    call = memory.call(Caller.account("account \ud800"), call_id="\ud800")
    call.apply(ev.UserFinal(t=0.0, text="My name is Ana Lopez", started=0.0))
    call.apply(ev.TurnEnded(t=1.0))
    await call.close("hangup")
    assert [f["value"] for f in await memory.profile(call.caller) if f["key"] == "name"] == ["Ana Lopez"]
    await memory.close()


async def test_to_forget_a_caller_leaves_another_tenants_call_of_that_number_alone() -> None:
    memory = await Memory.open("memory://", embedder=None)
    theirs = memory.call(ANA, call_id="theirs", tenant="other")
    ours = memory.call(ANA, call_id="ours")
    for call in (theirs, ours):
        call.apply(ev.UserFinal(t=0.0, text="My name is Ana Lopez", started=0.0))
        call.apply(ev.TurnEnded(t=1.0))
    await memory.forget(ANA)  # before either file is open, too
    for call in (theirs, ours):
        await call.kept.durable()
        await call.close("hangup")
    assert [f["value"] for f in await memory.profile(ANA, tenant="other")] == ["Ana Lopez"]
    assert await memory.export(ANA) == {"calls": [], "profiles": {}}
    await memory.close()


async def test_of_a_pasted_text_the_notes_read_the_start_and_history_keeps_it_all() -> None:
    memory = await Memory.open("memory://", embedder=None)
    call = memory.call(ANA, call_id="c")
    said = "My name is Ana Lopez. " + "and so on " * 2_000 + "My email is ana@example.org"
    call.apply(ev.UserTyped(t=0.0, text=said))
    call.apply(ev.TurnEnded(t=1.0))
    assert {name: slot["value"] for name, slot in call.state["slots"].items()} == {"name": "Ana Lopez"}
    assert [item.text for item in call.course.history()] == [said]
    await call.close("hangup")
    await memory.close()
