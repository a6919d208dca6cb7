"""A caller with any number of memories, the same ones at every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ..clients.base import Embedder
from ..clients.probe import PROBE
from ..memory import Memory
from ..records.caller import Caller, Scope
from ..records.fact import Claim
from ..records.profile import Episode, Profile
from ..records.schema import DEFAULT_SCHEMA
from ..records.summary import Summary
from ..stores.base import PutDoc
from ..stores.box import FACT_VECTORS, OURS
from ..stores.caller_file import CallerFile
from ..stores.contents import PROBED, CallMeta, VectorSet, pack
from ..writing.reconcile import reconcile

NUMBER = "+15550100001"
_START = datetime(2025, 1, 6, 9, tzinfo=UTC)
_AT_ONCE = 100
"""Past calls that are written in one step."""
_WHO = ("neighbour", "cousin", "manager", "gardener", "dentist", "tutor", "landlord", "coach")
_WHAT = (
    "invoice",
    "delivery",
    "garden",
    "boiler",
    "passport",
    "bicycle",
    "piano",
    "kitchen",
    "roof",
    "ticket",
)
_DOES = (
    "wants the {what} moved to week {n}",
    "asked about the {what} number {n}",
    "prefers the {what} in box {n}",
    "will call back about the {what} after day {n}",
    "paid {n} for the {what}",
)


def sentence(n: int) -> str:
    """The n-th memory's words."""
    who, what = _WHO[n % len(_WHO)], _WHAT[(n // 3) % len(_WHAT)]
    return f"my {who} {_DOES[n % len(_DOES)].format(what=what, n=n)}"


def question(n: int, memories: int) -> str:
    """What the caller asks in turn n: each time something else that is in memory."""
    target = (n * 7919) % max(memories, 1)
    return f"what was it that {sentence(target)} in question {n}"


async def seed(
    memory: Memory, memories: int, number: str = NUMBER, *, facts: int | None = None, past_calls: int = 0
) -> CallerFile:
    """Write a caller with that many memories: `facts` facts (one in four by default), the rest past turns.

    And with so many calls of long ago, in which nothing was said that is a fact.
    """
    file = await memory.archive.file(Scope(memory.tenant, number, ""))
    assert file is not None
    for first in range(0, past_calls, _AT_ONCE):
        calls = range(first, min(first + _AT_ONCE, past_calls))
        await file.box.put([doc for n in calls for doc in _past_call(n)])
    facts = memories // 4 if facts is None else facts
    turns = memories - facts
    claims = [_claim(n) for n in range(facts)]
    episodes = [_episode(n + facts) for n in range(turns)]
    meta = CallMeta(
        call="seed", at=_START.isoformat(), settled=True, outcome="completed", ended=_START.isoformat()
    )
    await file.open_call(replace(meta, settled=False))
    summary = Summary(call="seed", text="Talked about many things.", outcome="completed", resolved=True)
    known = reconcile(claims, rules=(), now=_START)

    def change(_profile: Profile) -> Profile:
        return Profile(claims=tuple(claims), facts=known, summaries=(summary,), calls=("seed",))

    embedder = memory.embedder
    of_turns = await _vectors(embedder, [(e.id, e.text) for e in episodes])
    of_facts = await _vectors(embedder, [(f"fact.{f.id}", f.text) for f in known])
    await file.settle(meta, change, episodes, of_turns)
    if of_facts is not None:
        await file.change(FACT_VECTORS, OURS, lambda _old: of_facts.pack())
    await memory.keeper.leases.finish("seed", file)
    return file


def verified(number: str = NUMBER) -> Caller:
    """The seeded caller, as sure as can be: everything may be recalled."""
    return Caller.phone(number, how="verified")


async def _vectors(embedder: Embedder | None, texts: Sequence[tuple[str, str]]) -> VectorSet | None:
    if embedder is None or not texts:
        return None
    rows = await embedder.embed([*(text for _, text in texts), PROBE])
    return VectorSet(embedder.name, (*(id for id, _ in texts), PROBED), rows)


def _past_call(n: int) -> list[PutDoc]:
    """What a call of two turns leaves in the store once it is settled."""
    name, at = f"call-{n:05}", _START - timedelta(days=n + 1)
    left = Summary(
        call=name,
        text=f"They said that {sentence(n)}. All was arranged as they wished, and nothing is left open.",
        outcome="completed",
        resolved=True,
        at=at.isoformat(),
    )
    meta = CallMeta(
        call=name,
        at=at.isoformat(),
        schema=DEFAULT_SCHEMA.report(),
        settled=True,
        outcome="abandoned" if n % 5 == 0 else "completed",
        ended=(at + timedelta(minutes=4)).isoformat(),
        summaries=(left,),
        runs={f"{n:08x}": at.isoformat()},
    )
    said = [
        Episode(
            id=f"turn.{name}.{turn}",
            call=name,
            turn=turn,
            role="user",
            text=sentence(n + turn),
            at=at.isoformat(),
        )
        for turn in (1, 2)
    ]
    return [PutDoc("call", name, pack(meta), 0), PutDoc("episodes", name, pack(said), 0)]


def _claim(n: int) -> Claim:
    at = _START - timedelta(days=n % 300, minutes=n)
    return Claim(
        call="seed",
        turn=n + 1,
        seq=0,
        at=at.isoformat(),
        key=f"topic_{n}",
        value=f"value {n}",
        text=sentence(n),
        quote=sentence(n),
        importance=0.5,
        strength=2,
    )


def _episode(n: int) -> Episode:
    at = (_START - timedelta(days=n % 300, minutes=n)).isoformat()
    return Episode(
        id=f"turn.seed.{n}", call=f"past{n // 20}", turn=n % 20, role="user", text=sentence(n), at=at
    )
