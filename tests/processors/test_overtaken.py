"""A reply that begins while the caller's interruption is still on its way is cut by it all the same."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import Frame, InterruptionFrame, LLMRunFrame, TTSSpeakFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from .conftest import MakeCall
from .kit import Out, bot, until, within
from .voices import WORD, SentenceVoice, Voice, WordVoice

PLAN = "The table by the window is free. We open at six and close late."


class Slow(FrameProcessor):
    """Holds an interruption back until it is let go; all else passes."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.held: list[tuple[Frame, FrameDirection]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame) and self.holds:
            self.held.append((frame, direction))
        else:
            await self.push_frame(frame, direction)

    async def lets_go(self) -> None:
        self.holds = False
        for frame, direction in self.held:
            await self.push_frame(frame, direction)


@pytest.mark.parametrize("full", [False, True], ids=["two-lines", "taps"])
@pytest.mark.parametrize("voice", [WordVoice, SentenceVoice])
@pytest.mark.parametrize("begun", ["the model", "the app"])
async def test_what_begins_before_an_interruption_gets_there_is_cut_by_it(
    make_call: MakeCall, voice: type[Voice], begun: str, full: bool
) -> None:
    call, slow, out = make_call(), Slow(), Out()
    answers = ["Hello.", PLAN, "Four it is."] if begun == "the model" else ["Hello.", "Four it is."]
    async with bot(call, answers=answers, voice=voice(), out=out, between=[slow], full=full) as rig:
        await rig.says("Hello there")
        await until(lambda: len(call.course.history()) == 2)
        await rig.spoken()
        out.limit = out.seconds + 8 * WORD
        slow.holds = True
        await rig.starts()
        await until(lambda: len(slow.held) == 1)
        await rig.push(LLMRunFrame() if begun == "the model" else TTSSpeakFrame(PLAN))
        await within(out.stalled.wait())
        rig.llm.answered.clear()
        await slow.lets_go()
        await rig.hears("A table for four")
        await rig.stops()
        await until(lambda: any(i.interrupted for i in call.course.history()))
        out.limit = None
        out.go_on.set()
        await within(rig.llm.answered.wait())
        await until(lambda: any(i.text == "Four it is." for i in call.course.history()))
        await rig.spoken()
        await rig.ends()
    items = [(i.role, i.text, i.interrupted) for i in call.course.history()]
    (cut,) = [text for _, text, interrupted in items if interrupted]
    assert PLAN.startswith(cut)
    assert 1 <= len(cut.split()) <= 9
    assert [i[:2] for i in items if not i[2]] == [
        ("user", "Hello there"),
        ("assistant", "Hello."),
        ("user", "A table for four"),
        ("assistant", "Four it is."),
    ]
    assert rig.memory.hook_errors == 0
