"""However a call ends it is closed once, with a summary, and a killed one is finished by the next."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession
from livekit.agents.voice.events import CloseEvent, CloseReason

from livekit_plugin import Memory, Settings, attach_session, session_end

from .conftest import ANA, MakeCall
from .kit import FakeLLM, a_job, bot, until
from .worker import SAID

REASONS = [
    (CloseReason.PARTICIPANT_DISCONNECTED, "hangup"),
    (CloseReason.USER_INITIATED, "bot_ended"),
    (CloseReason.TASK_COMPLETED, "bot_ended"),
    (CloseReason.JOB_SHUTDOWN, "cancelled"),
    (CloseReason.ERROR, "error"),
]


def test_every_reason_is_mapped() -> None:
    assert {reason for reason, _ in REASONS} == set(CloseReason)


@pytest.mark.parametrize(("reason", "expected"), REASONS)
async def test_reasons(make_call: MakeCall, reason: CloseReason, expected: str) -> None:
    call = make_call()
    got: list[str] = []
    call.listen(lambda name, _: got.append(name))
    async with bot(call) as rig:
        await rig.session.run(user_input=SAID)
        rig.session.emit("close", CloseEvent(reason=reason))
        await rig.memory.finished()
    assert call.course.ended == expected
    assert got.count("summary") == 1  # the session's real close came after


async def test_what_was_said_is_durable_before_the_close_event(make_call: MakeCall) -> None:
    call = make_call()
    waiting: list[int] = []
    async with bot(call) as rig:
        await rig.session.run(user_input=SAID)
        rig.session.on("close", lambda _: waiting.append(call.journal.waiting))
    assert waiting == [0]
    assert call.summary is not None


async def test_session_end_waits_for_every_session_of_its_job(make_call: MakeCall) -> None:
    one, two = make_call(), make_call()
    with a_job() as other, a_job() as mine:
        async with bot(one) as first, bot(two):
            await first.session.run(user_input=SAID)
            await session_end(other)
            assert one.course.ended is None
            await session_end(mine)
            assert (one.course.ended, two.course.ended) == ("bot_ended", "bot_ended")
            assert one.summary is not None


@pytest.mark.parametrize(("fault", "ended"), [(True, "error"), (False, "bot_ended")])
async def test_an_entrypoint_that_raised_is_an_error(make_call: MakeCall, fault: bool, ended: str) -> None:
    """LiveKit then closes the session itself, which it reports as it reports an app that hangs up."""
    call = make_call()
    session: AgentSession[Any] = AgentSession(llm=FakeLLM(), vad=None, turn_handling={"turn_detection": None})

    async def entry() -> None:
        attach_session(session, call)
        await session.start(Agent(instructions="BASE"))
        await session.run(user_input=SAID)
        if fault:
            raise RuntimeError("the app's own fault")

    with a_job() as job:
        await asyncio.wait({asyncio.create_task(entry())})
        await session.aclose()
        await session_end(job)
    assert call.course.ended == ended
    assert call.summary is not None


PATIENCE = 150.0
"""Longest wait for a worker, seconds: on a busy machine its processes take long to start."""


async def run_worker(way: str, store: Path) -> list[str]:
    """The real worker, in a process of its own; its log."""
    program = ["tests.livekit.worker", way, str(store)]
    if way == "sigterm":
        # LiveKit's own command line, with nobody at the other end.
        nobody = ["--url", "ws://127.0.0.1:9", "--api-key", "key", "--api-secret", "secret"]
        program = ["livekit.agents", "start", "tests/livekit/cli_worker.py", *nobody]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "ignore", "-m", *program,
        env=os.environ | {"TEST_WAY": way, "TEST_STORE": str(store)},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        if way == "sigterm":
            log = Path(f"{store}.log")
            await until(lambda: "said" in _lines(log), PATIENCE)
            process.send_signal(signal.SIGTERM)
        _, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    lines = await asyncio.to_thread(_lines, Path(f"{store}.log"))
    assert lines, errors.decode()[-2000:]
    return lines


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


async def told_next_time(store: Path) -> str:
    """What the next call of the same caller is told."""
    # A dead process holds its lease for a while; the next call need not wait for that to know.
    memory = await Memory.open(f"sqlite:///{store}", embedder=None, settings=Settings(strict=True))
    call = memory.call(ANA, call_id="the-next")
    await call.preload(5.0)
    async with bot(call) as rig:
        await rig.session.run(user_input="Hello again")
        prompt = "\n".join(text for _, text in rig.llm.prompts[0])
    await memory.close()
    return prompt


CLOSED = ["said", "summary bot_ended", "session_end"]
ENDINGS = [
    ("hangup", ["said", "summary hangup", "session_end", "told room disconnected"]),
    pytest.param("shutdown", [*CLOSED, "told done"], marks=pytest.mark.long),
    pytest.param("unawaited", ["said", "summary hangup"], marks=pytest.mark.long),
    pytest.param(
        "raise", ["said", "summary error", "session_end", "told job crashed"], marks=pytest.mark.long
    ),
    pytest.param("sigterm", [*CLOSED, "told parent process shutdown"], marks=pytest.mark.long),
    pytest.param("sigkill", ["said"], marks=pytest.mark.long),
]


@pytest.mark.timeout(2 * PATIENCE)
@pytest.mark.parametrize(("way", "log"), ENDINGS)
async def test_a_job_in_its_own_process(tmp_path: Path, way: str, log: list[str]) -> None:
    store = tmp_path / "calls.db"
    assert await run_worker(way, store) == log
    assert "walnuts" in await told_next_time(store)


async def test_nothing_is_awaited_for_ever(make_call: MakeCall) -> None:
    """A summary that hangs holds the end of the session no longer than the drain."""
    memory = await Memory.open(
        "memory://",
        embedder=None,
        model=_never,
        settings=Settings(strict=True, drain=0.05, model_timeout=0.5),
    )
    call = memory.call(ANA, call_id="hanging")
    async with bot(call) as rig:
        await rig.session.run(user_input=SAID)
    await until(lambda: call.summary is not None)
    await memory.close(deadline=0.0)


async def _never(*_: Any, **__: Any) -> Any:
    await asyncio.Event().wait()
