"""Calls in which everything happens at any moment: what LiveKit has of them is what is remembered."""

from __future__ import annotations

import asyncio
import logging
from random import Random
from typing import Any

import pytest
from livekit.agents import (
    Agent,
    AgentTask,
    APIConnectionError,
    APIConnectOptions,
    RunContext,
    ToolError,
    function_tool,
    llm,
    stt,
)
from livekit.agents.llm import StopResponse
from livekit.agents.voice.agent_session import SessionConnectOptions

from livekit_plugin import Caller, MemoryToolset

from .as_it_was import remembered_as_it_was
from .conftest import MakeCall
from .kit import Call, FakeLLM, Rig, bot, within
from .sound import QUIET, SLOW

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]

SAID = (
    "A table for four please",
    "my name is Wren Abbott",
    "no, for five",
    "on Friday at seven",
    "I am allergic to walnuts",
    "yes",
    "what was my name",
    "I prefer the window",
)
ANSWERED = (
    "Yes.",
    "For how many people please?",
    "The table by the big window is free on that day and we open at noon",
    "So four people on Friday at seven, right?",
)
OURS = "Zyxgrand Pemberly"
"""Stands in what fails; nothing of it may be logged or kept."""
ONCE = APIConnectOptions(max_retry=0, retry_interval=0.01, timeout=1.0)


class Whim(FakeLLM):
    """A model that answers, calls any tool, or is away."""

    def __init__(self, dice: Random, tools: list[str], away: float) -> None:
        super().__init__()
        self._dice, self._tools, self._away = dice, tools, away

    def chat(self, **kwargs: Any) -> Any:
        if self._dice.random() < self._away:
            raise APIConnectionError(OURS)
        calls = kwargs.get("tool_choice") != "none" and self._dice.random() < 0.4
        self.answers = [Call(self._dice.choice(self._tools)) if calls else self._dice.choice(ANSWERED)]
        return super().chat(**kwargs)


class Ask(AgentTask[str]):
    async def on_enter(self) -> None:
        self.session.generate_reply(instructions="ask")

    @function_tool()
    async def name_known(self, context: RunContext[Any]) -> None:
        """The name is known."""
        self.complete("Wren")


class Host(Agent):
    """An agent whose hooks and model node do what apps' do."""

    def __init__(self, dice: Random, tools: list[Any]) -> None:
        super().__init__(instructions="BASE", tools=tools)
        self._dice, self._kind = dice, dice.choice(("plain", "edits", "fails"))

    async def on_user_turn_completed(self, turn_ctx: Any, new_message: llm.ChatMessage) -> None:
        if self._kind == "edits":
            turn_ctx.add_message(role="system", content="the app's own")
            await asyncio.sleep(0.01)
        if self._kind == "fails" and self._dice.random() < 0.3:
            raise self._dice.choice((StopResponse(), RuntimeError(OURS)))

    async def llm_node(self, chat_ctx: Any, tools: Any, model_settings: Any) -> Any:
        way = self._dice.random() if self._kind == "fails" else 1.0
        if way < 0.1:
            return
        if way < 0.2:
            yield "Plain words."
            return
        if way < 0.3:
            raise RuntimeError(OURS)
        async for chunk in Agent.default.llm_node(self, chat_ctx, tools, model_settings):
            yield chunk


def toolbox(dice: Random) -> list[Any]:
    """Tools that work, fail, take long, tell of progress, hand over, and wait for a task."""

    @function_tool()
    async def good(context: RunContext[Any]) -> str:
        """Good."""
        return "free at six"

    @function_tool()
    async def bad(context: RunContext[Any]) -> str:
        """Bad."""
        raise dice.choice((RuntimeError(OURS), ToolError("no"), TypeError(OURS), StopResponse()))

    @function_tool()
    async def slow(context: RunContext[Any]) -> str:
        """Slow, and much."""
        await asyncio.sleep(0.2)
        return "x" * 100_000

    @function_tool()
    async def progress(context: RunContext[Any]) -> str:
        """Progress."""
        await context.update("still looking")
        await asyncio.sleep(0.05)
        return "found"

    @function_tool()
    async def hand_over(context: RunContext[Any]) -> Any:
        """Hand over."""
        await asyncio.sleep(dice.random() * 0.05)
        return Host(dice, tools)

    @function_tool()
    async def task(context: RunContext[Any]) -> str:
        """Ask."""
        return await Ask(instructions="TASK")

    tools = [good, bad, slow, progress, hand_over, task]
    return tools


async def happens(rig: Rig, dice: Random) -> None:
    """One thing, after a while."""
    words, send, kinds = dice.choice(SAID), rig.ears.send, stt.SpeechEventType
    match dice.choice(("says",) * 6 + ("guess", "storm", "segments", "cut", "clear", "speaks", "filler")):
        case "says":
            await rig.hears(words)
        case "guess":
            send(kinds.START_OF_SPEECH)
            send(kinds.PREFLIGHT_TRANSCRIPT, words)
            await asyncio.sleep(dice.random() * 0.03)
            send(kinds.FINAL_TRANSCRIPT, dice.choice((words, dice.choice(SAID))))
            send(kinds.END_OF_SPEECH)
        case "storm":
            for end in range(20):
                send(kinds.START_OF_SPEECH)
                send(kinds.INTERIM_TRANSCRIPT, words[: end + 1])
                send(kinds.END_OF_SPEECH)
            await rig.hears(words)
        case "segments":
            await rig.hears(*(dice.choice(SAID) for _ in range(3)))
        case "cut":
            rig.session.interrupt(force=True)
        case "clear":
            rig.session.clear_user_turn()
        case "speaks":
            rig.session.say(dice.choice(ANSWERED))
        case _:
            rig.session.say("One moment.", add_to_chat_ctx=False)
    await asyncio.sleep(dice.random() * 0.3)


@pytest.mark.parametrize("seed", range(24))
async def test_a_random_call(make_call: MakeCall, caplog: pytest.LogCaptureFixture, seed: int) -> None:
    dice = Random(seed)
    call = make_call(Caller.phone("+15551230001", how="verified"))
    told: list[str] = []
    call.listen(lambda name, _: told.append(name) if name == "summary" else None)
    tools = toolbox(dice)
    names = [*(tool.info.name for tool in tools), "name_known", "unknown", "recall_memory"]
    synced = dice.random() < 0.7
    caplog.set_level(logging.DEBUG)
    async with bot(
        call,
        llm=Whim(dice, names, away=dice.choice((0.0, 0.0, 0.3, 1.0))),
        agent=Host(dice, tools),
        voice=True,
        word=dice.choice((QUIET, SLOW)),
        synced=synced,
        tools=[MemoryToolset(call)],
        nbest=dice.random() < 0.3,
        conn_options=SessionConnectOptions(
            stt_conn_options=ONCE, llm_conn_options=ONCE, tts_conn_options=ONCE
        ),
    ) as rig:
        for _ in range(dice.randint(4, 14)):
            if not rig.closes:
                await happens(rig, dice)
        await within(rig.session.aclose(), 20)
        await within(rig.memory.finished(), 20)
    assert rig.memory.hook_errors == 0
    assert told == ["summary"]
    remembered_as_it_was(call, rig, synced=synced)
    assert OURS not in str([(tool.args, tool.result) for tool in call.course.ledger.tools])
    for prompt in rig.llm.contexts:
        blocks = [i for i in prompt.items if i.type == "message" and "<memory" in (i.text_content or "")]
        assert len({i.id for i in blocks}) == len(blocks)
        assert {i.role for i in blocks} <= {"user"}
    lines = [
        r.getMessage() for r in caplog.records if r.name.startswith(("livekit.plugins", "pipecat_memory"))
    ]
    assert not [line for line in lines if any(words in line for words in (*SAID, OURS) if len(words) > 8)]
