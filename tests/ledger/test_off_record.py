"""Row F12: pause, resume, and "forget that"."""

from __future__ import annotations

import pytest

from pipecat_memory import events as ev
from pipecat_memory.ledger import effects as fx

from .notation import fold, lines, told

CASES: dict[str, tuple[str, str]] = {
    "nothing said in a pause is history": (
        "1 U= one\n1.5 .\n2 PAUSE\n3 U= two\n4 .\n5 RESUME\n6 U= three\n7 .",
        "user 1 one\nuser 2 three",
    ),
    "no reply of a pause is history": (
        "1 U= one\n1.5 .\n2 PAUSE\n3 R r1\n3.2 H r1 Secret.\n4 X r1\n5 RESUME\n6 U= three\n7 .",
        "user 1 one\nuser 2 three",
    ),
    "no partial of a pause is promoted": (
        "1 PAUSE\n2 U[\n2.5 U~ secret\n3 U]\n3.5 .\n4 RESUME\n5 END hangup",
        "",
    ),
    "speech that began before the pause counts": (
        "1 U[\n2 PAUSE\n2.2 U= one @1.0\n3 RESUME\n4 .",
        "user 1 one",
    ),
    "a pause without an end lasts": ("2 PAUSE\n3 U= two\n4 END hangup", ""),
    "forgetting drops the last turn and what it led to": (
        "1 U= one\n2 .\n3 R r1\n3.2 H r1 First.\n4 X r1\n5 U= 12\n6 .\n7 R r2\n7.2 H r2 12\n8 X r2\n9 FORGET",
        "user 1 one\nagent 1 First.",
    ),
    "and the numbers close up": (
        "1 U= one\n2 .\n3 U= two\n4 .\n5 FORGET\n6 U= three\n7 .",
        "user 1 one\nuser 2 three",
    ),
    "twice forgets two": ("1 U= one\n2 .\n3 U= two\n4 .\n5 FORGET\n6 FORGET", ""),
    "a late final does not bring it back": ("2 U= one @1.0\n3 .\n4 FORGET\n5 U= more @2.5", ""),
    "forgetting nothing is nothing": ("1 FORGET\n2 U= one\n3 .", "user 1 one"),
    "the open turn is not the last turn": (
        "1 U= one\n2 .\n3 U= forget that @2.5\n3.2 FORGET\n4 .",
        "user 1 forget that",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_history(name: str) -> None:
    script, expected = CASES[name]
    assert told(fold(script)) == lines(expected)


def test_paused_is_known() -> None:
    assert fold("1 PAUSE").paused
    assert not fold("1 PAUSE\n2 RESUME").paused
    assert not fold("1 RESUME").paused


def test_forgetting_names_the_key() -> None:
    ledger = fold("1 U= one\n2 .\n3 U= two\n4 .")
    key = ledger.turns[1].key
    assert ledger.apply(ev.MemoryForgetLast(t=5)) == (fx.TurnForgotten(key),)
    assert ledger.apply(ev.MemoryForgetLast(t=5)) == ()
