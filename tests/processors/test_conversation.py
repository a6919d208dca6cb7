"""Whole conversations: what the model reads, what the shared context holds, and what becomes history."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    InterimTranscriptionFrame,
    LLMMessagesAppendFrame,
    LLMMessagesUpdateFrame,
    LLMRunFrame,
    TranscriptionFrame,
    UserMuteStartedFrame,
)
from pipecat.processors.aggregators.llm_context import LLMSpecificMessage
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frameworks.rtvi.frames import RTVISendTextFrame
from pipecat.services.llm_service import FunctionCallParams
from pipecat.turns.user_mute import AlwaysUserMuteStrategy

from pipecat_memory.call import CallMemory
from pipecat_memory.processors.view import MemoryView

from .conftest import MakeCall
from .kit import bot, turns, until
from .model import Call
from .voices import SentenceVoice, WordVoice


def said(call: CallMemory) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in call.course.history()]


def blocks(prompt: list[dict[str, Any]]) -> list[int]:
    return [i for i, m in enumerate(prompt) if str(m.get("content")).startswith("<memory")]


def spoken_only(messages: list[Any]) -> bool:
    return not any("<memory" in str(m) for m in messages)


async def test_finals_are_fused_into_the_turn_they_belong_to(make_call: MakeCall) -> None:
    call = make_call()
    heard = SimpleNamespace(
        channel=SimpleNamespace(
            alternatives=[
                SimpleNamespace(
                    transcript="my name is Ana", confidence=0.8, words=[SimpleNamespace(speaker=1)]
                ),
                SimpleNamespace(transcript="my name is Anna", confidence=0.7, words=[]),
            ]
        )
    )
    async with bot(call, answers=["Hello Ana."], voice=WordVoice()) as rig:
        await rig.starts()
        await rig.push(InterimTranscriptionFrame("my name", "caller", "", None))
        await rig.hears("my name is Ana", result=heard)
        await rig.hears("and I need a table")
        await rig.stops()
        await rig.llm.answered.wait()
        await rig.spoken()
    assert said(call) == [("user", "my name is Ana and I need a table"), ("assistant", "Hello Ana.")]
    first = call.course.ledger.turns[0].segments[0]
    assert first.nbest == ("my name is Ana", "my name is Anna")
    assert (first.speaker, first.confidence) == ("1", 0.8)


async def test_the_context_holds_only_what_was_said_after_forty_turns(make_call: MakeCall) -> None:
    call = make_call()
    prompt = [{"role": "developer", "content": "You answer the phone."}]
    async with bot(call, answers=[f"Answer {i}." for i in range(40)], messages=prompt) as rig:
        for i in range(40):
            await rig.says(f"I would like table {i} for {i % 5 + 2} people.")
            await rig.spoken()
        stored = list(rig.context.messages)
        prompts = rig.llm.prompts
    assert len(stored) == 81
    assert spoken_only(stored)
    assert call.counters["turns_committed"] == 40
    for turn, (before, after) in enumerate(itertools.pairwise(prompts)):
        # Everything before the changing block of a turn stands at the start of the next prompt too.
        place = [i for i in blocks(before) if i == len(before) - 2]
        head = before[: place[0]] if place else before[:-1]
        assert after[: len(head)] == head, turn
        assert len(blocks(after)) <= 2
    assert all(blocks(p)[-1] == len(p) - 2 for p in prompts[1:])


async def book(params: FunctionCallParams, day: str) -> None:
    """Book a table.

    Args:
        params: given by the framework.
        day: which day.
    """
    params.context.add_message({"role": "developer", "content": f"noted by the tool: {day}"})
    await params.result_callback({"booked": day})


async def test_a_tool_follow_up_is_told_too_and_what_tools_write_is_kept(make_call: MakeCall) -> None:
    call = make_call()
    tools = ToolsSchema(standard_tools=[book])
    answers = [Call("book", {"day": "Friday"}), "Booked for Friday."]
    async with bot(call, answers=answers, voice=WordVoice(), tools=tools) as rig:
        await rig.says("My name is Ana, book Friday please.")
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        stored = list(rig.context.messages)
        contexts, prompts = rig.llm.contexts, rig.llm.prompts
    assert all(isinstance(context, MemoryView) for context in contexts)
    assert all(blocks(prompt) for prompt in prompts)
    assert spoken_only(stored)
    assert {"role": "developer", "content": "noted by the tool: Friday"} in stored
    tool = call.course.ledger.tools[0]
    assert (tool.name, tool.status, tool.result) == ("book", "ok", {"booked": "Friday"})
    assert said(call)[1:] == [("assistant", "Booked for Friday.")]


@pytest.mark.parametrize("rtvi_first", [True, False])
async def test_typed_text_counts_once_in_either_order(make_call: MakeCall, rtvi_first: bool) -> None:
    call = make_call()
    async with bot(call, answers=["Sure."]) as rig:
        frames = [
            RTVISendTextFrame(msg_id="1", text="I am typing"),
            LLMMessagesAppendFrame(messages=[{"role": "user", "content": "I am typing"}], run_llm=True),
        ]
        await rig.push(*(frames if rtvi_first else reversed(frames)))
        await rig.llm.answered.wait()
        await rig.spoken()
    assert said(call) == [("user", "I am typing"), ("assistant", "Sure.")]


async def test_muted_speech_is_neither_history_nor_context(make_call: MakeCall) -> None:
    call = make_call()
    params = LLMUserAggregatorParams(
        user_turn_strategies=turns(), user_mute_strategies=[AlwaysUserMuteStrategy()]
    )
    async with bot(call, answers=["One two three four five six."], voice=SentenceVoice(), user=params) as rig:
        rig.out.limit = 0.04
        await rig.says("Hello.")
        await rig.out.stalled.wait()
        await until(lambda: any(isinstance(f, UserMuteStartedFrame) for f in rig.tail.down))
        await rig.hears("secret words")
        rig.out.limit = None
        rig.out.go_on.set()
        await rig.spoken()
    assert "secret" not in str(said(call))
    assert "secret" not in str(rig.context.messages)


def soon() -> LLMUserAggregatorParams:
    """A turn without words is closed by the watchdog; here at once."""
    return LLMUserAggregatorParams(user_turn_strategies=turns(), user_turn_stop_timeout=0.02)


async def test_a_turn_without_words_is_no_turn_and_is_known_to_the_next_reply(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Sorry?"], user=soon()) as rig:
        await rig.push(LLMRunFrame())
        await rig.llm.answered.wait()
        await rig.starts()
        await rig.stops()
        await until(lambda: call.course.ledger.missed)
    assert call.counters["turns_committed"] == 0


async def test_odd_contents_flow_and_capture_goes_on(make_call: MakeCall) -> None:
    call = make_call()
    messages: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "t", "type": "function", "function": {}}],
        },
        {"role": "tool", "tool_call_id": "t", "content": "ok"},
        LLMSpecificMessage(llm="openai", message={"role": "assistant", "content": "own form"}),
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "see this"},
                {"type": "image_url", "image_url": {"url": "data:,"}},
            ],
        },
        {"role": "user", "content": None},
    ]
    async with bot(call, answers=["Yes.", "Fine."], messages=messages) as rig:
        await rig.push(LLMRunFrame())
        await rig.llm.answered.wait()
        await rig.says("I am Ana.")
        await rig.spoken()
        stored = list(rig.context.messages)
    assert said(call)[-2:] == [("user", "I am Ana."), ("assistant", "Fine.")]
    assert stored[:6] == messages[:6]
    assert call.counters.get("hook_errors", 0) == rig.memory.hook_errors == 0


async def test_a_reset_context_goes_on_with_memory(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Yes.", "Fine."]) as rig:
        await rig.says("I am Ana, a table for four.")
        await rig.spoken()
        await rig.push(
            LLMMessagesUpdateFrame(messages=[{"role": "user", "content": "start over"}], run_llm=True)
        )
        await until(lambda: len(rig.llm.prompts) == 2)
        prompt = rig.llm.prompts[1]
    assert [m["content"] for m in prompt if "<memory" not in m["content"]] == ["start over"]
    assert blocks(prompt)


async def test_a_late_final_after_an_empty_turn_is_kept(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, user=soon()) as rig:
        await rig.starts()
        await rig.stops()
        await until(lambda: call.course.ledger.missed)
        await rig.push(TranscriptionFrame("my number changed", "caller", "", None))
        await rig.ends()
    assert said(call) == [("user", "my number changed")]
