from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipecat_memory.testing.redis_process import RedisProcess


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    """One server for all tests that leave it running; each takes its own prefix."""
    server = RedisProcess(tmp_path_factory.mktemp("redis"), {"appendfsync": "everysec"}).start()
    yield server
    server.stop()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisProcess]:
    """A server of the test's own, to be killed and frozen."""
    folder = tmp_path / "server"
    folder.mkdir()
    process = RedisProcess(folder).start()
    yield process
    process.stop()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh store of each kind."""
    match request.param:
        case "memory":
            return "memory://"
        case "sqlite":
            return f"sqlite:///{tmp_path / 'calls.db'}"
        case _:
            server: RedisProcess = request.getfixturevalue("redis_server")
            return f"{server.url}?prefix=t{secrets.token_hex(4)}"
