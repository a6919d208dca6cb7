"""What was heard of a reply, and how sure that is; the last words of both sides when the line drops."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from livekit.agents import RunContext, function_tool, llm, stt

from .conftest import MakeCall
from .kit import Call, bot, until, within
from .sound import SLOW

PLAN = (
    "the table by the big window is free on that day and we open at noon and close rather late "
    "because the kitchen likes to cook slowly and well"
)
WORDS = len(PLAN.split())


def said(item: llm.ChatMessage) -> str:
    return (item.text_content or "").strip()


@pytest.mark.parametrize("percent", range(0, 101, 10))
async def test_a_cut_reply_keeps_what_was_heard(make_call: MakeCall, percent: int) -> None:
    call, words = make_call(), round(WORDS * percent / 100)
    async with bot(call, answers=[PLAN], voice=True) as rig:
        await rig.hears("Count for me")
        await until(lambda: rig.session.agent_state == "speaking")
        await rig.interrupted_after(words)
        await until(lambda: rig.session.current_speech is None)
        kept = [(said(i), i.interrupted) for i in rig.items("assistant")]
    heard = [i for i in call.course.history() if i.role == "assistant"]
    assert [(i.text, i.interrupted) for i in heard] == kept
    assert all(i.precision == "exact" and PLAN.startswith(i.text) for i in heard)
    # A word on the screen is the one being spoken; LiveKit counts it once it is over.
    count = sum(len(i.text.split()) for i in heard)
    assert words - 1 <= count <= WORDS
    if count < WORDS:  # on a busy machine it may be over before it is cut
        assert call.course.ledger.cut is not None


@pytest.mark.parametrize("words", [1, 8])
async def test_without_a_synchroniser_the_cut_is_estimated_and_never_the_whole(
    make_call: MakeCall, words: int
) -> None:
    call = make_call()
    async with bot(call, answers=[PLAN], voice=True, word=SLOW, synced=False) as rig:
        await rig.hears("Count for me")
        await until(lambda: rig.session.agent_state == "speaking")
        await rig.interrupted_after(words)
        await until(lambda: bool(rig.items("assistant")))
        assert said(rig.items("assistant")[0]) == PLAN  # LiveKit keeps all that was generated
    heard = [i for i in call.course.history() if i.role == "assistant"]
    assert all(i.precision == "estimated" and PLAN.startswith(i.text) and i.text != PLAN for i in heard)
    assert call.course.ledger.cut is not None


async def test_a_reply_cut_while_thinking_never_was(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["First.", "Second."], voice=True) as rig:
        rig.llm.gate = gate = asyncio.Event()
        await rig.hears("What are your hours")
        await until(lambda: len(rig.llm.contexts) == 1 and bool(rig.items("user")))
        await rig.hears("on Sunday")
        await until(lambda: len(rig.llm.contexts) == 2)
        gate.set()
        await until(lambda: bool(rig.items("assistant")))
    assert [i.text for i in call.course.history() if i.role == "user"] == ["What are your hours", "on Sunday"]
    assert len([i for i in call.course.history() if i.role == "assistant"]) == 1


async def test_a_hang_up_keeps_the_cut_reply(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=[PLAN], voice=True, word=SLOW) as rig:
        await rig.hears("Count for me")
        await until(lambda: len(rig.screen.text.split()) >= 4)
        await rig.session.aclose()
    item = call.course.history()[-1]
    assert item.role == "assistant"
    assert item.interrupted
    assert 3 <= len(item.text.split()) < WORDS


async def test_words_pending_at_the_hang_up_are_promoted_and_set_nothing(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, voice=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "a table for nine")
        await until(lambda: rig.session.user_state == "speaking")
        await rig.session.aclose()
    (item,) = call.course.history()
    assert (item.text, item.promoted, item.trust) == ("a table for nine", True, "low")
    slot = call.state["slots"].get("party_size")
    assert slot is None or slot["confidence"] == "pending"


async def test_a_recogniser_that_names_no_language_and_no_confidence_is_believed(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Good."], voice=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        unnamed: dict[str, Any] = {"language": "", "confidence": 0.0}
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "a table for", **unnamed)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "a table for nine", **unnamed)
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: bool(rig.items("assistant")))
    assert call.course.history()[0].trust == "high"
    assert call.state["slots"]["party_size"]["value"] == 9


async def test_a_final_during_the_hang_up_is_kept(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, voice=True, close_wait=2.0) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "actually make it")
        await until(lambda: rig.session.user_state == "speaking")
        closing = asyncio.create_task(rig.session.aclose())
        await asyncio.sleep(0)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "actually make it Thursday")
        await closing
    (item,) = call.course.history()
    assert (item.text, item.trust) == ("actually make it Thursday", "high")


@pytest.mark.parametrize("cut", [True, False])
async def test_a_filler_outside_the_context_leaves_no_trace(make_call: MakeCall, cut: bool) -> None:
    call = make_call()
    async with bot(call, voice=True) as rig:
        filler = rig.session.say("One moment please.", add_to_chat_ctx=False)
        if cut:
            await rig.interrupted_after(1)
        await within(filler.wait_for_playout())
    assert call.course.history() == ()
    assert call.course.ledger.cut is None


async def test_a_tool_that_outlives_a_barge_in_keeps_its_result(make_call: MakeCall) -> None:
    call = make_call()
    started, go_on = asyncio.Event(), asyncio.Event()

    @function_tool()
    async def book(context: RunContext[Any]) -> str:
        """Book."""
        started.set()
        await go_on.wait()
        return "booked"

    async with bot(call, answers=[Call("book"), "Second."], voice=True, tools=[book]) as rig:
        await rig.hears("Book it")
        await within(started.wait())
        cut = rig.session.interrupt(force=True)
        go_on.set()
        await cut
        await until(lambda: bool(call.course.ledger.tools))
    (tool,) = call.course.ledger.tools
    assert (tool.name, tool.status, tool.result) == ("book", "ok", "booked")
