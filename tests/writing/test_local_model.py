"""A small real model through the real client and writer. Its figures find faults; they boast of nothing.

Skipped where the model's wheels are not installed (see `examples/phone_bot/README.md`). With DATA naming the
folder of the public sets, slots of schema-guided dialogues are filled too. LOCAL_TURNS bounds each part.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from examples.phone_bot.local_model import NAME, start
from pipecat_memory import CallMemory, Memory, MemorySchema, Settings
from pipecat_memory import events as ev
from pipecat_memory.evals.lines import cases
from pipecat_memory.evals.state import followed
from pipecat_memory.records.fact import Claim
from pipecat_memory.writing.canon import canonical, fold

from ..kit import verified

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

TURNS = int(os.environ.get("LOCAL_TURNS", "15"))
"""Most turns of each part: one takes 4 to 10 s on two idle cores."""
CALLS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "local_calls.json").read_text(encoding="utf-8")
)
SETTINGS = Settings(strict=True, model_timeout=120.0, drain=120.0, call_token_budget=1_000_000)


@pytest.fixture(scope="module")
def endpoint() -> str:
    url = start()
    if url is None:
        pytest.skip("xllamacpp or the model's wheels are not installed")
    return url


@asynccontextmanager
async def held(url: str, name: str, schema: MemorySchema | None = None) -> AsyncGenerator[CallMemory]:
    memory = await Memory.open(
        "memory://", tenant=name, model=NAME, base_url=url, embedder=None, settings=SETTINGS
    )
    call = memory.call(verified(), call_id=name, schema=schema)
    await call.preload()
    try:
        yield call
    finally:
        await call.close("hangup")
        await memory.close()


async def told(call: CallMemory, number: int, caller: str, agent: str) -> None:
    """One turn, its extraction, and the agent's answer."""
    t = call.elapsed
    call.apply(ev.UserFinal(t=t, text=caller, id=f"f{number}", started=t))
    call.apply(ev.TurnEnded(t=t))
    await call.writer.idle()
    reply = f"r{number}"
    call.apply(ev.ReplyStarted(t=t, reply=reply))
    call.apply(ev.ReplyText(t=t, reply=reply, text=agent))
    call.apply(ev.ReplyEnded(t=t, reply=reply, interrupted=False, played=1.0))


def names(claim: Claim, value: str) -> bool:
    return fold(value) in fold(f"{claim.value} {claim.text} {claim.quote}")


@pytest.mark.parametrize("language", CALLS)
async def test_facts_of_a_call(endpoint: str, language: str) -> None:
    turns = CALLS[language][:TURNS]
    begun = time.monotonic()
    async with held(endpoint, f"local-{language}") as call:
        for number, turn in enumerate(turns, 1):
            await told(call, number, turn["caller"], turn["agent"])
        claims, counters, usage = call.findings.claims, dict(call.writer.counters), call.usage()
    seconds = time.monotonic() - begun
    by_turn = {n: [c for c in claims if c.turn == n] for n in range(1, len(turns) + 1)}
    wanted = [(n, value) for n, turn in enumerate(turns, 1) for value in turn["facts"]]
    found = [(n, value) for n, value in wanted if any(names(c, value) for c in by_turn[n])]
    stray = [c for n, turn in enumerate(turns, 1) if not turn["facts"] for c in by_turn[n]]
    report(
        facts=language,
        turns=len(turns),
        wanted=len(wanted),
        found=len(found),
        claims=len(claims),
        in_turns_without_facts=len(stray),
        seconds_a_request=round(seconds / max(counters["model_calls"], 1), 1),
        tokens=usage["tokens"],
        missed=[value for pair in wanted if pair not in found for value in pair[1:]],
        stray=[(c.turn, c.key, c.value) for c in stray],
        **counters,
    )
    accounted = sum(counters[name] for name in ("turns_extracted", "turns_parked", "turns_skipped"))
    assert accounted == len(turns), "what a poor model can't answer is parked, never lost"
    for claim in claims:
        assert fold(claim.quote) in fold(turns[claim.turn - 1]["caller"]), "no quote, no fact"


async def test_slots_of_schema_guided_dialogues(endpoint: str) -> None:
    folder = Path(os.environ.get("DATA", ""))
    if not (folder / "sgd.dev.jsonl").is_file():
        pytest.skip("DATA names no folder with sgd.dev.jsonl")
    services = {row["service"]: row for row in cases(folder / "sgd.schema.jsonl")}
    right, alone, counted, begun = 0, 0, 0, time.monotonic()
    requests = 0
    for case in islice(_single(folder / "sgd.dev.jsonl"), 0, None, 7):
        schema = _schema(services[case["services"][0]])
        rows = list(followed(case, schema, transcript=True))
        async with held(endpoint, f"sgd-{case['id']}", schema) as call:
            users = 0
            for turn in case["turns"]:
                if turn["speaker"] != "user":
                    continue
                users += 1
                await told(call, users, turn["text"], _answer(case["turns"], turn))
                gold = turn["state"]
                stands = call.state["slots"]
                right += sum(
                    _same(stands.get(name, {}).get("value"), values) for name, values in gold.items()
                )
                alone += sum(_same(rows[users - 1][1].get(name), values) for name, values in gold.items())
                counted += len(gold)
            requests += call.writer.counters["model_calls"]
        if requests >= TURNS:
            break
    report(
        slots="sgd.dev",
        requests=requests,
        values=counted,
        right_with_model=right,
        right_by_rules_alone=alone,
        seconds_a_request=round((time.monotonic() - begun) / max(requests, 1), 1),
    )


def report(**figures: Any) -> None:
    print(json.dumps({"model": NAME, **figures}, ensure_ascii=False), flush=True)  # noqa: T201 - make long's line


def _single(file: Path) -> Iterator[dict[str, Any]]:
    return (case for case in cases(file) if len(case["services"]) == 1)


def _schema(service: dict[str, Any]) -> MemorySchema:
    slots = [
        {"name": f"{service['service']}.{name}", "description": slot["description"]}
        | ({"values": slot["values"]} if slot["values"] else {})
        for name, slot in service["slots"].items()
    ]
    return MemorySchema.from_dict({"version": 1, "slots": slots})


def _answer(turns: Sequence[dict[str, Any]], turn: dict[str, Any]) -> str:
    after = turns[turns.index(turn) + 1 :]
    return after[0]["text"] if after else "Goodbye."


def _same(value: Any, gold: Sequence[str]) -> bool:
    return value is not None and canonical(str(value)) in {canonical(one) for one in gold}
