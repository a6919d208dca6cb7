"""Every store of ours passes the suite that we give to others."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from pipecat_memory.stores.base import KeyStore, Store
from pipecat_memory.stores.url import open_store
from pipecat_memory.testing import StoreContract
from pipecat_memory.testing.redis_process import RedisProcess

_numbers = count()

PATIENT = 20.0
"""Seconds of a command: two hundred callers at once on busy CPUs take longer than a reply would wait."""


class TestMemory(StoreContract):
    async def open(self) -> tuple[Store, KeyStore]:
        return await open_store("memory://")


class TestSqlite(StoreContract):
    path: Path

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "calls.db"

    async def open(self) -> tuple[Store, KeyStore]:
        return await open_store(f"sqlite:///{self.path}")

    async def reopen(self, pair: tuple[Store, KeyStore]) -> tuple[Store, KeyStore]:
        return await open_store(f"sqlite:///{self.path}")


class TestRedis(StoreContract):
    url: str

    @pytest.fixture(autouse=True)
    def place(self, redis_server: RedisProcess) -> None:
        self.url = f"{redis_server.url}?prefix=t{next(_numbers)}"

    async def open(self) -> tuple[Store, KeyStore]:
        return await open_store(self.url, command_timeout=PATIENT)

    async def reopen(self, pair: tuple[Store, KeyStore]) -> tuple[Store, KeyStore]:
        return await open_store(self.url, command_timeout=PATIENT)
