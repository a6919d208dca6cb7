"""A real call: fragmented finals become turns, and a cut anywhere keeps exactly what was heard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipecat_memory import events as ev
from pipecat_memory.ledger.reducer import Ledger
from pipecat_memory.records.turn import HistoryItem
from pipecat_memory.replay import replay

HERE = Path(__file__).parent / "real"

CALLER = {
    "opening": [
        "Hi, I need to change my flight to March 25th.",
        "The confirmation is Z. 3FFW and the last name is Rodriguez.",
        "Zulu. Kilo. 3 Foxtrot. Foxtrot Whiskey. Less than a person. name Rodriguez.",
    ],
    "repaired_date": [
        (
            "That Please move me to Sierra Kilo 703 on March 22nd. 25th."
            " And I need a confirmed Windows seat, not just a request."
        ),
    ],
}


def recorded(name: str) -> list[str]:
    return (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def events(name: str) -> list[ev.Event]:
    decoded = (ev.decode(line) for line in recorded(name))
    return [event for event in decoded if event is not None and not isinstance(event, ev.CallStarted)]


def items(events: list[ev.Event], role: str) -> list[HistoryItem]:
    ledger = Ledger()
    for event in events:
        ledger.apply(event)
    return [item for item in ledger.history() if item.role == role]


@pytest.mark.parametrize("name", CALLER)
def test_finals_are_fused_into_turns(name: str) -> None:
    said = items(events(name), "user")
    assert [item.text for item in said] == CALLER[name]
    assert all(item.trust == "high" and not item.incomplete for item in said)


@pytest.mark.parametrize("name", CALLER)
def test_every_reply_heard_to_its_end_is_its_written_text(name: str) -> None:
    call = events(name)
    plans = [" ".join(event.text.split()) for event in call if isinstance(event, ev.ReplyText)]
    heard = items(call, "assistant")
    assert [item.text for item in heard][-len(plans) :] == plans
    assert all((item.precision, item.interrupted) == ("exact", False) for item in heard)


@pytest.mark.parametrize("name", CALLER)
def test_a_cut_at_any_word_keeps_exactly_the_words_before_it(name: str) -> None:
    call = events(name)
    cuts = sorted({event.t for event in call if isinstance(event, ev.ReplyHeard)})
    assert len(cuts) > 50
    for moment in cuts:
        so_far = [event for event in call if event.t <= moment]
        reply = next(event.reply for event in reversed(so_far) if isinstance(event, ev.ReplyHeard))
        words = [e.text for e in so_far if isinstance(e, ev.ReplyHeard) and e.reply == reply]
        cut = ev.ReplyEnded(t=moment, reply=reply, interrupted=True)
        heard = items([*so_far, ev.Interrupted(t=moment), cut], "assistant")[-1]
        assert heard.text == " ".join(words)
        assert heard.interrupted


async def test_the_replay_command_agrees() -> None:
    report = await replay(recorded("repaired_date"), embedder=None)
    (call,) = report["calls"]
    assert [item["text"] for item in call["history"] if item["role"] == "user"] == CALLER["repaired_date"]
    assert report["errors"] == []
    assert json.dumps(report)
