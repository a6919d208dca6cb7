"""Whatever fails on our side, the caller gets an answer, and logs hold no caller content."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from livekit.agents import APIConnectionError, APIConnectOptions, stt
from livekit.agents.voice.agent_session import SessionConnectOptions

from livekit_plugin import Memory, Settings, attach_session

from . import kit
from .conftest import ANA, MakeCall
from .kit import FakeLLM, FakeSTT, bot, until, within
from .sound import FakeTTS

PLANTED = "Zyxgrand Pemberly"


@pytest.mark.parametrize("error", [RuntimeError, TypeError, KeyError])
@pytest.mark.parametrize("member", ["apply", "briefing", "key_terms", "recall_ready"])
async def test_a_failing_hook_is_counted_and_the_reply_comes(
    error: type[Exception], member: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings())
    call = memory.call(ANA, call_id="faulty")

    def fail(*_: object, **__: object) -> None:
        raise error(PLANTED)

    with caplog.at_level(logging.DEBUG, "livekit.plugins.pipecat_memory"):
        async with bot(call, answers=["We open at nine.", "Yes."], voice=True) as rig:
            monkeypatch.setattr(call, member, fail)
            await rig.says("When do you open?")
            await rig.says("Are you sure?")
            assert [i.text_content for i in rig.items("assistant")] == ["We open at nine. ", "Yes. "]
            assert rig.memory.hook_errors >= 2
            monkeypatch.undo()
    ours = [r for r in caplog.records if r.name == "livekit.plugins.pipecat_memory"]
    lines = [r.getMessage() for r in ours]
    assert lines
    assert len(lines) == len(set(lines))
    assert all(error.__name__ in line for line in lines)
    assert not [line for line in lines if PLANTED in line]
    await memory.close()


def away_for_good(_: Any) -> str:
    raise APIConnectionError(PLANTED)


class Mute(FakeTTS):
    """A voice whose service is away."""

    def synthesize(self, text: str, *, conn_options: Any = None) -> Any:
        stream = super().synthesize(text, conn_options=conn_options)
        stream._run = away_for_good
        return stream


class Deaf(FakeSTT):
    """Hears until it is told to be deaf."""

    def fails(self) -> None:
        self.streams[-1]._event_ch.close()
        self.emit(
            "error",
            stt.STTError(timestamp=0.0, label="deaf", error=APIConnectionError(PLANTED), recoverable=False),
        )


@pytest.mark.parametrize("away", ["model", "voice", "recogniser"])
async def test_a_service_that_is_away_for_good_ends_the_call_with_an_error(
    make_call: MakeCall, away: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = make_call()
    once = APIConnectOptions(max_retry=0, retry_interval=0.01, timeout=1.0)
    never = SessionConnectOptions(
        stt_conn_options=once, llm_conn_options=once, tts_conn_options=once, max_unrecoverable_errors=0
    )
    monkeypatch.setattr(kit, "FakeTTS", Mute if away == "voice" else FakeTTS)
    ears = Deaf()
    with caplog.at_level(logging.DEBUG, "livekit.plugins.pipecat_memory"):
        async with bot(
            call,
            llm=FakeLLM([away_for_good] if away == "model" else []),
            voice=True,
            ears=ears,
            conn_options=never,
        ) as rig:
            await rig.hears("I am allergic to walnuts")
            await until(lambda: bool(rig.items("user")))
            if away == "recogniser":
                await until(lambda: bool(rig.items("assistant")))
                ears.fails()
            await until(lambda: bool(rig.closes))
            await within(rig.memory.finished())
            assert rig.memory.hook_errors == 0
    assert (call.course.ended, call.course.outcome) == ("error", "failed")
    assert call.course.history()[0].text == "I am allergic to walnuts"
    assert call.summary is not None
    assert PLANTED not in str([r.getMessage() for r in caplog.records if "pipecat_memory" in r.name])
    assert [fact["value"] for fact in await call.memory.profile(ANA)] == ["walnuts"]


async def test_strict_settings_re_raise(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call) as rig:
        guarded: Callable[..., Any] = rig.memory._guard.hook("test", _fail)
        with pytest.raises(TypeError):
            guarded()
        assert rig.memory.hook_errors == 1


def _fail() -> None:
    raise TypeError(PLANTED)


async def test_attaching_twice_is_attaching_once(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Yes."]) as rig:
        assert attach_session(rig.session, call) is rig.memory
        assert rig.session.tools.count(rig.memory) == 1
        await rig.session.run(user_input="Hello")
    assert [i.text for i in call.course.history()] == ["Hello", "Yes."]


async def test_another_call_for_the_same_session_is_refused_aloud(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    call, other = make_call(), make_call()
    async with bot(call) as rig:
        with caplog.at_level(logging.WARNING, "livekit.plugins.pipecat_memory"):
            assert attach_session(rig.session, other) is rig.memory
    assert "has a memory already" in caplog.text


async def test_two_sessions_in_one_job_keep_apart(make_call: MakeCall) -> None:
    from livekit_plugin import Caller

    one, two = make_call(), make_call(Caller.phone("+15551230002", how="verified"))
    async with bot(one, answers=["A."]) as first, bot(two, answers=["B."]) as second:
        await first.session.run(user_input="My name is Wren Abbott")
        await second.session.run(user_input="I hate fish")
    assert [i.text for i in one.course.history()] == ["My name is Wren Abbott", "A."]
    assert [i.text for i in two.course.history()] == ["I hate fish", "B."]


async def test_planted_phrases_stay_out_of_our_logs_and_reprs(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    call = make_call()
    with caplog.at_level(logging.DEBUG):
        async with bot(call, answers=[PLANTED], voice=True) as rig:
            await rig.says(f"My name is {PLANTED}")
            reprs = f"{rig.memory!r} {call!r} {call.course.history()!r}"
    ours = [
        r.getMessage() for r in caplog.records if r.name.startswith(("livekit.plugins", "pipecat_memory"))
    ]
    assert PLANTED not in reprs + "\n".join(ours)
