from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipecat_memory.testing.redis_process import RedisProcess

from .processes import get_ready


@pytest.fixture(scope="session", autouse=True)
def _forks() -> None:
    get_ready()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    server = RedisProcess(tmp_path_factory.mktemp("redis"), {"appendfsync": "everysec"}).start()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh store that several processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'calls.db'}"
    server: RedisProcess = request.getfixturevalue("redis_server")
    return f"{server.url}?prefix=t{secrets.token_hex(4)}"
