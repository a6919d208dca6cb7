"""Faults that builders of voice agents reported, met at a LiveKit session."""

from __future__ import annotations

import asyncio
from typing import Any

from livekit.agents import Agent, llm, stt

from livekit_plugin import Caller, Memory, Settings

from .conftest import ANA, MakeCall
from .kit import FakeLLM, bot, until, within

WEAK = Caller.phone("+15551230001")


class Deaf(Agent):
    """An app's hook that drops some turns."""

    def __init__(self) -> None:
        super().__init__(instructions="BASE")
        self.dropped = asyncio.Event()

    async def on_user_turn_completed(self, turn_ctx: Any, new_message: llm.ChatMessage) -> None:
        if "nonsense" in (new_message.text_content or ""):
            self.dropped.set()
            raise llm.StopResponse


class Slow(Agent):
    """An app's hook that works on a turn until it is let go."""

    def __init__(self) -> None:
        super().__init__(instructions="BASE")
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def on_user_turn_completed(self, turn_ctx: Any, new_message: llm.ChatMessage) -> None:
        self.begun.set()
        await self.go_on.wait()


async def test_a_preload_that_hangs_does_not_hold_the_first_reply() -> None:
    """A look-up without an end: the reply comes without memory, and the wait is counted."""

    async def never(_: str) -> Caller | None:
        await asyncio.Event().wait()
        return None

    settings = Settings(strict=True, preload_wait=0.01, store_timeout=0.5)
    memory = await Memory.open("memory://", embedder=None, resolve=never, settings=settings)
    call = memory.call(WEAK, call_id="hanging")
    async with bot(call, answers=["Yes."]) as rig:
        await rig.session.run(user_input="Hello")
        assert [role for role, _ in rig.llm.prompts[0]] == ["system", "user"]
    assert call.counters["preload_late"] >= 1
    assert [i.text for i in call.course.history()] == ["Hello", "Yes."]
    await memory.close()


async def test_words_before_the_answer_are_two_turns_in_order(make_call: MakeCall) -> None:
    """The caller goes on while the agent thinks: both are kept, one answer is."""
    call = make_call()
    async with bot(call, answers=["Nine.", "Ten on Sunday."], voice=True) as rig:
        rig.llm.gate = gate = asyncio.Event()
        await rig.hears("what are your hours")
        await until(lambda: bool(rig.items("user")))
        await rig.hears("on Sunday")
        await until(lambda: len(rig.items("user")) == 2)
        gate.set()
        await until(lambda: bool(rig.items("assistant")))
    assert [i.text for i in call.course.history() if i.role == "user"] == ["what are your hours", "on Sunday"]


async def test_two_finals_of_one_turn_are_one_turn(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, voice=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "a table")
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, "for four")
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: bool(rig.items("assistant")))
    assert [i.text for i in call.course.history() if i.role == "user"] == ["a table for four"]


async def test_an_app_hook_that_drops_a_turn_drops_it_here_too(make_call: MakeCall) -> None:
    """What LiveKit never put into the conversation is not remembered."""
    deaf = Deaf()
    call = make_call()
    async with bot(call, agent=deaf, voice=True) as rig:
        await rig.hears("nonsense")
        await within(deaf.dropped.wait())
        await rig.says("a table for four")
    assert [i.text for i in call.course.history() if i.role == "user"] == ["a table for four"]


async def test_the_block_is_never_remembered_as_said(make_call: MakeCall) -> None:
    """Five turns of small talk after a fact: still exactly one fact."""
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts.")
    call = make_call()
    async with bot(call) as rig:
        for words in ("Hello", "Nice day", "Well", "Right", "Bye"):
            await rig.session.run(user_input=words)
    facts = await call.memory.profile(ANA)
    assert [(f["value"], f["seen"]) for f in facts] == [("walnuts", 1)]


async def test_what_is_spoken_holds_no_field_names(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["[party_size: 4] A table for four then."]) as rig:
        await rig.session.run(user_input="A table for four")
        assert [(i.text_content or "").strip() for i in rig.items("assistant")] == ["A table for four then."]


async def test_nobody_shares_nothing() -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True))
    for number in range(2):
        call = memory.call(None, call_id=f"hidden-{number}")
        async with bot(call, llm=FakeLLM()) as rig:
            await rig.session.run(user_input="My name is Wren Abbott")
            told: Any = str(rig.llm.prompts)
        if number:
            assert 'kind="caller"' not in told
    assert await memory.profile(Caller.nobody()) == []
    await memory.close()


async def test_shadow_mode_tells_the_model_nothing() -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True, inject=False))
    call = memory.call(ANA, call_id="shadow")
    async with bot(call, llm=FakeLLM()) as rig:
        await rig.session.run(user_input="A table for four")
        assert "<memory" not in str(rig.llm.prompts)
    assert call.state["slots"]["party_size"]["value"] == 4
    await memory.close()


async def test_what_is_said_while_the_apps_hook_works_is_a_turn_of_its_own(make_call: MakeCall) -> None:
    """It begins before LiveKit has done with the turn before, and yet behind that one's end."""
    slow = Slow()
    call = make_call()
    async with bot(call, agent=slow, voice=True) as rig:
        await rig.hears("I am allergic to walnuts")
        await within(slow.begun.wait())
        await rig.hears("and a table for four")
        await until(lambda: rig.session.user_state == "listening")
        slow.go_on.set()
        await until(lambda: len(rig.items("user")) == 2)
    said = [(i.text, i.turn) for i in call.course.history() if i.role == "user"]
    assert said == [("I am allergic to walnuts", 1), ("and a table for four", 2)]
    assert call.state["slots"]["party_size"]["value"] == 4


async def test_finals_that_became_no_turn_say_nothing_of_the_next(make_call: MakeCall) -> None:
    """Another voice was dropped by the app's hook: its label and language are not the caller's."""
    deaf = Deaf()
    call = make_call()
    async with bot(call, agent=deaf, voice=True) as rig:
        for typed in (False, True):
            deaf.dropped.clear()
            await rig.hears("nonsense", speaker_id="other", language="es")
            await within(deaf.dropped.wait())
            if typed:
                await within(rig.session.generate_reply(user_input="on Friday").wait_for_playout())
            else:
                await rig.says("a table for four", speaker_id="caller")
    assert [i.text for i in call.course.history() if i.role == "user"] == ["a table for four", "on Friday"]
    spoken, typed = (turn.segments[0] for turn in call.course.ledger.turns)
    assert (spoken.speaker, spoken.language) == ("caller", "en")
    assert (typed.speaker, typed.language) == (None, None)


async def test_the_next_turns_finals_are_the_next_turns(make_call: MakeCall) -> None:
    """They come while the app's hook still works on the turn before."""
    slow = Slow()
    call = make_call()
    async with bot(call, agent=slow, voice=True, nbest=True) as rig:
        await rig.hears("una mesa para cuatro", speaker_id="caller", language="es")
        await within(slow.begun.wait())
        await rig.hears("my name is maria lopes", others=["my name is maria lopez"], speaker_id="other")
        await until(lambda: rig.session.user_state == "listening")
        slow.go_on.set()
        await until(lambda: len(rig.items("user")) == 2)
    one, two = (turn.segments[0] for turn in call.course.ledger.turns)
    assert (one.speaker, one.language, one.nbest) == ("caller", "es", ())
    assert (two.speaker, two.language) == ("other", "en")
    assert "my name is maria lopez" in two.nbest
