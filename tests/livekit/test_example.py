"""The example runs without keys, and its second call knows the first."""

from __future__ import annotations

import pytest

from examples import livekit_agent

from .conftest import MakeCall
from .kit import bot


async def test_the_scripted_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert await livekit_agent.scripted()
    said = capsys.readouterr().out
    assert "call 2" in said
    assert "walnuts" in said.partition("what the model was told")[2]


def test_without_keys_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SystemExit, match="OPENAI_API_KEY is not set"):
        livekit_agent.services(text=False)


async def test_typing_works_without_keys(monkeypatch: pytest.MonkeyPatch, make_call: MakeCall) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = livekit_agent.services(text=True)["llm"]
    async with bot(make_call(), llm=model) as rig:
        answer = await rig.session.run(user_input="I am allergic to walnuts.")
        answer.expect.next_event().is_message(role="assistant")
    assert "walnuts" in model.told
