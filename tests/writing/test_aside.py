"""Long work of the deep path leaves the event loop that carries the audio; short work stays."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pipecat_memory.clients.base import ModelReply, ModelRequest, Usage
from pipecat_memory.clock import SystemClock
from pipecat_memory.config import Settings
from pipecat_memory.stores.caller_file import Gauge
from pipecat_memory.writing import ask as asking
from pipecat_memory.writing import summary, writer
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.aside import SHORT, Aside

from .desk import city, desk
from .scene import fact, turn_of
from .test_voices import course_of, said


@pytest.mark.parametrize("chars", [SHORT, SHORT + 1])
async def test_long_work_runs_in_a_thread_and_shows_on_the_gauge(chars: int) -> None:
    gauge = Gauge()

    def work() -> tuple[bool, int]:
        return threading.current_thread() is threading.main_thread(), gauge.out

    here, out = await Aside(gauge).run(work, chars=chars)
    assert (here, out) == ((True, 0) if chars == SHORT else (False, 1))
    assert gauge.out == 0


async def test_what_long_work_raises_is_raised() -> None:
    def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await Aside().run(work, chars=SHORT + 1)


def noting(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> set[bool]:
    """Whether the function of that name ran on the loop's own thread, each time."""
    real: Callable[..., Any] = getattr(where, name)
    seen: set[bool] = set()

    def noted(*args: Any, **kwargs: Any) -> Any:
        seen.add(threading.current_thread() is threading.main_thread())
        return real(*args, **kwargs)

    monkeypatch.setattr(where, name, noted)
    return seen


@pytest.mark.parametrize(
    ("words", "here"), [("I live in Rome", True), ("so " * 200 + "I live in Rome", False)]
)
async def test_a_long_turn_is_cleaned_and_grounded_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, words: str, here: bool
) -> None:
    built, judged = noting(monkeypatch, writer, "request_for"), noting(monkeypatch, writer, "results_of")
    d = desk()
    d.script(1, city("Rome"), delay=0.5)
    d.hear(turn_of(words, 1))
    await d.clock.advance(2)
    assert d.delivered == [(1, ["Rome"])]
    assert (built, judged) == ({here}, {here})


async def test_many_facts_are_grounded_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = noting(monkeypatch, writer, "results_of")
    d = desk()
    facts = [fact("home_city", "Rome", "I live in Rome", text=f"in Rome {n}") for n in range(9)]
    d.script(1, json.dumps({"facts": facts}))
    d.hear(turn_of("I live in Rome", 1))
    await d.clock.advance(2)
    assert d.delivered == [(1, ["Rome"] * 9)]
    assert judged == {False}


class Answers:
    """A model with one answer."""

    name = "one"

    def __init__(self, text: str) -> None:
        self.text = text

    async def answer(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text=self.text)


@pytest.mark.parametrize(("padding", "here"), [("", True), (" " * 2_000, False)])
async def test_a_long_answer_is_read_beside_the_loop(padding: str, here: bool) -> None:
    seen: list[bool] = []

    def read(reply: ModelReply) -> Any:
        seen.append(threading.current_thread() is threading.main_thread())
        return read_extract(reply)

    request = ModelRequest(purpose="extract", fixed="", text="", call="c")
    model = Answers('{"facts":[]}' + padding)
    await asking.ask(model, request, read, clock=SystemClock(), seconds=5.0, usage=Usage())
    assert seen == [here]


@pytest.mark.parametrize(("turns", "here"), [(1, True), (100, False)])
async def test_the_summary_of_a_long_call_is_held_to_it_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, turns: int, here: bool
) -> None:
    held = noting(monkeypatch, summary, "held_to")
    course = course_of(
        *(event for n in range(turns) for event in said(n * 10.0, ("0", "I would like a courier sent")))
    )
    made = await summary.summarise(
        Answers('{"text":"The caller wants a courier."}'),
        call="c",
        clock=SystemClock(),
        settings=Settings(),
        course=course,
        usage=Usage(),
        fallback=summary.summarise_rules(course),
    )
    assert (made.text, held) == ("The caller wants a courier.", {here})
