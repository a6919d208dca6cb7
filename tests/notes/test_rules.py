"""Rule 3 as a table: what stands x what is said -> what stands then."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.rules import Occasion, updated
from pipecat_memory.notes.utterance import Stance
from pipecat_memory.records.call_state import Confidence, SlotValue
from pipecat_memory.records.schema import Slot

Stands = tuple[str, Confidence, str | None] | None
Said = tuple[str, Stance]
Voice = Literal["caller", "uncertain", "other"]

REPLACE = Slot("s", "text", on_conflict="replace")
ASK = Slot("s", "text", on_conflict="ask")


def stand(state: Stands) -> SlotValue | None:
    if state is None:
        return None
    value, confidence, asked = state
    return SlotValue(value, value, confidence, 1, "t1", asked, asked or "")


def after(state: Stands, said: Said, slot: Slot, *, voice: Voice = "caller", sure: bool = True) -> Stands:
    mention = Mention("s", said[0] or None, said[0], 0, said[1])
    held = updated(stand(state), mention, slot, Occasion(2, "t2", voice, sure))
    return None if held is None else (held.value, held.confidence, held.asked)


NONE: Stands = None
SURE_A: Stands = ("a", "confirmed", None)
MAYBE_A: Stands = ("a", "inferred", None)
PENDING_A: Stands = ("a", "pending", None)
A_OR_B: Stands = ("a", "confirmed", "b")
SURE_B: Stands = ("b", "confirmed", None)
MAYBE_B: Stands = ("b", "inferred", None)

# what stands, what is said, then under `ask`, under `replace`
TABLE: list[tuple[Stands, Said, Stands, Stands]] = [
    (NONE, ("a", "assert"), SURE_A, SURE_A),
    (NONE, ("a", "correct"), SURE_A, SURE_A),
    (NONE, ("a", "unsure"), MAYBE_A, MAYBE_A),
    (NONE, ("a", "deny"), NONE, NONE),
    (PENDING_A, ("a", "assert"), SURE_A, SURE_A),
    (PENDING_A, ("b", "assert"), SURE_B, SURE_B),
    (PENDING_A, ("a", "unsure"), MAYBE_A, MAYBE_A),
    (PENDING_A, ("b", "unsure"), MAYBE_B, MAYBE_B),
    (PENDING_A, ("a", "deny"), NONE, NONE),
    (MAYBE_A, ("a", "assert"), SURE_A, SURE_A),
    (MAYBE_A, ("b", "assert"), SURE_B, SURE_B),
    (MAYBE_A, ("b", "correct"), SURE_B, SURE_B),
    (MAYBE_A, ("a", "unsure"), MAYBE_A, MAYBE_A),
    (MAYBE_A, ("b", "unsure"), ("a", "inferred", "b"), ("a", "inferred", "b")),
    (MAYBE_A, ("a", "deny"), NONE, NONE),
    (SURE_A, ("a", "assert"), SURE_A, SURE_A),
    (SURE_A, ("b", "assert"), A_OR_B, SURE_B),
    (SURE_A, ("b", "correct"), SURE_B, SURE_B),
    (SURE_A, ("a", "unsure"), SURE_A, SURE_A),
    (SURE_A, ("b", "unsure"), A_OR_B, A_OR_B),
    (SURE_A, ("a", "deny"), NONE, NONE),
    (SURE_A, ("b", "deny"), SURE_A, SURE_A),
    (SURE_A, ("", "deny"), NONE, NONE),
    (A_OR_B, ("a", "assert"), SURE_A, SURE_A),
    (A_OR_B, ("b", "assert"), SURE_B, SURE_B),
    (A_OR_B, ("b", "correct"), SURE_B, SURE_B),
    (A_OR_B, ("c", "correct"), ("c", "confirmed", None), ("c", "confirmed", None)),
    (A_OR_B, ("c", "assert"), ("a", "confirmed", "c"), ("c", "confirmed", None)),
    (A_OR_B, ("a", "deny"), SURE_B, SURE_B),
    (A_OR_B, ("b", "deny"), SURE_A, SURE_A),
    (A_OR_B, ("", "deny"), NONE, NONE),
]


@pytest.mark.parametrize(("state", "said", "asking", "replacing"), TABLE)
def test_the_caller_surely_heard(state: Stands, said: Said, asking: Stands, replacing: Stands) -> None:
    assert after(state, said, ASK) == asking
    assert after(state, said, REPLACE) == replacing


UNSURELY: list[tuple[Stands, Said, Stands]] = [
    (NONE, ("a", "assert"), MAYBE_A),
    (PENDING_A, ("b", "assert"), MAYBE_B),
    (MAYBE_A, ("a", "assert"), SURE_A),  # heard twice
    (MAYBE_A, ("b", "assert"), MAYBE_B),
    (SURE_A, ("a", "assert"), SURE_A),
    (SURE_A, ("b", "assert"), A_OR_B),
    (SURE_A, ("b", "correct"), MAYBE_B),
    (SURE_A, ("a", "deny"), NONE),
]


@pytest.mark.parametrize(("state", "said", "expected"), UNSURELY)
@pytest.mark.parametrize("slot", [ASK, REPLACE], ids=["ask", "replace"])
def test_the_caller_badly_heard(state: Stands, said: Said, expected: Stands, slot: Slot) -> None:
    assert after(state, said, slot, sure=False) == expected


STATES = [NONE, PENDING_A, MAYBE_A, SURE_A, A_OR_B]
STANCES: list[Stance] = ["assert", "correct", "unsure", "deny"]


@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("slot", [ASK, REPLACE], ids=["ask", "replace"])
@pytest.mark.parametrize("state", STATES)
def test_other_voices_never_set_or_take_away(state: Stands, slot: Slot, stance: Stance) -> None:
    for value in ("a", "b"):
        got = after(state, (value, stance), slot, voice="other")
        assert got == (state or (None if stance == "deny" else (value, "pending", None)))


@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("slot", [ASK, REPLACE], ids=["ask", "replace"])
@pytest.mark.parametrize("state", STATES)
def test_a_doubtful_transcript_may_only_ask(state: Stands, slot: Slot, stance: Stance) -> None:
    got = after(state, ("b", stance), slot, voice="uncertain")
    if state is None:
        assert got == (None if stance == "deny" else ("b", "pending", None))
    else:
        assert got is not None
        assert got[:2] == state[:2]


Listed = tuple[list[str], Confidence, Any] | None
MANY = Slot("s", "list")

LISTS: list[tuple[Listed, Said, Listed]] = [
    (None, ("a", "assert"), (["a"], "confirmed", None)),
    (None, ("a", "unsure"), (["a"], "inferred", None)),
    (None, ("a", "deny"), None),
    ((["a"], "confirmed", None), ("b", "assert"), (["a", "b"], "confirmed", None)),
    ((["a"], "confirmed", None), ("a", "assert"), (["a"], "confirmed", None)),
    ((["a"], "confirmed", None), ("A", "assert"), (["a"], "confirmed", None)),
    ((["a"], "confirmed", None), ("b", "unsure"), (["a"], "confirmed", "b")),
    ((["a"], "inferred", None), ("b", "assert"), (["a", "b"], "inferred", None)),
    ((["a"], "inferred", None), ("a", "assert"), (["a"], "confirmed", None)),
    ((["a"], "pending", None), ("b", "assert"), (["b"], "confirmed", None)),
    ((["a", "b"], "confirmed", None), ("a", "deny"), (["b"], "confirmed", None)),
    ((["a"], "confirmed", None), ("a", "deny"), None),
    ((["a"], "confirmed", None), ("b", "deny"), (["a"], "confirmed", None)),
    ((["a", "b"], "confirmed", None), ("", "deny"), None),
]


@pytest.mark.parametrize(("state", "said", "expected"), LISTS)
def test_lists(state: Listed, said: Said, expected: Listed) -> None:
    held = None if state is None else SlotValue(state[0], "", state[1], 1, "t1", state[2])
    mention = Mention("s", said[0] or None, said[0], 0, said[1])
    got = updated(held, mention, MANY, Occasion(2, "t2"))
    assert (None if got is None else (got.value, got.confidence, got.asked)) == expected
