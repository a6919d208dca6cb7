"""A LiveKit agent with memory: one line attaches it.

With keys (`pip install 'pipecat-memory[livekit]' livekit-plugins-deepgram livekit-plugins-openai
livekit-plugins-cartesia`, then `DEEPGRAM_API_KEY`, `OPENAI_API_KEY`, `CARTESIA_API_KEY` and LiveKit's own)::

    python -m examples.livekit_agent start            # a worker for a LiveKit server

Without a server, with `OPENAI_API_KEY` or without any key (then a model without wit answers)::

    python -m examples.livekit_agent --text           # type as the caller
    python -m examples.livekit_agent console --text   # in LiveKit's own console, which wants PortAudio
    python -m examples.livekit_agent --scripted       # two calls of one caller, played by a scripted model
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    APIConnectOptions,
    ConversationItemAddedEvent,
    JobContext,
    JobProcess,
    cli,
    llm,
)

from livekit_plugin import (
    Caller,
    Memory,
    MemoryToolset,
    attach_session,
    identity_from,
    prewarm,
    session_end,
)

STORE = os.environ.get("MEMORY_STORE", "sqlite:///calls.db")
INSTRUCTIONS = (
    "You answer the phone of a small restaurant. Two short sentences at most, nothing that can't be spoken. "
    "What stands in <memory> elements is what this line remembers; use it, never read it out."
)
GREETING = "Greet the caller, by name where you know it."


def warm(_: JobProcess) -> None:
    """Load the embedder once a process, before its first call. Processes are sent it by name: no lambda."""
    prewarm()


server = AgentServer(setup_fnc=warm)


@server.rtc_session(on_session_end=session_end)
async def entry(ctx: JobContext) -> None:
    """One call."""
    memory = await Memory.open(STORE)
    text = "--text" in sys.argv
    caller = typist() if text else identity_from(ctx, await ctx.wait_for_participant())
    call = memory.call(caller, call_id=ctx.job.id)
    session: AgentSession[Any] = AgentSession(**services(text=text), tools=[MemoryToolset(call)])
    attach_session(session, call)
    await session.start(agent=Agent(instructions=INSTRUCTIONS), room=ctx.room)
    await session.generate_reply(instructions=GREETING)


def services(*, text: bool) -> dict[str, Any]:
    """LiveKit's plugins for the services whose keys are set; typing works without any."""
    if text and not os.environ.get("OPENAI_API_KEY"):
        print("OPENAI_API_KEY is not set, so a scripted model answers", file=sys.stderr)
        return {"llm": Scripted([])}
    chosen: dict[str, Any] = {"llm": _plugin("openai", "OPENAI_API_KEY").LLM(model="gpt-4.1-mini")}
    if not text:
        chosen["stt"] = _plugin("deepgram", "DEEPGRAM_API_KEY").STT(model="nova-3")
        chosen["tts"] = _plugin("cartesia", "CARTESIA_API_KEY").TTS()
    return chosen


def _plugin(name: str, key: str) -> Any:
    if not os.environ.get(key):
        raise SystemExit(f"{key} is not set; without keys: python -m examples.livekit_agent --scripted")
    try:
        return importlib.import_module(f"livekit.plugins.{name}")
    except ImportError:
        raise SystemExit(f"{name} is not installed: pip install livekit-plugins-{name}") from None


class Scripted(llm.LLM):
    """A model without a service: says its lines, and greets with what the memory tells it."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines
        self.told = ""

    def chat(
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: Any = None,
        conn_options: Any = None,
        **_: Any,
    ) -> llm.LLMStream:
        blocks = (i.text_content or "" for i in chat_ctx.items if i.type == "message")
        self.told = "\n".join(text for text in blocks if text.startswith("<memory"))
        return _Line(
            self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options or APIConnectOptions()
        )


class _Line(llm.LLMStream):
    async def _run(self) -> None:
        model = self._llm
        assert isinstance(model, Scripted)
        known = sum(line.startswith("[") for line in model.told.splitlines())
        line = model.lines.pop(0) if model.lines else f"All right. My memory holds {known} lines for you."
        self._event_ch.send_nowait(
            llm.ChatChunk(id="line", delta=llm.ChoiceDelta(role="assistant", content=line))
        )


def typist() -> Caller:
    """Who types: `CALLER`, or a number that is nobody's."""
    return Caller.phone(os.environ.get("CALLER", "+15551230001"), how="verified")


async def typed(read: Callable[[str], str] = input) -> None:
    """One call, typed: a session with neither room nor sound. An empty line hangs up.

    Args:
        read: gives the caller's next words, given a prompt.
    """
    memory = await Memory.open(STORE)
    call = memory.call(typist(), call_id=f"typed-{uuid4()}")
    session: AgentSession[Any] = AgentSession(
        **services(text=True), tools=[MemoryToolset(call)], vad=None, turn_handling={"turn_detection": None}
    )
    attachment = attach_session(session, call)
    session.on("conversation_item_added", _show)
    await session.start(Agent(instructions=INSTRUCTIONS))
    await session.generate_reply(instructions=GREETING)
    try:
        while words := (await asyncio.to_thread(read, "you:   ")).strip():
            await session.run(user_input=words)
    except EOFError:
        print()
    await session.aclose()
    await attachment.finished()
    await memory.close()


def _show(event: ConversationItemAddedEvent) -> None:
    if event.item.type == "message" and event.item.role == "assistant":
        print(f"agent: {event.item.text_content}")


CALLS = (
    (("Hi, my name is Wren Abbott.", "Hello Wren."), ("I am allergic to walnuts.", "I have noted that.")),
    (("A table for four on Friday at seven please.", "For four on Friday at seven, no walnuts. Right?"),),
)


async def scripted() -> bool:
    """Two calls, the second of which knows the first; whether it did."""
    with tempfile.TemporaryDirectory() as folder:
        memory = await Memory.open(f"sqlite:///{folder}/calls.db", embedder=None)
        told = ""
        for number, turns in enumerate(CALLS, 1):
            call = memory.call(Caller.phone("+15551230001", how="verified"), call_id=f"call-{number}")
            model = Scripted([answer for _, answer in turns])
            session: AgentSession[Any] = AgentSession(
                llm=model, vad=None, turn_handling={"turn_detection": None}
            )
            attachment = attach_session(session, call)
            await session.start(Agent(instructions=INSTRUCTIONS))
            print(f"call {number}")
            for said, answer in turns:
                await session.run(user_input=said)
                print(f"  caller: {said}\n  agent:  {answer}")
            await session.aclose()
            await attachment.finished()
            told = model.told
            print(f"  noted:  { {k: v['value'] for k, v in call.state['slots'].items()} }")
            print(f"  summary: {call.summary.text if call.summary else None}")
        print("what the model was told in the second call:")
        print(told)
        await memory.close()
    return "walnuts" in told


if __name__ == "__main__":
    if "--scripted" in sys.argv:
        sys.exit(0 if asyncio.run(scripted()) else 1)
    if sys.argv[1:] == ["--text"]:
        sys.exit(asyncio.run(typed()))
    cli.run_app(server)
