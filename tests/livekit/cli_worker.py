"""The worker for LiveKit's own command line: `python -m livekit.agents start tests/livekit/cli_worker.py`.

There is no LiveKit server to take jobs from, so the worker gives itself one; all else is the command line's.
"""

from __future__ import annotations

import asyncio

from livekit.agents import AgentServer

from examples.livekit_agent import warm
from tests.livekit.worker import STARTING, ended, entry

server = AgentServer(
    host="127.0.0.1",
    port=0,
    num_idle_processes=0,
    shutdown_process_timeout=5,
    initialize_process_timeout=STARTING,
    drain_timeout=1,
    setup_fnc=warm,
)
server.rtc_session(on_session_end=ended)(entry)
_jobs: set[asyncio.Task[None]] = set()


def give_job() -> None:
    _jobs.add(asyncio.create_task(server.simulate_job("room", fake_job=True)))


server.on("worker_started", give_job)
