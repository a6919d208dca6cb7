"""`python -m tests.livekit.measure`: what memory adds before a reply at LiveKit's model node, one JSON line.

Turn by turn in one run: the model's own node (plain), then the same behind the memory of a caller with many
facts. The time counted is from entering the node to the request that reaches the model.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from statistics import quantiles
from typing import Any

from livekit.agents import Agent, AgentSession, llm

from livekit_plugin import Caller, Memory, attach_session
from pipecat_memory import events as ev

from .kit import FakeLLM

TOPICS = (
    "walnuts",
    "soya milk",
    "shellfish",
    "gluten",
    "celery",
    "mustard",
    "peanuts",
    "sesame",
    "lupin",
    "eggs",
)


class Timed(Agent):
    """Notes when the model would be asked; the memory wraps around it."""

    asked = 0.0

    async def llm_node(self, chat_ctx: llm.ChatContext, tools: Any, model_settings: Any) -> Any:
        self.asked = time.perf_counter()
        return "Yes."


async def measure(turns: int, embedder: str | None) -> dict[str, Any]:
    """Milliseconds that memory adds, by percentile, beside the same node without it."""
    memory = await Memory.open("memory://", embedder=embedder)
    caller = Caller.phone("+15551230001", how="verified")
    before = memory.call(caller, call_id="before")
    for number, topic in enumerate(TOPICS):
        before.apply(ev.UserFinal(t=float(number), text=f"I am allergic to {topic}.", started=float(number)))
        before.apply(ev.TurnEnded(t=float(number)))
    await before.close("hangup")
    call = memory.call(caller, call_id="now")
    session: AgentSession[Any] = AgentSession(llm=FakeLLM(), vad=None, turn_handling={"turn_detection": None})
    agent, plain = Timed(instructions="BASE"), Timed(instructions="BASE")
    attach_session(session, call)
    await call.preload(5.0)
    await session.start(agent)
    settings: Any = None
    gc.collect()
    gc.freeze()
    added: list[float] = []
    base: list[float] = []
    for number in range(turns):
        said = f"a table for {number % 9 + 2} please, and is there {TOPICS[number % len(TOPICS)]} in it"
        context = llm.ChatContext.empty()
        context.add_message(role="system", content="BASE", id="lk.agent_task.instructions")
        context.add_message(role="user", content=said)
        call.apply(ev.UserTyped(t=call.elapsed, text=said, id=f"turn-{number}"))
        base.append(await _once(plain, context, settings))
        added.append(await _once(agent, context, settings))
        call.apply(ev.TurnEnded(t=call.elapsed))
        await asyncio.sleep(0)
    briefed = sum(call.briefing().tokens.values())
    await session.aclose()
    await memory.close()
    return {
        "measure": "livekit_reply_path",
        "turns": turns,
        "facts": len(TOPICS),
        "embedder": embedder,
        "vector_late": call.counters.get("vector_late", 0) if embedder else None,
        "plain_ms": _percentiles(base),
        "memory_ms": _percentiles(added),
        "briefing_tokens": briefed,
    }


async def _once(agent: Timed, context: llm.ChatContext, settings: Any) -> float:
    start = time.perf_counter()
    node: Any = agent.llm_node(context, [], settings)
    if asyncio.iscoroutine(node):
        await node
    else:
        async for _ in node:
            pass
    return (agent.asked - start) * 1000


def _percentiles(values: list[float]) -> dict[str, float | None]:
    cuts = quantiles(values, n=100)
    p99 = round(cuts[98], 3) if len(values) >= 1000 else None
    return {"p50": round(cuts[49], 3), "p95": round(cuts[94], 3), "p99": p99}


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m tests.livekit.measure")
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--no-embedder", action="store_true")
    options = parser.parse_args()
    measured = asyncio.run(measure(options.turns, None if options.no_embedder else "auto"))
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
