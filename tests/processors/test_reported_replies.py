"""What people who build voice agents report of replies, each through a whole pipeline, with its issue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    Frame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import FunctionCallParams

from pipecat_memory.call import CallMemory

from .conftest import MakeCall
from .kit import Out, bot, until, within
from .model import Call
from .voices import WORD, SentenceVoice, Voice, WordVoice

PLAN = "Good morning, Ada. Your table is free."


def items(call: CallMemory) -> list[tuple[str, str, bool]]:
    return [(item.role, item.text, item.interrupted) for item in call.course.history()]


class Reordering(Out):
    """A way out on which words and the marks of a reply overtake each other."""

    def __init__(self, held: type[Frame], until_kind: type[Frame], first: int) -> None:
        super().__init__()
        self._held, self._until, self._first = held, until_kind, first
        self._waiting: list[tuple[Frame, FrameDirection]] = []
        self._through = False

    async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        if isinstance(frame, self._held) and not self._through:
            if self._first <= 0:
                self._waiting.append((frame, direction))
                return
            self._first -= 1
        await super().push_frame(frame, direction)
        if isinstance(frame, self._until):
            self._through = True
            for late, way in self._waiting:
                await super().push_frame(late, way)
            self._waiting.clear()


@pytest.mark.parametrize(
    "out",
    [
        lambda: Reordering(LLMFullResponseStartFrame, TTSTextFrame, 0),
        lambda: Reordering(TTSTextFrame, LLMFullResponseEndFrame, 2),
    ],
    ids=["a word before its reply's start", "words behind its end"],
)
async def test_words_are_their_replys_whatever_overtakes_them(
    make_call: MakeCall, out: Callable[[], Out]
) -> None:
    """pipecat#3627, #4111: dropped, or found in the next reply."""
    call = make_call()
    async with bot(call, answers=[PLAN, "Good bye."], voice=WordVoice(), out=out(), full=True) as rig:
        await rig.says("Hello")
        await rig.spoken()
        await rig.says("Thanks")
        await rig.spoken()
    assert [i[1] for i in items(call)] == ["Hello", PLAN, "Thanks", "Good bye."]


@pytest.mark.parametrize("make_voice", [WordVoice, SentenceVoice])
async def test_what_is_respelled_for_the_voice_is_kept_as_written(
    make_call: MakeCall, make_voice: Callable[[], Voice]
) -> None:
    """pipecat#4968: "A7" is stored as "ay seven"."""
    call = make_call()

    async def respelled(text: str, _: Any) -> str:
        return text.replace("A7", "ay seven")

    voice = make_voice()
    voice.add_text_transformer(respelled)
    async with bot(call, answers=["Your code is A7 today."], voice=voice, full=True) as rig:
        await rig.says("My code please")
        await rig.spoken()
    assert items(call)[1:] == [("assistant", "Your code is A7 today.", False)]


async def test_a_reply_is_cut_once_however_often_the_caller_cuts_in(make_call: MakeCall) -> None:
    """livekit/agents#2094: the cut reply is committed twice."""
    call = make_call()
    out = Out(3 * WORD)
    async with bot(call, answers=[PLAN], voice=WordVoice(), out=out, full=True) as rig:
        await rig.says("Hello")
        await within(out.stalled.wait())
        await until(lambda: len(out.texts) == len(PLAN.split()))
        await rig.interrupts()
        await rig.stops()
        await rig.starts()
        await rig.stops()
        await rig.spoken()
    ((_, text, cut),) = items(call)[1:]
    assert (text.startswith("Good morning,"), PLAN.startswith(text), cut) == (True, True, True)


async def look_up(params: FunctionCallParams) -> None:
    """Look up the bill.

    Args:
        params: given by the framework.
    """
    await params.result_callback({"due": "12 euros"})


async def test_the_part_of_an_answer_that_was_never_played_was_never_told(make_call: MakeCall) -> None:
    """livekit/agents#6424, #3760: what a tool did is known, what was said of it as far as it was heard."""
    call = make_call()
    out = Out(2 * WORD)
    answers = [Call("look_up"), "Let me see what you have to pay: 12 euros.", "Go on."]
    tools = ToolsSchema(standard_tools=[look_up])
    async with bot(call, answers=answers, voice=WordVoice(), out=out, full=True, tools=tools) as rig:
        rig.llm.answered.clear()
        await rig.says("What do I owe?")
        await within(out.stalled.wait())
        await rig.interrupts()
        await rig.hears("wait")
        await rig.stops()
        await until(lambda: len(rig.llm.prompts) == 3)
        await rig.spoken()
        told = str([m for m in rig.llm.prompts[2] if m["role"] in ("assistant", "user")])
    role, heard, cut = items(call)[1]
    assert (role, cut) == ("assistant", True)
    assert "Let me see".startswith(heard)
    assert f'heard only: "{heard}"' in told
    assert "pay" not in told
    tool = call.course.ledger.tools[0]
    assert (tool.status, tool.result) == ("ok", {"due": "12 euros"})


async def test_a_tool_that_the_caller_cuts_off_has_an_end(make_call: MakeCall) -> None:
    """pipecat#5779: it stays "in progress" for the rest of the call."""
    call = make_call()
    begun = asyncio.Event()

    async def weather(params: FunctionCallParams) -> None:
        """Look at the sky.

        Args:
            params: given by the framework.
        """
        begun.set()
        await asyncio.Event().wait()

    tools = ToolsSchema(standard_tools=[weather])
    async with bot(call, answers=[Call("weather"), "As you like."], voice=WordVoice(), tools=tools) as rig:
        await rig.starts()
        await rig.hears("How is the weather?")
        await rig.stops()
        await within(begun.wait())
        await rig.says("Never mind")
        await rig.spoken()
        await rig.ends()
    assert [tool.status for tool in call.course.ledger.tools] == ["cancelled"]
    assert [i[1] for i in items(call)] == ["How is the weather?", "Never mind", "As you like."]


async def test_a_reply_under_way_while_the_last_one_is_cut_is_heard_from_its_own_beginning(
    make_call: MakeCall,
) -> None:
    """What was made of the cut reply and thrown away is no part of the way to the next one's words."""
    call = make_call()
    long = " ".join(["and then"] * 40)
    out = Out(4 * WORD)
    async with bot(call, answers=[long, "It is free."], voice=WordVoice(), out=out, full=True) as rig:
        await rig.says("Is a table free?")
        await within(out.stalled.wait())
        rig.llm.answered.clear()
        await rig.starts()
        await rig.hears("only for today")
        await rig.stops()
        await within(rig.llm.answered.wait())
        out.limit = None
        out.go_on.set()
        await until(lambda: ("assistant", "It is free.", False) in items(call))
        await rig.spoken()
    assert [(role, cut) for role, _, cut in items(call)] == [
        ("user", False),
        ("assistant", True),
        ("user", False),
        ("assistant", False),
    ]
