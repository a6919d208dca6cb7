"""Rows A3, A4 and A5: what becomes of replies and tool calls."""

from __future__ import annotations

import pytest

from pipecat_memory import events as ev
from pipecat_memory.ledger import effects as fx
from pipecat_memory.ledger.reducer import Ledger

from .notation import effects, fold, lines, told

CASES: dict[str, tuple[str, str]] = {
    "what was heard is history": (
        "1 R r1\n1 G r1 Good morning.\n1.2 H r1 Good\n1.4 H r1 morning.\n2 X r1",
        "agent 0 Good morning.",
    ),
    "a piece before the start waits for it": (
        "0.9 H r1 Good\n1 R r1\n1.4 H r1 morning.\n2 X r1",
        "agent 0 Good morning.",
    ),
    "a draft is not": ("1 R r1\n1 G r1 Good morning.\n2 END hangup", ""),
    "a cut reply is its heard prefix": (
        "1 R r1\n1 G r1 One two three.\n1.2 H r1 One\n1.4 H r1 two\n1.5 INT\n1.6 Xi r1",
        "agent 0 !One two",
    ),
    "a reply cut before any sound is none": ("1 R r1\n1 G r1 You owe 12 euros.\n1.5 INT\n1.6 Xi r1 0", ""),
    "words overtaken by the interruption are kept": (
        "1 R r1\n1 G r1 One two three.\n1.2 H r1 One\n1.5 INT\n1.6 Xi r1\n1.7 H r1 two",
        "agent 0 !One two",
    ),
    "words after the end are kept in their reply": (
        "1 R r1\n1 G r1 A. B. C.\n1.2 H r1 A.\n1.5 X r1\n1.7 H r1 B.\n1.9 H r1 C.\n2 U= ok\n3 .",
        "agent 0 A. B. C.\nuser 1 ok",
    ),
    "one reply committed twice is one item": (
        "1 R r1\n1 G r1 One two.\n1.2 H r1 One\n1.5 X r1\n1.6 Xi r1",
        "agent 0 !One",
    ),
    "in whichever order": ("1 R r1\n1 G r1 One two.\n1.2 H r1 One\n1.5 Xi r1\n1.6 X r1", "agent 0 !One"),
    "the part that was not played is not told": (
        "1 R a\n1 G a Moment.\n1.2 H a Moment.\n1.5 X a\n1.6 R b\n1.6 G b You owe 12.\n1.8 INT\n1.9 Xi b 0",
        "agent 0 Moment.",
    ),
    "a filler stays out": (
        "1 Rx f\n1 G f One moment.\n1.2 H f One moment.\n2 X f\n2 R r1\n2.3 H r1 It rains.\n3 X r1",
        "agent 0 It rains.",
    ),
    "a greeting comes before the first turn": (
        "0 R g\n0.2 H g Hello.\n1 X g\n2 U= hi\n3 .",
        "agent 0 Hello.\nuser 1 hi",
    ),
    "the call's end cuts what is playing": (
        "1 R r1\n1 G r1 One two.\n1.2 H r1 One\n2 END hangup",
        "agent 0 !One",
    ),
    "words that come after the end of the call": (
        "1 R r1\n1 G r1 One two.\n1.2 H r1 One\n2 END hangup\n2.1 H r1 two.",
        "agent 0 !One two.",
    ),
    # Evidence.
    "no piece, a share": ("1 R r1\n1 G r1 One. Two. Three.\n1.5 Xi r1 0.4", "agent 0 !~One."),
    "no piece, a share below the first word": ("1 R r1\n1 G r1 One two\n1.5 Xi r1 0.1", ""),
    "no piece, not interrupted": ("1 R r1\n1 G r1 One two.\n1.5 X r1", "agent 0 ?One two."),
    "no piece, not interrupted, a share": ("1 R r1\n1 G r1 One two.\n1.5 X r1 1", "agent 0 ~One two."),
    "no piece, interrupted, unknown": ("1 R r1\n1 G r1 One two.\n1.5 Xi r1", ""),
    "a zero beside confirmed words is unknown": (
        "1 R r1\n1 G r1 We open at nine.\n1.2 H r1 We\n1.5 Xi r1 0",
        "agent 0 !We",
    ),
    "never more than was played": (
        "1 R r1\n1 G r1 One two three four.\n1.1 H r1 One two three four.\n1.5 Xi r1 0.5 ~",
        "agent 0 !~One two",
    ),
    "no timings": ("1 R r1\n1 G r1 One. Two.\n1.1 H r1 One.\n1.5 Xi r1 ~", "agent 0 !~One."),
    "no timings and no plan, a share": (
        "1 R r1\n1.1 H r1 One two three four.\n1.5 Xi r1 0.5 ~",
        "agent 0 !~One two",
    ),
    "the smaller of words and share": (
        "1 R r1\n1 G r1 One two three four.\n1.1 H r1 One\n1.5 Xi r1 0.9",
        "agent 0 !One",
    ),
    # Written form.
    "the written form, not the spelling for the synthesiser": (
        "1 R r1\n1 G r1 Your PIN is A7. Thank you.\n1.1 H r1 your pin is ay seven thank\n1.5 Xi r1",
        "agent 0 !Your PIN is A7. Thank",
    ),
    "a cut inside a respelled word": (
        "1 R r1\n1 G r1 Your PIN is A7\n1.1 H r1 your pin is ay\n1.5 Xi r1",
        "agent 0 !Your PIN is",
    ),
    "a respelled ending of a whole reply": (
        "1 R r1\n1 G r1 It is 12:30.\n1.1 H r1 it is half past twelve\n1.5 X r1",
        "agent 0 It is 12:30.",
    ),
    "Chinese pieces": (
        "1 R r1\n1 G r1 今天天气很好。\n1.1 H r1 今天\n1.2 H r1 天气\n1.5 Xi r1",
        "agent 0 !今天天气",
    ),
    "Chinese pieces without a plan": ("1 R r1\n1.1 H r1 今天\n1.2 H r1 天气\n1.5 Xi r1", "agent 0 !今天天气"),
    "characters": ("1 R r1\n1.1 Hc r1 Bon\n1.2 Hc r1 jour\n1.5 X r1", "agent 0 Bonjour"),
    "a plan in pieces": (
        "1 R r1\n1 G r1 Good mor\n1.01 G r1 ning.\n1.1 H r1 Good morning.\n1.5 X r1",
        "agent 0 Good morning.",
    ),
    "a piece delivered twice": ("1 R r1\n1.1 H r1 no\n1.1 H r1 no\n1.5 X r1", "agent 0 no"),
    "a word said twice": ("1 R r1\n1.1 H r1 no\n1.2 H r1 no\n1.5 X r1", "agent 0 no no"),
    "twice at one moment, as planned": (
        "1 R r1\n1 G r1 no no\n1.1 H r1 no\n1.1 H r1 no\n1.5 X r1",
        "agent 0 no no",
    ),
    "alike in one batch, as planned": (
        "1 R r1\n1 G r1 an end of an era\n1.1 H r1 an\n1.1 H r1 end\n1.1 H r1 of\n1.1 H r1 an\n1.5 Xi r1",
        "agent 0 !an end of an",
    ),
    "alike in one batch, but delivered twice": (
        "1 R r1\n1 G r1 an end of an era\n1.1 H r1 an\n1.1 H r1 end\n1.1 H r1 an\n1.1 H r1 end\n1.5 Xi r1",
        "agent 0 !an end",
    ),
    "a plan delivered again at the end": (
        "1 R r1\n1 G r1 One two.\n1.5 X r1\n1 G r1 One two.",
        "agent 0 ?One two.",
    ),
    "groups of a number alike in one moment": (
        "1 R r1\n1 G r1 42\n1 G r1  17\n1 G r1  17\n1 G r1  9\n1.5 X r1",
        "agent 0 ?42 17 17 9",
    ),
    "sentences alike in one moment": (
        "1 R r1\n1 G r1 Go on.\n1 G r1  Go on.\n1 G r1  Go on.\n1.5 X r1",
        "agent 0 ?Go on. Go on. Go on.",
    ),
    "tokens alike in one moment": (
        "1 R r1\n1 G r1 so\n1 G r1  good\n1 G r1  so\n1 G r1  far\n1.5 X r1\n1 G r1  so",
        "agent 0 ?so good so far",
    ),
    # Speculation.
    "an answer to a withdrawn guess is nothing": (
        "1 ? cancel\n1.2 R r1\n1.2 G r1 Done.\n1.5 !?\n2 Xi r1\n3 END hangup",
        "",
    ),
    "nor are its late pieces": ("1 ? cancel\n1.2 R r1\n1.2 G r1 Done.\n1.5 !?\n1.7 H r1 Done.\n2 X r1", ""),
    "an answer to a confirmed guess is history": (
        "1 U= cancel @0.5\n1 ? cancel\n1.2 R r1\n1.3 .\n1.5 H r1 Done.\n2 X r1",
        "user 1 cancel\nagent 1 Done.",
    ),
    "a guess replaced by another takes its answer along": (
        "1 ? can\n1.2 R r1\n1.4 ? cancel\n1.5 R r2\n1.6 .\n2 H r2 Done.\n2.1 X r2\n2.2 H r1 No.",
        "agent 0 Done.",
    ),
    "a guess the call ended on": ("1 ? cancel\n1.2 R r1\n1.2 G r1 Done.\n1.3 X r1\n2 END hangup", ""),
    # Ids.
    "a reply nobody started": ("1 H r9 Secret\n1.5 X r9\n2 END hangup", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_history(name: str) -> None:
    script, expected = CASES[name]
    assert told(fold(script)) == lines(expected)


def test_pieces_follow_their_numbers() -> None:
    ledger = Ledger()
    for event in (
        ev.ReplyStarted(t=1, reply="r1"),
        ev.ReplyHeard(t=2, reply="r1", text="two", seq=2),
        ev.ReplyHeard(t=3, reply="r1", text="one", seq=1),
        ev.ReplyHeard(t=4, reply="r1", text="two", seq=2),
        ev.ReplyEnded(t=5, reply="r1", interrupted=False),
    ):
        ledger.apply(event)
    assert told(ledger) == ["agent 0 one two"]


def test_drop_keeps_nothing_of_a_cut_reply() -> None:
    script = "1 R r1\n1.2 H r1 One\n1.5 INT\n1.6 Xi r1\n2 R r2\n2.1 H r2 Two.\n3 X r2"
    assert told(fold(script, interrupted_reply="drop")) == ["agent 0 Two."]


def test_a_reply_is_told_once_and_amended_later() -> None:
    found = effects("1 R r1\n1 G r1 A. B.\n1.2 H r1 A.\n1.5 X r1\n1.5 X r1\n1.7 H r1 B.")
    assert [type(e) for e in found] == [fx.ReplyOpened, fx.ReplyCommitted, fx.ReplyAmended]
    amended = found[-1]
    assert isinstance(amended, fx.ReplyAmended)
    assert amended.item.text == "A. B."


def test_the_turn_a_reply_ends_is_committed_before_the_reply_starts() -> None:
    found = effects("1 U= hi\n2 R r1")
    assert [type(e) for e in found] == [fx.SegmentHeard, fx.TurnCommitted, fx.ReplyOpened]


@pytest.mark.parametrize(
    ("script", "cut"),
    [
        ("1 R r1\n1.2 H r1 One\n1.5 INT\n1.6 Xi r1", ("r1", "One")),
        ("1 R r1\n1.5 INT\n1.6 Xi r1 0", ("r1", "")),
        ("1 R r1\n1.2 H r1 One\n1.5 INT", ("r1", "One")),
        ("1 R r1\n1.2 H r1 One\n1.5 INT\n1.6 Xi r1\n2 R r2", ("r1", "One")),
        ("1 R r1\n1.2 H r1 One\n1.5 INT\n1.6 Xi r1\n2 R r2\n2.2 H r2 Two", None),
        ("1 R r1\n1.2 H r1 One\n1.6 X r1", None),
        ("1 Rx r1\n1.2 H r1 One\n1.6 Xi r1", None),
        ("", None),
    ],
)
def test_the_last_cut(script: str, cut: tuple[str, str] | None) -> None:
    assert fold(script).cut == cut


@pytest.mark.parametrize(
    ("script", "phase", "reply"),
    [
        ("", "listening", None),
        ("1 U[\n1.5 U= hi", "listening", None),
        ("1 U= hi\n2 .", "thinking", None),
        ("1 U= hi\n2 .\n2.1 R r1", "thinking", "thinking"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One", "speaking", "speaking"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n3 X r1", "listening", "completed"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n2.7 INT\n3 Xi r1", "listening", "cancelled"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n2.7 INT", "listening", "cancelled"),
        # The model timed out: nothing was said.
        ("1 U= hi\n2 .\n2.1 R r1\n9 X r1", "listening", "failed"),
        # The synthesiser failed before any sound; nobody cut in.
        ("1 U= hi\n2 .\n2.1 R r1\n2.2 G r1 One\n3 Xi r1 0", "listening", "failed"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n3 END crash", "failed", "cancelled"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.2 G r1 One\n3 END crash", "failed", "failed"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n3 END cancelled", "cancelled", "cancelled"),
        ("1 U= hi\n2 .\n2.1 R r1\n2.5 H r1 One\n3 X r1\n4 END hangup", "completed", "completed"),
        ("1 ? hi\n2.1 R r1\n2.5 !?", "listening", "cancelled"),
    ],
)
def test_phases(script: str, phase: str, reply: str | None) -> None:
    ledger = fold(script)
    assert (ledger.phase, ledger.phase_of("r1")) == (phase, reply)


def test_a_retry_answers_the_kept_words_under_a_new_id() -> None:
    script = "1 U= what time @0.5\n2 .\n2.1 R r1\n9 X r1\n9.1 R r2\n9.5 H r2 Nine.\n10 X r2"
    ledger = fold(script)
    assert told(ledger) == ["user 1 what time", "agent 1 Nine."]
    assert (ledger.phase_of("r1"), ledger.phase_of("r2")) == ("failed", "completed")


TOOLS: dict[str, tuple[str, list[tuple[str, str | None, bool]]]] = {
    "runs": ("1 C a look", [("a", None, False)]),
    "returned": ("1 C a look\n2 V a ok", [("a", "ok", False)]),
    "failed": ("1 C a look\n2 V a error", [("a", "error", False)]),
    "told once a heard reply followed": (
        "1 C a look\n2 V a ok\n3 R r1\n3.1 H r1 Done.\n4 X r1",
        [("a", "ok", True)],
    ),
    "not told by a reply cut in silence": (
        "1 C a look\n2 V a ok\n3 R r1\n3.1 INT\n4 Xi r1 0",
        [("a", "ok", False)],
    ),
    "not told by words from before the result": (
        "0 R r1\n1 C a look\n2 V a ok\n2.1 H r1 Moment.\n4 X r1",
        [("a", "ok", False)],
    ),
    "not told by a filler": ("1 C a look\n2 V a ok\n3 Rx r1\n3.1 H r1 Hm.\n4 X r1", [("a", "ok", False)]),
    "cancelled by the interruption": ("1 C a look\n2 INT\n3 .", [("a", "cancelled", False)]),
    "running while the interruption lasts": ("1 C a look\n2 INT", [("a", None, False)]),
    "cancelled by the call's end": ("1 C a look\n2 END hangup", [("a", "cancelled", False)]),
    "a real result stands above a cancellation": ("1 C a look\n2 INT\n3 .\n4 V a ok", [("a", "ok", False)]),
    "whichever comes first": ("1 C a look\n2 V a ok\n3 V a cancelled", [("a", "ok", False)]),
    "an interruption after the result changes nothing": (
        "1 C a look\n2 V a ok\n2.5 INT\n3 .",
        [("a", "ok", False)],
    ),
    "a result before its call": ("1 V a ok\n1.5 C a look", [("a", "ok", False)]),
    "called twice": ("1 C a look\n1.1 C a look\n2 V a ok", [("a", "ok", False)]),
    "a result without a call": ("1 V a ok\n2 END hangup", []),
    "off the record": ("1 PAUSE\n2 C a look\n3 V a ok\n4 RESUME", []),
    "in order of calling": ("2 C b look\n1 C a look", [("a", None, False), ("b", None, False)]),
}


@pytest.mark.parametrize("name", TOOLS)
def test_tools(name: str) -> None:
    script, expected = TOOLS[name]
    assert [(t.id, t.status, t.told) for t in fold(script).tools] == expected


def test_a_finished_tool_is_told_and_told_again_when_a_real_result_comes() -> None:
    found = [
        e for e in effects("1 C a look\n2 INT\n3 .\n4 V a ok\n5 V a ok") if isinstance(e, fx.ToolFinished)
    ]
    assert [e.record.status for e in found] == ["cancelled", "ok"]


@pytest.mark.parametrize(
    ("script", "rejected"),
    [
        ("1 H r9 x\n1.5 X r9\n2 END hangup", [("unknown_id", "r9")]),
        ("1 V t9 ok\n2 END hangup", [("unknown_id", "t9")]),
        ("2 END hangup\n3 H r9 x", [("unknown_id", "r9")]),
        ("1 R r1\n2 END hangup\n3 H r1 x", []),
        ("1 ? x\n1.1 R r1\n1.2 !?\n1.3 H r1 x\n1.4 X r1", [("withdrawn_reply", "r1")] * 2),
    ],
)
def test_rejections_are_traceable_by_id(script: str, rejected: list[tuple[str, str]]) -> None:
    assert list(fold(script).rejections) == rejected
