"""`python -m tests.livekit.measure`: what memory adds before a reply at LiveKit's model node, one JSON line.

Turn by turn in one run: the model's own node (plain), then the same behind the memory of a caller with many
facts. The time counted is from entering the node to the request that reaches the model.

Back to back, a turn's words come only with its end. With `--spoken` the turns are spoken to a whole session:
the recogniser's interims and finals come while the turn goes on, as they do on the telephone.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from statistics import quantiles
from typing import Any

from livekit.agents import Agent, llm, stt

from livekit_plugin import Caller, CallMemory, Memory
from pipecat_memory import events as ev

from .kit import Rig, bot, until

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


ENDPOINTING = 0.2
"""Seconds between a caller's last words and the end of the turn; LiveKit waits 0.5 unless told otherwise."""


class Timed(Agent):
    """Notes when the model would be asked; the memory wraps around it."""

    asked = 0.0

    async def llm_node(self, chat_ctx: llm.ChatContext, tools: Any, model_settings: Any) -> Any:
        self.asked = time.perf_counter()
        return "Yes."


class Added:
    """The milliseconds before each request: without memory, with it, and of those the wait for a vector."""

    def __init__(self) -> None:
        self.plain: list[float] = []
        self.memory: list[float] = []
        self.waited: list[float] = []

    def watch_waits(self, call: CallMemory) -> None:
        """Time how long replies wait for the vector of their question."""
        inner = call.recall_ready

        async def recall_ready(text: str) -> bool:
            begun = time.perf_counter()
            ready = await inner(text)
            self.waited.append((time.perf_counter() - begun) * 1000)
            return ready

        call.recall_ready = recall_ready  # pyright: ignore[reportAttributeAccessIssue] - an instance wrap

    async def without(self, context: llm.ChatContext) -> None:
        """The same node with nothing around it."""
        agent = Timed(instructions="BASE")
        await _through(agent, context, self.plain)

    async def wrapped(self, agent: Timed, context: llm.ChatContext) -> None:
        """The node of a session with memory, asked from here."""
        await _through(agent, context, self.memory)

    def watch(self, agent: Timed) -> None:
        """Time the node of a session with memory whenever the session asks it."""
        inner: Any = agent.llm_node

        async def llm_node(chat_ctx: llm.ChatContext, tools: Any, model_settings: Any) -> Any:
            begun = time.perf_counter()
            async for chunk in inner(chat_ctx, tools, model_settings):
                yield chunk
            self.memory.append((agent.asked - begun) * 1000)

        agent.llm_node = llm_node  # pyright: ignore[reportAttributeAccessIssue] - an instance wrap


async def _through(agent: Timed, context: llm.ChatContext, taken: list[float]) -> None:
    settings: Any = None
    begun = time.perf_counter()
    node: Any = agent.llm_node(context, [], settings)
    if asyncio.iscoroutine(node):
        await node
    else:
        async for _ in node:
            pass
    taken.append((agent.asked - begun) * 1000)


@asynccontextmanager
async def known_caller(embedder: str | None) -> AsyncGenerator[CallMemory]:
    """A call of somebody of whom much is known."""
    memory = await Memory.open("memory://", embedder=embedder)
    caller = Caller.phone("+15551230001", how="verified")
    before = memory.call(caller, call_id="before")
    for number, topic in enumerate(TOPICS):
        before.apply(ev.UserFinal(t=float(number), text=f"I am allergic to {topic}.", started=float(number)))
        before.apply(ev.TurnEnded(t=float(number)))
    await before.close("hangup")
    call = memory.call(caller, call_id="now")
    await call.preload(5.0)
    yield call
    await memory.close()


async def measure(turns: int, embedder: str | None, *, spoken: bool) -> dict[str, Any]:
    """Milliseconds that memory adds, by percentile, beside the same node without it."""
    added, agent = Added(), Timed(instructions="BASE")
    async with (
        known_caller(embedder) as call,
        bot(call, agent=agent, voice=spoken) as rig,
    ):
        gc.collect()
        gc.freeze()
        added.watch_waits(call)
        if spoken:
            added.watch(agent)
        for number in range(turns):
            first = f"a table for {number % 9 + 2} please"
            then = f"and is there {TOPICS[number % len(TOPICS)]} in it"
            context = _context(f"{first} {then}")
            await added.without(context)
            if spoken:
                await _speak(rig, first, then)
            else:
                call.apply(ev.UserTyped(t=call.elapsed, text=f"{first} {then}", id=f"turn-{number}"))
                await added.wrapped(agent, context)
                call.apply(ev.TurnEnded(t=call.elapsed))
                await asyncio.sleep(0)
        briefed = sum(call.briefing().tokens.values())
        late = call.counters.get("vector_late", 0) if embedder else None
    return {
        "measure": "livekit_reply_path",
        "spoken": spoken,
        "turns": turns,
        "facts": len(TOPICS),
        "embedder": embedder,
        "vector_late": late,
        "plain_ms": _percentiles(added.plain),
        "memory_ms": _percentiles(added.memory),
        "of_it_waiting_ms": _percentiles(added.waited),
        "briefing_tokens": briefed,
    }


def _context(said: str) -> llm.ChatContext:
    context = llm.ChatContext.empty()
    context.add_message(role="system", content="BASE", id="lk.agent_task.instructions")
    context.add_message(role="user", content=said)
    return context


async def _speak(rig: Rig, *pieces: str) -> None:
    """A turn in pieces, each with an interim and a final, and its whole answer."""
    answered = len(rig.items("assistant"))
    rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
    for piece in pieces:
        words = piece.split()
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, " ".join(words[: len(words) // 2]))
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, piece)
    await asyncio.sleep(ENDPOINTING)
    rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
    await until(lambda: len(rig.items("assistant")) > answered)


def _percentiles(values: list[float]) -> dict[str, float | None]:
    cuts = quantiles(values, n=100)
    p99 = round(cuts[98], 3) if len(values) >= 1000 else None
    return {"p50": round(cuts[49], 3), "p95": round(cuts[94], 3), "p99": p99}


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m tests.livekit.measure")
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--spoken", action="store_true", help="speak the turns to a whole session")
    options = parser.parse_args()
    embedder = None if options.no_embedder else "auto"
    measured = asyncio.run(measure(options.turns, embedder, spoken=options.spoken))
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
