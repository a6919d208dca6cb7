"""Claims of one person, and what should hold after them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pipecat_memory.records.fact import Claim, Fact
from pipecat_memory.records.schema import FactRule
from pipecat_memory.writing.reconcile import reconcile

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
NOW = START + timedelta(days=60)


def said(day: float, key: str, value: Any, op: Any = "set", **more: Any) -> Claim:
    """A claim of the call of that day; `turn` defaults to 1."""
    at = START + timedelta(days=day)
    body: dict[str, Any] = {
        "text": f"{key} {value}",
        "quote": str(value),
        "call": f"c{day:g}",
        "turn": 1,
        "seq": 0,
    } | more
    return Claim(at=at.isoformat(), key=key, value=value, op=op, **body)


def day(number: float) -> str:
    return (START + timedelta(days=number)).isoformat()


@dataclass(frozen=True)
class Case:
    id: str
    claims: list[Claim]
    right: list[tuple[str, Any, str]]
    """(key, value, status), by when it began."""
    seen: dict[Any, int] = field(default_factory=dict[Any, int])
    rules: tuple[FactRule, ...] = ()
    asked: tuple[tuple[Any, Any], ...] = ()
    """(what stands, its rival)."""


def shown(facts: tuple[Fact, ...]) -> list[tuple[str, Any, str]]:
    return [(fact.key, fact.value, fact.status) for fact in facts]


def check(case: Case) -> None:
    """What holds after what was said, in whatever order it comes."""
    facts = reconcile(case.claims, rules=case.rules, now=NOW)
    assert shown(facts) == case.right
    assert reconcile(case.claims[::-1] * 2, rules=case.rules, now=NOW) == facts
    for value, times in case.seen.items():
        assert next(fact.seen for fact in facts if fact.value == value) == times
    by_id = {fact.id: fact for fact in facts}
    asked = tuple((by_id[f.disputes].value, f.value) for f in facts if f.disputes is not None)
    assert asked == case.asked
