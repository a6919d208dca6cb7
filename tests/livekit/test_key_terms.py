"""Known names are hinted to the recogniser: rarely, next to the app's own, or it says that it can't."""

from __future__ import annotations

import logging

import pytest
from livekit.agents import Agent, AgentSession

from .conftest import ANA, MakeCall
from .kit import FakeSTT, bot, until


async def introduce(make_call: MakeCall) -> None:
    async with bot(make_call(), answers=["Hello."], voice=True) as rig:
        await rig.says("My name is Siobhan Ngata.")


async def test_known_names_are_pushed_once_next_to_the_apps_own(make_call: MakeCall) -> None:
    await introduce(make_call)
    ears = FakeSTT()
    own = {"keyterms": ["Osteria"]}
    async with bot(make_call(), voice=True, ears=ears, stt_context_options=own) as rig:
        await until(lambda: any(len(terms) > 1 for terms in ears.pushes))
        await rig.says("A table please")
        await rig.says("For Friday")
        pushed = [terms for terms in ears.pushes if len(terms) > 1]
        assert rig.session.keyterms == pushed[0]
    assert len(pushed) == 1
    assert pushed[0][0] == "Osteria"
    assert any("Ngata" in term for term in pushed[0])


async def test_a_list_that_the_app_changes_in_mid_call_stays_the_apps(make_call: MakeCall) -> None:
    await introduce(make_call)
    ears = FakeSTT()
    own = {"keyterms": ["Osteria"]}
    async with bot(make_call(), voice=True, ears=ears, stt_context_options=own) as rig:
        await until(lambda: any("Ngata" in term for term in rig.session.keyterms))
        rig.session.update_options(keyterms=["Trattoria"])
        await rig.says("A table please")
        await rig.says("For Friday")
        assert rig.session.keyterms[0] == "Trattoria"
        assert "Osteria" not in rig.session.keyterms
        assert any("Ngata" in term for term in rig.session.keyterms)
        assert len([terms for terms in ears.pushes if len(terms) > 1]) == 2


async def test_a_new_name_is_one_more_push(make_call: MakeCall) -> None:
    ears = FakeSTT()
    async with bot(make_call(), voice=True, ears=ears) as rig:
        await rig.says("A table please")
        before = len(ears.pushes)
        await rig.says("My name is Siobhan Ngata.")
        await rig.says("For Friday")
        after = ears.pushes[before:]
    assert len(after) == 1


async def test_at_most_a_hundred(make_call: MakeCall) -> None:
    await introduce(make_call)
    ears = FakeSTT()
    own = {"keyterms": [f"term {n}" for n in range(100)]}
    async with bot(make_call(), voice=True, ears=ears, stt_context_options=own) as rig:
        await rig.says("Hello")
    assert max(len(terms) for terms in ears.pushes) == 100


async def test_a_recogniser_without_key_terms_is_named_once(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    await introduce(make_call)
    with caplog.at_level(logging.WARNING, "livekit.plugins.pipecat_memory"):
        async with bot(make_call(), voice=True, ears=FakeSTT(keyterms=False)) as rig:
            await rig.says("Hello")
            await rig.says("For Friday")
    assert caplog.text.count("takes no key terms") == 1


async def test_an_agents_own_recogniser_is_told(make_call: MakeCall) -> None:
    """Where the session's takes none."""
    await introduce(make_call)
    ears = FakeSTT()
    agent = Agent(instructions="BASE", stt=ears)
    async with bot(make_call(), voice=True, ears=FakeSTT(keyterms=False), agent=agent) as rig:
        await until(lambda: bool(ears.streams))
        await until(lambda: any("Ngata" in term for terms in ears.pushes for term in terms))
        assert rig.memory.hook_errors == 0


async def test_a_recogniser_that_refuses_them_costs_no_word(
    make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app's own recogniser may raise when it is told."""
    await introduce(make_call)

    def refuse(*_: object) -> None:
        raise ValueError

    memory = make_call().memory
    call = memory.call(ANA, call_id="refused")
    ears = FakeSTT()
    async with bot(call, voice=True, ears=ears) as rig:
        monkeypatch.setattr(AgentSession, "update_options", refuse)
        monkeypatch.setattr(rig.memory._guard, "_strict", False)
        await rig.says("My name is Siobhan Ngata.")
        await rig.says("Hello")
        monkeypatch.undo()
    assert [i.text for i in call.course.history() if i.role == "user"] == [
        "My name is Siobhan Ngata.",
        "Hello",
    ]
