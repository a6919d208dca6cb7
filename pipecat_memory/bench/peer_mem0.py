"""`bench --peer mem0`: Pipecat's own `Mem0MemoryService`, on a store in this process, beside this memory.

Its model and embedder are a stub on the loopback interface that answers at once, so what is timed is the
peer itself, and nothing leaves the machine. What only its cloud has, and BM25 and entities (whose packages
are extras), it does without here: that makes it faster.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import json
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from typing import Any

from .. import events as ev
from ..config import Settings
from ..memory import Extraction, Memory
from ..reading.tokens import default_counter
from ..records.caller import Caller
from ..testing.model_server import ModelServer, Served
from ..writing.prompting import fixed
from .caller import sentence
from .long_call import LongCall, long_call
from .pipelines import Lane
from .tokens import CACHED_PRICE, Exchange, share, weigh

NAME = "Mem0MemoryService"
WIDTH = 512
"""Numbers of the stub's vectors: as many as those of the in-process embedder."""
_ASKED = re.compile(r"^> \[(\d+)\] CALLER", re.MULTILINE)
_NOTHING_MORE: dict[str, list[str]] = {"key_facts": [], "open_items": []}
_SETTLED = 60.0
"""Seconds that the peer may take to store one turn before the comparison gives up."""


def installed() -> bool:
    """Whether the peer can run here."""
    return importlib.util.find_spec("mem0") is not None


def version() -> str:
    """Of the peer's package."""
    return importlib.metadata.version("mem0ai")


class Mem0:
    """The peer in a pipeline of its own, with the stub that it asks.

    Args:
        memories: how many it holds before the first turn.
        answer: what its model answers.
    """

    def __init__(self, memories: int = 0, answer: str = '{"memory": []}') -> None:
        self.server = ModelServer(otherwise=lambda _: Served(text=self.answer), width=WIDTH)
        self.answer = answer
        self._memories = memories
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._began = 0
        self._stored = threading.Semaphore(0)

    async def start(self) -> None:
        """Start the stub, the store and the pipeline."""
        self.server.__enter__()
        service = await asyncio.to_thread(_service, self.server.url, self._folder.name)
        self._client = service.memory_client
        await asyncio.to_thread(self._seed)
        add = self._client.add

        def counted(*args: Any, **kwargs: Any) -> Any:
            try:
                return add(*args, **kwargs)
            finally:
                self._stored.release()

        self._client.add = counted
        self.lane = Lane(service)
        await self.lane.start()

    async def turn(self, text: str) -> float:
        """One caller turn without a past; see `Lane.turn`. What the peer does behind it is done after it."""
        took = await self.lane.turn(text)
        await self._settle()
        return took

    async def reply_to(self, text: str) -> float:
        """One caller turn of a conversation; else the same."""
        took = await self.lane.reply_to(text)
        await self._settle()
        return took

    async def stop(self) -> None:
        """Stop the pipeline, the store and the stub."""
        await self.lane.stop()
        self._client.close()
        self.server.__exit__()
        self._folder.cleanup()

    @property
    def exchanges(self) -> list[Exchange]:
        """What reached its model, and what it answered."""
        pairs = zip(self.server.requests, self.server.answers, strict=True)
        return [Exchange.of(body, answer) for body, answer in pairs]

    def _seed(self) -> None:
        lines = [{"role": "user", "content": sentence(n)} for n in range(self._memories)]
        if lines:
            self._client.add(lines, user_id="bench", infer=False)

    async def _settle(self) -> None:
        if not await asyncio.to_thread(self._stored.acquire, timeout=_SETTLED):
            raise TimeoutError("the peer did not store the turn")


def _service(url: str, folder: str) -> Any:
    # Read at import: no telemetry and no lasting identity for a measurement; and no other endpoint.
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ.setdefault("MEM0_DIR", folder)
    os.environ.pop("OPENROUTER_API_KEY", None)
    from pipecat.services.mem0.memory import Mem0MemoryService

    endpoint = {"api_key": "none", "openai_base_url": url}
    store = {"collection_name": "bench", "embedding_model_dims": WIDTH, "path": f"{folder}/vectors"}
    return Mem0MemoryService(
        local_config={
            "llm": {"provider": "openai", "config": {"model": "stub", **endpoint}},
            "embedder": {
                "provider": "openai",
                "config": {"model": "stub", "embedding_dims": WIDTH, **endpoint},
            },
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": f"{folder}/history.db",
        },
        user_id="bench",
    )


async def extraction_tokens() -> dict[str, Any]:
    """The call of 50 turns with a scripted model: tokens of each memory, on requests that came over HTTP.

    A closing summary, which the peer has none of, is counted apart.
    """
    count, script = default_counter(), long_call()
    theirs = weigh(await _their_call(script), count)
    found: dict[str, Any] = {"turns": len(script.turns), "cached_price": CACHED_PRICE, "mem0": theirs}
    modes: dict[str, Extraction] = {"per_turn": "per_turn", "window_8": "window"}
    for name, mode in modes.items():
        ours = await _our_call(script, mode)
        found[name] = weigh([e for purpose, e in ours if purpose == "extract"], count)
        found[name] |= share(found[name], theirs)
        found[name]["summary_tokens"] = weigh([e for p, e in ours if p == "summarise"], count)["tokens"]
    return found


async def _their_call(script: LongCall) -> list[Exchange]:
    peer = Mem0()
    await peer.start()
    try:
        for number, said in enumerate(script.turns, 1):
            peer.answer = script.mem0_answer(number)
            await peer.reply_to(said.caller)
            peer.lane.context.add_message({"role": "assistant", "content": said.agent})
        return peer.exchanges
    finally:
        await peer.stop()


async def _our_call(script: LongCall, mode: Extraction) -> list[tuple[str, Exchange]]:
    """(purpose, exchange) of the same call held with this memory."""

    def answer(body: dict[str, Any]) -> Served:
        if _purpose(body) == "summarise":
            return Served(text=json.dumps({"text": script.goal, "resolved": True} | _NOTHING_MORE))
        asked = [int(number) for number in _ASKED.findall(body["messages"][1]["content"])]
        return Served(text=script.our_answer(asked))

    with ModelServer(otherwise=answer) as server:
        memory = await Memory.open(
            "memory://",
            tenant=f"peer-{mode}",
            model="stub",
            base_url=server.url,
            embedder=None,
            extraction=mode,
            settings=Settings(extraction_window=8, drain=30.0),
        )
        call = memory.call(Caller.phone("+15550100002", how="verified"), call_id=f"peer-{mode}")
        await call.preload(60.0)
        for number, said in enumerate(script.turns, 1):
            for event in _turn(number, said.caller, said.agent, call.elapsed):
                call.apply(event)
            await call.writer.idle()
        await call.close("hangup")
        await memory.close()
    pairs = zip(server.requests, server.answers, strict=True)
    return [(_purpose(body), Exchange.of(body, answer)) for body, answer in pairs]


def _turn(number: int, caller: str, agent: str, t: float) -> Sequence[ev.Event]:
    reply = f"r{number}"
    return (
        ev.UserFinal(t=t, text=caller, id=f"f{number}", started=t),
        ev.TurnEnded(t=t),
        ev.ReplyStarted(t=t, reply=reply),
        ev.ReplyText(t=t, reply=reply, text=agent),
        ev.ReplyEnded(t=t, reply=reply, interrupted=False, played=1.0),
    )


def _purpose(body: dict[str, Any]) -> str:
    return "extract" if body["messages"][0]["content"] == fixed("extract") else "summarise"
