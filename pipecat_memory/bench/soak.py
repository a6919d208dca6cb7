"""Many calls against one store while servers, connections and clients die; then the count.

Real processes on this machine only, all of them started here, ended here, and named by pid in the
result. What was acknowledged to a client must be found by a fresh one, once, and by nobody else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import UsedWrongly
from ..testing.redis_process import RedisProcess
from .soak_proxy import Proxy

EMBEDDED = "redis-embedded"
"""As a store: a Redis-compatible server that the soak starts, kills and starts again itself."""
_TURNS = 20
_SECONDS_PER_FAULT = 1.5
_GRACE = 60.0
"""Seconds that clients get to finish after the last fault before the count is taken anyway."""

Fault = Callable[[], Awaitable[int]]


def soak(
    url: str,
    *,
    calls: int = 50,
    seconds: float = 30.0,
    chaos: bool = False,
    turns: int = _TURNS,
    faults: int | None = None,
    clients: int = 4,
    seed: int = 1,
) -> dict[str, Any]:
    """Run the soak and return its figures.

    Args:
        url: a store's URL on this machine, or `redis-embedded`.
        calls: simulated calls; two of each caller.
        seconds: about how long they last.
        chaos: make faults; without it the same calls run undisturbed.
        turns: caller turns of each call.
        faults: how many; one every 1.5 seconds where not given.
        clients: processes that hold the calls.
        seed: of the order and timing of faults.

    Returns:
        `turns_planned`, `turns_acknowledged`, `turns_found` by a fresh client, `duplicates`,
        `foreign_reads`, `faults` by kind, `server_pids`, `client_pids`, `killed_pids`, and `ok`.

    Raises:
        UsedWrongly: the store is not on this machine, or lives in one process.
    """
    if calls < 1 or clients < 1 or turns < 1 or not 0 < seconds <= 3600:
        raise UsedWrongly("soak needs at least one call, client and turn, and 0 to 3600 seconds")
    count = max(1, round(seconds / _SECONDS_PER_FAULT)) if faults is None else faults
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        draw = random.Random(seed)  # noqa: S311 -- a plan, not a secret
        run = _Soak(url, Path(folder), calls, seconds, turns, min(clients, calls), draw)
        return asyncio.run(run.run(count if chaos else 0))


class _Soak:
    def __init__(
        self,
        url: str,
        folder: Path,
        calls: int,
        seconds: float,
        turns: int,
        clients: int,
        draw: random.Random,
    ) -> None:
        self._url = url
        self._folder = folder
        self._acks = folder / "acks"
        # A tenant of its own: what an earlier run left behind is not counted as found.
        self._tenant = f"soak-{secrets.token_hex(4)}"
        self._seconds, self._turns, self._calls, self._draw = seconds, turns, calls, draw
        edges = [calls * n // clients for n in range(clients + 1)]
        self._shares = [range(a, b) for a, b in pairwise(edges)]
        self._clients: dict[int, asyncio.subprocess.Process] = {}
        self._began = 0.0
        self._server: RedisProcess | None = None
        self._proxy: Proxy | None = None
        self._made: Counter[str] = Counter()
        self._pids: dict[str, list[int]] = {"server_pids": [], "client_pids": [], "killed_pids": []}

    async def run(self, faults: int) -> dict[str, Any]:
        began = time.monotonic()
        self._acks.mkdir()
        try:
            await self._set_up()
            self._began = time.time()
            for share in range(len(self._shares)):
                await self._start_client(share)
            await self._make_faults(faults)
            unfinished = await self._wait_for_clients()
            figures = await self._count()
        finally:
            await self._tear_down()
        planned = self._calls * self._turns
        ok = (
            0 < figures["turns_acknowledged"] == figures["turns_found"]
            and not figures["duplicates"]
            and not figures["foreign_reads"]
        )
        return {
            "store": self._url.partition("?")[0],
            "calls": self._calls,
            "seconds": round(time.monotonic() - began, 1),
            "faults": {"all": self._made.total(), **self._made},
            "turns_planned": planned,
            **figures,
            "clients_unfinished": unfinished,
            **self._pids,
            "ok": ok,
        }

    async def _set_up(self) -> None:
        if self._url == EMBEDDED:
            self._server = RedisProcess(self._folder)
            await asyncio.to_thread(self._server.start)
            self._pids["server_pids"].append(self._server.pid)
            self._proxy = Proxy(self._server.port)
            self._target = f"redis://127.0.0.1:{await self._proxy.start()}/0"
            return
        parts = urlsplit(self._url)
        if parts.scheme == "sqlite":
            self._target = self._url
        elif parts.scheme == "redis" and parts.hostname in ("127.0.0.1", "localhost", "::1"):
            self._proxy = Proxy(parts.port or 6379)
            host = parts.netloc.rpartition("@")
            self._target = parts._replace(
                netloc=f"{host[0]}{host[1]}127.0.0.1:{await self._proxy.start()}"
            ).geturl()
        else:
            raise UsedWrongly(f"soak takes sqlite:///file, redis://127.0.0.1:port or {EMBEDDED}")

    def _faults(self) -> dict[str, Fault]:
        found: dict[str, Fault] = {"client_killed": self._kill_client}
        if self._server is not None:
            found["server_killed"] = self._kill_server
        if self._proxy is not None:
            found |= {"connections_cut": self._cut, "connections_stalled": self._stall}
        else:
            found["file_locked"] = self._lock
        return found

    async def _make_faults(self, count: int) -> None:
        kinds = self._faults()
        # Every kind as often as the others, in any order.
        names = list(kinds)
        order = [names[n % len(names)] for n in range(count)]
        self._draw.shuffle(order)
        for kind in order:
            await asyncio.sleep(self._seconds / (count + 1) * self._draw.uniform(0.3, 1.0))
            pid = await kinds[kind]()
            self._made[kind] += 1
            sys.stderr.write(f"soak: {kind} pid {pid}\n")

    async def _kill_client(self) -> int:
        alive = [n for n, client in sorted(self._clients.items()) if client.returncode is None]
        share = self._draw.choice(alive or sorted(self._clients))
        client = self._clients[share]
        if client.returncode is None:
            client.kill()
        await client.wait()
        self._pids["killed_pids"].append(client.pid)
        await self._start_client(share)
        return client.pid

    async def _kill_server(self) -> int:
        assert self._server is not None
        pid = self._server.pid
        self._server.kill()
        self._pids["killed_pids"].append(pid)
        await asyncio.sleep(self._draw.uniform(0.1, 0.5))
        await asyncio.to_thread(self._server.start)
        self._pids["server_pids"].append(self._server.pid)
        return pid

    async def _cut(self) -> int:
        assert self._proxy is not None
        self._proxy.cut()
        return self._server.pid if self._server else 0

    async def _stall(self) -> int:
        assert self._proxy is not None
        self._proxy.stall()
        await asyncio.sleep(self._draw.uniform(0.2, 1.2))
        self._proxy.flow()
        return self._server.pid if self._server else 0

    async def _lock(self) -> int:
        await asyncio.to_thread(_hold_lock, Path(urlsplit(self._url).path[1:]), self._draw.uniform(0.2, 1.0))
        return 0

    async def _start_client(self, share: int) -> None:
        client = await self._python(self._acks / f"client-{share}", self._shares[share])
        self._clients[share] = client
        self._pids["client_pids"].append(client.pid)

    async def _python(
        self, acks: Path, calls: range, *more: str, stdout: int | None = None
    ) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "pipecat_memory.bench.soak_client", "--store", self._target),
            *("--tenant", self._tenant, "--acks", str(acks)),
            *("--calls", f"{calls[0]}-{calls[-1]}", "--turns", str(self._turns)),
            *("--pace", str(self._seconds / self._turns), "--began", str(self._began), *more),
            stdout=stdout,
            # Ctrl-C is for the soak, which ends its clients itself.
            start_new_session=True,
        )

    async def _wait_for_clients(self) -> int:
        waits = [asyncio.create_task(client.wait()) for client in self._clients.values()]
        _, late = await asyncio.wait(waits, timeout=self._seconds + _GRACE)
        for wait in late:
            wait.cancel()
        return sum(client.returncode != 0 for client in self._clients.values())

    async def _count(self) -> dict[str, int]:
        fresh = await self._python(self._acks, range(self._calls), "--verify", stdout=asyncio.subprocess.PIPE)
        out, _ = await asyncio.wait_for(fresh.communicate(), self._seconds + _GRACE)
        return json.loads(out)

    async def _tear_down(self) -> None:
        for client in self._clients.values():
            if client.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    client.kill()
                await client.wait()
        if self._proxy is not None:
            await self._proxy.stop()
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)


def _hold_lock(path: Path, seconds: float) -> None:
    """What a process that is stopped in the middle of a write does to the others."""
    db = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        db.execute("ROLLBACK")
    finally:
        db.close()
