"""The two-session scenarios that ship beside the bot, in Pipecat's own eval, in text mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipecat.evals.scenario import EvalScenarioFile, EvalScriptScenario
from pipecat.evals.script_session import EvalScriptSession

from examples.phone_bot.demo_server import ROOT, serving

# Processes of their own, which a busy machine starts slowly.
pytestmark = pytest.mark.timeout(180)

FOLDER = ROOT / "examples" / "phone_bot" / "scenarios"


async def test_call_one_tells_and_call_two_asks(tmp_path: Path) -> None:
    body = ["--runner-body", str(FOLDER / "caller.yaml")]
    async with serving(tmp_path, {"PHONE_BOT_VOICE": "scripted"}, options=body) as server:
        for name in ("tells", "asks"):
            for scenario in EvalScenarioFile.load(FOLDER / f"{name}.yaml"):
                assert isinstance(scenario, EvalScriptScenario)
                result = await EvalScriptSession.from_scenario(scenario, server.url).run()
                assert result.passed, (name, result)
