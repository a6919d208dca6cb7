"""Used wrongly: an error that names the place and what would be right, on the command line and in Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory import events as ev
from pipecat_memory.cli import cli
from pipecat_memory.errors import UsedWrongly

from .kit import ended, opened, say, verified


@pytest.mark.parametrize("kind", ["recall", "values", "slots", "repair"])
def test_eval_names_the_line_that_is_no_case(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('\n{"type"\n')
    done = CliRunner().invoke(cli, ["eval", kind, str(file), "--no-embedder"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cases.jsonl:2: not one JSON object a line" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["bench", "--memories", "-5"],
        ["bench", "--calls", "nan"],
        ["soak", "--calls", "0"],
        ["show", "x", "--recent", "-1"],
        ["why", "x", " "],
        ["forget", "x", "--store", "sqlite:///not-there.db"],
    ],
)
def test_what_makes_no_sense_is_used_wrongly(command: list[str]) -> None:
    done = CliRunner().invoke(cli, command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr


@pytest.mark.parametrize(
    ("text", "place"), [("{", "/: not JSON"), ('{"slots": [{"name": "x", "type": "when"}]}', "/slots/0/type")]
)
def test_eval_names_the_file_whose_schema_does_not_fit(text: str, place: str, tmp_path: Path) -> None:
    cases, schema = tmp_path / "cases.jsonl", tmp_path / "schema.json"
    cases.write_text("")
    schema.write_text(text)
    done = CliRunner().invoke(cli, ["eval", "state", str(cases), "--schema", str(schema)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"schema.json: {place}" in done.stderr


ANY: Any = 5
"""What a type checker would refuse, and an app without one hands in."""

CALLERS: dict[str, tuple[Callable[[], object], str]] = {
    "number": (lambda: Caller.phone(ANY), "number="),
    "strength": (lambda: Caller.phone("+15551230001", how="sure"), "how="),  # pyright: ignore[reportArgumentType]
    "region": (lambda: Caller.phone("5551230001", region=ANY), "region="),
    "person": (lambda: Caller.phone("+15551230001", person=ANY), "person="),
    "account": (lambda: Caller.account(ANY), "id="),
    "by hand": (lambda: Caller(ANY), "id="),
    "proven": (lambda: Caller.phone("+15551230001").proven(ANY), "how="),
}


@pytest.mark.parametrize("case", CALLERS)
def test_a_caller(case: str) -> None:
    make, place = CALLERS[case]
    with pytest.raises(UsedWrongly, match=place):
        make()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("caller", 5),
        ("call_id", None),
        ("call_id", ""),
        ("call_id", 5),
        ("direction", "sideways"),
        ("schema", [1]),
        ("timezone", None),
        ("timezone", "Mars/Olympus"),
        ("tenant", 5),
        ("remember", "no"),
    ],
)
async def test_a_call(name: str, value: Any) -> None:
    async with opened() as (memory, _):
        arguments: dict[str, Any] = {"caller": None, "call_id": "c1"} | {name: value}
        with pytest.raises(UsedWrongly, match=name):
            memory.call(arguments.pop("caller"), **arguments)
        assert not memory.keeper.live


STEPS: dict[str, tuple[Callable[[CallMemory], Any], str]] = {
    "no event": (lambda call: call.apply(ANY), "event"),
    "documents": (lambda call: call.documents(ANY), "docs"),
    "no documents": (lambda call: call.documents([ANY]), "docs"),
    "path": (lambda call: call.correct(ANY, 1, by="operator"), "path="),
    "by": (lambda call: call.correct("/slots/date", 1, by=ANY), "by="),
    "turn": (lambda call: call.rollback(-1), "turn="),
    "words": (lambda call: call.briefing(ANY), "briefing"),
    "alternatives": (lambda call: call.briefing("hello", [ANY]), "briefing"),
    "words to recall by": (lambda call: call.recall_ready(ANY), "recall_ready"),
    "a slot": (lambda call: call.require("date", ANY), "require"),
    "tools": (lambda call: call.guard(ANY), "guard"),
    "slots of a tool": (lambda call: call.guard({"book": (ANY,)}), "guard"),
    "a listener": (lambda call: call.listen(ANY), "listen"),
    "to remember": (lambda call: call.remember("likes", ANY, "I love jazz"), "value="),
    "a wait": (lambda call: call.preload(float("nan")), "wait="),
    "a wait without an end": (lambda call: call.preload(float("inf")), "wait="),
    "a caller": (lambda call: call.identify(ANY), "number="),
    "a strength": (lambda call: call.identify("+15551230001", how="sure"), "how="),  # pyright: ignore[reportArgumentType]
    "a reason": (lambda call: call.close("weird"), "reason="),
}


async def taken(step: Callable[[CallMemory], Any], call: CallMemory) -> None:
    result = step(call)
    if result is not None:
        await result


@pytest.mark.parametrize("case", STEPS)
async def test_a_call_that_goes_on(case: str) -> None:
    """It says so, loses nothing, and goes on."""
    step, place = STEPS[case]
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "I prefer a window seat")
        with pytest.raises(UsedWrongly, match=place):
            await taken(step, call)
        await say(call, clock, "call me Wren")
        await ended(call, clock)
        assert {f["value"] for f in await memory.profile(verified())} == {"window seat", "Wren"}


async def test_what_a_tool_gives_need_not_be_json() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        call.apply(ev.ToolCalled(t=0.0, id="t", name="look", args={1: object(), None: {2: {3}}}))  # pyright: ignore[reportArgumentType]
        await ended(call, clock)
        (report,) = (await memory.export(verified()))["calls"]
        assert [tool["name"] for tool in report["tools"]] == ["look"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("url", 5), ("url", "mysql://x"), ("tenant", ""), ("settings", 5), ("extraction", "often")],
)
async def test_opening(name: str, value: Any) -> None:
    arguments: dict[str, Any] = {"url": "memory://", "embedder": None} | {name: value}
    with pytest.raises(UsedWrongly):
        await Memory.open(**arguments)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("profile", "by"),
        ("show", "by"),
        ("export", "by"),
        ("forget", "by"),
        ("profile", "tenant"),
        ("audit", "tenant"),
    ],
)
async def test_what_is_held_is_asked_for_by_name(method: str, name: str) -> None:
    async with opened() as (memory, _):
        with pytest.raises(UsedWrongly, match=f"{name}="):
            await getattr(memory, method)(verified(), **{name: ANY})
        with pytest.raises(UsedWrongly, match="tenant="):
            memory.usage(ANY)


@pytest.mark.parametrize("method", ["profile", "show", "export", "forget"])
async def test_what_is_held_of_no_caller(method: str) -> None:
    async with opened() as (memory, _):
        with pytest.raises(UsedWrongly, match="caller"):
            await getattr(memory, method)("+15551230001")
