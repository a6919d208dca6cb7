"""The example runs without keys, and its second call knows the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples import livekit_agent

from .conftest import MakeCall
from .kit import bot, within


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


@pytest.mark.timeout(180)  # it loads the embedder
async def test_a_call_may_be_typed_without_keys_server_or_sound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(livekit_agent, "STORE", f"sqlite:///{tmp_path}/calls.db")
    said = iter(["I am allergic to walnuts.", "", "What do you know about me?"])

    def read(_: str) -> str:
        try:
            return next(said)
        except StopIteration:
            raise EOFError from None

    for known in (0, 1):
        await within(livekit_agent.typed(read), 80)
        greeting = capsys.readouterr().out.splitlines()[0]
        assert greeting.startswith("agent:")
        assert ("holds 0 lines" in greeting) is not bool(known)
    assert next(said, None) is None
