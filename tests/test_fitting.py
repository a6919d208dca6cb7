"""Text that the journal could not be read back with is made to fit before it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipecat_memory import Caller, Memory
from pipecat_memory import events as ev
from pipecat_memory.fitting import fitted
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
    await call.durable()
    await call.close("crash")
    await memory.close()
    memory = await Memory.open(url, embedder=None)
    calls = (await memory.export(ANA))["calls"]
    assert [item["text"] for item in calls[0]["history"]] == [kept]
    await memory.close()


def test_results_of_tools_are_made_to_fit_in_every_depth() -> None:
    event = ev.ToolReturned(t=0.0, id="t", status="ok", result={"a\x00": ["\ud800", {"b": ("x\x00", 1)}]})
    assert fitted(event).result == {"a ": ["\ufffd", {"b": ("x ", 1)}]}


def test_what_fits_is_left_as_it_is() -> None:
    event = ev.ToolReturned(t=0.0, id="t", status="ok", result={"a": ["é", {"b": (1, None)}]})
    assert fitted(event) is event


async def test_a_call_id_may_be_any_text() -> None:
    memory = await Memory.open("memory://", embedder=None)
    call = memory.call(Caller.account("\ud800"), call_id="\ud800")
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
        await call.durable()
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
