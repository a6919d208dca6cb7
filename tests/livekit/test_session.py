"""What a session says and hears is what the memory keeps, and the next call knows it."""

from __future__ import annotations

from livekit_plugin import CallMemory

from .conftest import MakeCall
from .kit import bot, until


def history(call: CallMemory) -> list[tuple[str, str, bool]]:
    return [(i.role, i.text, i.interrupted) for i in call.course.history()]


async def test_a_typed_call_is_remembered_and_the_next_one_knows(make_call: MakeCall) -> None:
    first = make_call()
    async with bot(first, answers=["Nice to meet you.", "Noted."]) as rig:
        await rig.session.run(user_input="Hi, my name is Wren Abbott.")
        await rig.session.run(user_input="I am allergic to walnuts.")
    assert history(first) == [
        ("user", "Hi, my name is Wren Abbott.", False),
        ("assistant", "Nice to meet you.", False),
        ("user", "I am allergic to walnuts.", False),
        ("assistant", "Noted.", False),
    ]
    assert first.summary is not None
    second = make_call()
    async with bot(second, answers=["Hello again."]) as rig:
        await rig.session.run(user_input="Hello")
        prompt = rig.llm.prompts[0]
    assert [role for role, _ in prompt][:2] == ["system", "user"]
    assert "walnuts" in prompt[1][1]
    assert prompt[-1] == ("user", "Hello")


async def test_a_spoken_turn_commits_both_sides(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["We open at nine."], voice=True) as rig:
        await rig.says("When do you open?", speaker_id="S1")
        assert rig.memory.hook_errors == 0
    assert history(call) == [
        ("user", "When do you open?", False),
        ("assistant", "We open at nine.", False),
    ]
    user, reply = call.course.history()
    assert (user.speaker, reply.precision) == ("S1", "exact")


async def test_nothing_of_the_memory_stands_in_history(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["A table for four then.", "Done."]) as rig:
        await rig.session.run(user_input="A table for four on Friday please")
        await rig.session.run(user_input="Yes")
        assert any("<memory" in text for _, text in rig.llm.prompts[-1])
        stored = rig.session.history.to_dict()
        own = rig.session.current_agent.chat_ctx.to_dict()
    assert "<memory" not in f"{stored}{own}"
    await until(lambda: call.summary is not None)
