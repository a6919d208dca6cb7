"""A real worker with a real job process and a fake job: `python -m tests.livekit.worker WAY STORE`.

The job says one sentence to a session with memory and ends in the way asked for. Where it ended by its
own code, it left word of it in `STORE.log`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from livekit.agents import Agent, AgentServer, AgentSession, JobContext
from livekit.agents.voice.events import CloseReason

from examples.livekit_agent import warm
from livekit_plugin import CallMemory, Memory, attach_session, session_end
from pipecat_memory.records.caller import Caller

from .kit import FakeLLM, until

SAID = "I am allergic to walnuts."
MANY = 2000
"""Turns of a call that goes on until it is killed."""
CALLER = Caller.phone("+15551230001", how="verified")
STARTING = 60.0
"""Seconds a job's process may take to load what it needs: ten, LiveKit's own, are few on a busy machine."""


def note(line: str) -> None:
    with Path(os.environ["TEST_STORE"] + ".log").open("a", encoding="utf-8") as log:
        log.write(line + "\n")


async def entry(ctx: JobContext) -> None:
    """One call."""
    way = os.environ["TEST_WAY"]
    memory = await Memory.open(f"sqlite:///{os.environ['TEST_STORE']}", embedder=None)
    call = memory.call(CALLER, call_id="in-a-job")
    call.listen(lambda name, _: note(f"{name} {call.course.ended}") if name == "summary" else None)
    model = FakeLLM(["Noted."])
    session: AgentSession[Any] = AgentSession(llm=model, vad=None, turn_handling={"turn_detection": None})
    attach_session(session, call)
    if way != "unawaited":
        ctx.add_shutdown_callback(told)
    await session.start(Agent(instructions="BASE"))
    if way == "talks":
        await talks(session, call)
    await session.run(user_input=SAID)
    assert "<memory" in str(model.prompts)
    await call.journal.flushed()
    await until(lambda: call.journal.file is not None)
    await call.journal.flushed()
    note("said")
    match way:
        case "hangup" | "unawaited":
            # What RoomIO does when the caller's participant leaves.
            session._close_soon(reason=CloseReason.PARTICIPANT_DISCONNECTED)
            ctx.shutdown("room disconnected")
        case "shutdown":
            ctx.shutdown("done")
        case "raise":
            raise RuntimeError("the app's own fault")
        case "sigkill":
            os.kill(os.getpid(), signal.SIGKILL)
        case _:
            await asyncio.Event().wait()


async def talks(session: AgentSession[Any], call: CallMemory) -> None:
    """Turn after turn, each noted once it is durable."""
    note(f"pid {os.getpid()}")
    for number in range(MANY):
        await session.run(user_input=sentence(number))
        await until(lambda: call.journal.file is not None)
        await call.journal.flushed()
        note(f"durable {number}")


def sentence(number: int) -> str:
    return f"The parcel number {number} came to my door broken."


async def told(reason: str) -> None:
    """Only here does LiveKit say why the job ends, when its session has long closed."""
    note(f"told {reason}")


async def ended(ctx: JobContext) -> None:
    """`session_end`, and word of it."""
    await session_end(ctx)
    report = str(ctx.make_session_report().to_dict())
    assert (sentence(0) if os.environ["TEST_WAY"] == "talks" else SAID) in report
    note("session_end" if "<memory" not in report else "memory text in the session report")


async def main() -> None:
    way = os.environ["TEST_WAY"]
    server = AgentServer(
        host="127.0.0.1",
        port=0,
        num_idle_processes=0,
        shutdown_process_timeout=5,
        setup_fnc=warm,
        initialize_process_timeout=STARTING,
    )
    if way == "unawaited":
        server.rtc_session()(entry)
    else:
        server.rtc_session(on_session_end=ended)(entry)
    running = asyncio.create_task(server.run(devmode=True, unregistered=True))
    started = asyncio.Event()
    server.on("worker_started", started.set)
    await asyncio.wait_for(started.wait(), STARTING)
    await server.simulate_job("room", fake_job=True)
    await server.drain(timeout=60)
    await server.aclose()
    await running


if __name__ == "__main__":
    os.environ["TEST_WAY"], os.environ["TEST_STORE"] = sys.argv[1:3]
    from tests.livekit import worker  # its functions are found by name in the job's process

    asyncio.run(worker.main())
