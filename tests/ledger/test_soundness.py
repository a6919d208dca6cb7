"""Absurd events change nothing and are counted by reason."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pipecat_memory import events as ev
from pipecat_memory.ledger.effects import Rejected
from pipecat_memory.ledger.reducer import Ledger

from .notation import events, told

ABSURD: list[tuple[Any, str]] = [
    (ev.UserFinal(t=1, text="x" * 1_000_000), "wrong_value"),
    (ev.UserFinal(t=-1, text="x"), "wrong_value"),
    (ev.UserFinal(t=float("nan"), text="x"), "wrong_value"),
    (ev.UserFinal(t=1, text="a\x00b"), "wrong_value"),
    (ev.UserFinal(t=1, text="a\ud800b"), "wrong_value"),
    (ev.UserFinal(t=1, text=cast("str", None)), "wrong_value"),
    (ev.UserFinal(t=1, text=cast("str", 7)), "wrong_value"),
    (ev.UserFinal(t=1, text="x", started=-5.0), "wrong_value"),
    (ev.UserFinal(t=cast("float", "soon"), text="x"), "wrong_value"),
    (ev.ReplyEnded(t=1, reply="r1", interrupted=True, played=7.0), "wrong_value"),
    (ev.ReplyEnded(t=1, reply="r1", interrupted=cast("bool", "yes")), "wrong_value"),
    (ev.ToolReturned(t=1, id=cast("str", []), status="ok"), "wrong_value"),
    (ev.Event(t=1), "unknown_type"),
    ("user_final", "unknown_type"),
    (None, "unknown_type"),
]


@pytest.mark.parametrize(("event", "reason"), ABSURD)
def test_an_absurd_event_is_refused_and_nothing_else_is_lost(event: Any, reason: str) -> None:
    ledger = Ledger()
    for sound in events("1 U= one\n2 ."):
        ledger.apply(sound)
    assert ledger.apply(event) == (Rejected(reason, ""),)
    for sound in events("3 R r1\n3.5 H r1 Two.\n4 X r1"):
        ledger.apply(sound)
    assert told(ledger) == ["user 1 one", "agent 1 Two."]
    assert ledger.rejections == ((reason, ""),)


def test_no_repr_of_an_effect_shows_words() -> None:
    ledger = Ledger()
    shown = ""
    for event in events(
        "1 U[\n1.5 U~ secret\n2 U]\n3 .\n4 R r1\n4.5 H r1 secret\n5 X r1\n6 C a look\n7 V a ok"
    ):
        shown += repr(ledger.apply(event)) + repr(event)
    assert "secret" not in shown
    assert "secret" not in repr([*ledger.history(), *ledger.turns, *ledger.tools])
