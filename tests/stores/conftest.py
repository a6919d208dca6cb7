from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipecat_memory.testing.redis_process import RedisProcess


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    """One server for all tests that leave it running; each takes its own prefix."""
    server = RedisProcess(tmp_path_factory.mktemp("redis"), {"appendfsync": "everysec"}).start()
    yield server
    server.stop()
