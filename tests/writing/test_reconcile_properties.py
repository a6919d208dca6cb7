"""What always holds of facts, whatever was said."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.records.fact import Claim
from pipecat_memory.writing.reconcile import moment, reconcile

from .claims import NOW, said

KEYS = ["home_city", "allergy", "likes", "dislikes", "car", "name"]
CLAIMS = st.builds(
    said,
    day=st.integers(0, 12),
    key=st.sampled_from(KEYS),
    value=st.sampled_from(["nuts", "Nuts", "Rome", "Oslo", "left"]),
    op=st.sampled_from(["set", "add", "retract"]),
    turn=st.integers(1, 3),
    seq=st.integers(0, 2),
    explicit=st.booleans(),
    pending=st.booleans(),
    strength=st.sampled_from([1, 2]),
    subject=st.sampled_from(["caller", "caller", "other: brother"]),
    quote=st.sampled_from(["Rome", "that was my brother, not me", "no, Oslo"]),
)


@given(st.lists(CLAIMS, max_size=12), st.randoms())
def test_order_of_arrival_changes_nothing(claims: list[Claim], rng: Any) -> None:
    shuffled = list(claims)
    rng.shuffle(shuffled)
    assert reconcile(claims, now=NOW) == reconcile(shuffled, now=NOW)


@given(st.lists(CLAIMS, max_size=12))
def test_claims_that_come_twice_change_nothing(claims: list[Claim]) -> None:
    assert reconcile(claims + claims, now=NOW) == reconcile(claims, now=NOW)


@given(st.lists(CLAIMS, max_size=12))
def test_what_always_holds(claims: list[Claim]) -> None:
    facts = reconcile(claims, now=NOW)
    assert len({fact.id for fact in facts}) == len(facts)
    for fact in facts:
        assert fact.valid_to is None or moment(fact.valid_to) >= moment(fact.valid_from)
        assert fact.status != "current" or fact.valid_to is None
        assert fact.status not in ("superseded", "retracted") or fact.valid_to is not None
        assert fact.quote
        assert fact.disputes is None or fact.status == "pending"
    for key in ("home_city", "name"):
        for subject in ("caller", "other: brother"):
            holding = [f for f in facts if (f.key, f.subject, f.status) == (key, subject, "current")]
            assert len(holding) <= 1
