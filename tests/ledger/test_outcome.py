"""How calls end, without a model."""

from __future__ import annotations

import pytest

from pipecat_memory.ledger import effects as fx
from pipecat_memory.ledger.outcome import is_question

from .notation import effects, fold

SAID = "1 U= hi\n2 .\n2.1 R r1\n2.2 H r1 Goodbye.\n3 X r1\n"
ASKED = "1 U= hi\n2 .\n2.1 R r1\n2.2 H r1 What day?\n3 X r1\n"


@pytest.mark.parametrize(
    ("script", "reason", "outcome"),
    [
        (SAID, "hangup", "completed"),
        (SAID, "bot_ended", "completed"),
        (SAID, "idle_timeout", "completed"),
        (SAID, "cancelled", "completed"),
        (SAID, "transferred", "transferred"),
        (SAID, "error", "failed"),
        (SAID, "crash", "failed"),
        ("", "no_answer", "no_answer"),
        ("", "hangup", "abandoned"),
        ("1 R r1\n1.1 G r1 Hello.\n", "hangup", "abandoned"),
        ("1 R r1\n1.1 G r1 Hello.\n1.2 INT\n1.3 Xi r1 0\n", "hangup", "abandoned"),
        (ASKED, "hangup", "abandoned"),
        (ASKED, "bot_ended", "completed"),
        (ASKED + "4 U= Friday\n5 .\n", "hangup", "completed"),
        (ASKED + "4 U= Fri\n", "hangup", "completed"),
        ("1 R r1\n1 G r1 What day?\n1.1 H r1 What\n1.2 INT\n1.3 Xi r1\n", "hangup", "completed"),
        (SAID + "3.5 MACHINE\n", "hangup", "voicemail"),
        ("3.5 MACHINE\n", "bot_ended", "voicemail"),
        ("3.5 MACHINE\n", "no_answer", "no_answer"),
    ],
)
def test_outcome(script: str, reason: str, outcome: str) -> None:
    assert fold(script).outcome(reason) == outcome
    (over,) = [e for e in effects(f"{script}9 END {reason}\n9.5 END {reason}") if isinstance(e, fx.CallOver)]
    assert over == fx.CallOver(reason, outcome)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What day?", True),
        ("What day? Or night", False),
        ("「いつですか？」", True),
        ("متى؟", True),
        ("Τι ώρα;", True),
        ("one; two;", False),
        ('He said "why?"', True),
        ("", False),
        ("?", True),
    ],
)
def test_questions(text: str, asks: bool) -> None:
    assert is_question(text) is asks
