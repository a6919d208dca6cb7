"""A Redis server, cluster or sentinel group: clients, deadlines, retries and the circuit.

A command whose caller is cancelled or whose time is up closes its connection (the client library
does so on any exception inside a command), so no answer is left for the next command; the tests
hold this with a stalled server. Every event loop gets its own client.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast
from urllib.parse import SplitResult, unquote, urlencode
from weakref import WeakKeyDictionary

from redis import exceptions
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

from ..errors import StoreUnavailable, UsedWrongly
from .redis_scripts import Script

logger = logging.getLogger(__name__)

_TRIES = 3
_PAUSE = 0.05
"""Seconds before the second try, doubled before the third: enough for a dropped idle connection."""
_AT_ONCE = 64
"""Most commands of one event loop at once, so most connections."""
_OPENS_AFTER = 3
_SHUT_FIRST, _SHUT_MOST = 0.25, 5.0
"""Seconds an open circuit refuses; doubles while the server stays away."""

T = TypeVar("T")
Client = Any
"""A `Redis` or `RedisCluster`; their stubs say sync-or-async for every answer."""


class RedisServer:
    """Where commands go.

    Args:
        make: builds a client; called once per event loop.
        timeout: seconds of one command, retries included.
        place: host and port for messages, never a password.
    """

    def __init__(self, make: Callable[[], Client], timeout: float, place: str) -> None:
        self._make = make
        self._timeout = timeout
        self.place = place
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Client, asyncio.Semaphore]]
        self._clients = WeakKeyDictionary()
        self._failures = 0
        self._shut_until = 0.0

    async def eval(self, script: Script, key: str, *args: str | bytes | int | float) -> Any:
        """Run a script whose keys all lie in the slot of `key`."""

        async def command(client: Client) -> Any:
            try:
                return await client.evalsha(script.sha, 1, key, *args)
            except exceptions.NoScriptError:
                return await client.eval(script.text, 1, key, *args)

        return await self.run(command)

    async def run(self, command: Callable[[Client], Awaitable[T]]) -> T:
        """Run a command that may be repeated.

        Raises:
            StoreUnavailable: no answer in time, or the circuit is open; the message says which.
        """
        if time.monotonic() < self._shut_until:
            raise StoreUnavailable(f"{self.place}: did not answer lately; not asked again yet")
        client, gate = self._client()
        try:
            async with asyncio.timeout(self._timeout), gate:
                found = await _tried(client, command)
        except TimeoutError as error:
            self._failed()
            raise StoreUnavailable(f"{self.place}: no answer within {self._timeout:g} s") from error
        except exceptions.AuthenticationError as error:
            # At the opening that is a mistake of the URL (`look_at`); later, somebody changes passwords.
            raise StoreUnavailable(f"{self.place}: refused the password or user of the URL") from error
        except exceptions.ResponseError as error:
            # It answers, so the circuit stays: out of memory, read-only replica, loading, no disk.
            named = type(error) is not exceptions.ResponseError
            code = type(error).__name__ if named else str(error).partition(" ")[0][:20]
            raise StoreUnavailable(f"{self.place}: refused the command ({code})") from error
        except (exceptions.RedisError, OSError) as error:
            self._failed()
            raise StoreUnavailable(f"{self.place}: can't be reached ({type(error).__name__})") from error
        self._failures, self._shut_until = 0, 0.0
        return found

    async def aclose(self) -> None:
        """Close this loop's client. Those of loops that have ended went with them."""
        client, _ = self._clients.pop(asyncio.get_running_loop(), (None, None))
        if client is None:
            return
        await client.aclose()
        if isinstance(client, Redis) and isinstance(client.connection_pool, SentinelConnectionPool):
            # The client closes its connections to the master only, not those to the sentinels.
            for sentinel in client.connection_pool.sentinel_manager.sentinels:
                await sentinel.aclose()

    def _client(self) -> tuple[Client, asyncio.Semaphore]:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = (self._make(), asyncio.Semaphore(_AT_ONCE))
        return self._clients[loop]

    def _failed(self) -> None:
        self._failures += 1
        if self._failures >= _OPENS_AFTER:
            if self._failures == _OPENS_AFTER:
                logger.warning("store %s is away; calls go on without it", self.place)
            shut = min(_SHUT_MOST, _SHUT_FIRST * 2 ** min(self._failures - _OPENS_AFTER, 10))
            self._shut_until = time.monotonic() + shut


async def _tried(client: Client, command: Callable[[Client], Awaitable[T]]) -> T:
    for again in range(1, _TRIES):
        try:
            return await _once(client, command)
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            if isinstance(error, exceptions.AuthenticationError):
                raise
            await asyncio.sleep(_PAUSE * 2 ** (again - 1))
    return await _once(client, command)


async def _once(client: Client, command: Callable[[Client], Awaitable[T]]) -> T:
    # A cluster client that does not know the slots yet sends what comes first to any node.
    if isinstance(client, RedisCluster):
        await client.initialize()
    return await command(client)


def redis_server(parts: SplitResult, options: dict[str, str], timeout: float) -> RedisServer:
    """The server that a store's URL names.

    Args:
        parts: the URL, split.
        options: its query without our own options; given to the Redis client as it is.
        timeout: seconds of one command.

    Raises:
        UsedWrongly: hosts, ports or the service name are missing or malformed.
    """
    place = parts.netloc.rpartition("@")[2] or parts.path
    settings: dict[str, Any] = {
        # The whole command's deadline is ours. The client's own goes through asyncio.wait_for, which up
        # to Python 3.11 swallows a cancellation that comes as its wait ends.
        "socket_timeout": None,
        "socket_connect_timeout": None,
        "protocol": 2,  # the same answers from every server and version
        "retry": Retry(NoBackoff(), 0),  # ours is bounded by the whole command's deadline
    }
    kind = parts.scheme.partition("+")[2]
    if not kind:
        url = parts._replace(query=urlencode(options)).geturl()
        try:
            Redis.from_url(url, **settings)
        except ValueError as error:
            raise UsedWrongly(f"{place}: not a Redis URL; it looks like redis://host:6379/0") from error
        return RedisServer(lambda: cast("Client", Redis.from_url(url, **settings)), timeout, place)
    if options:
        raise UsedWrongly(f"unknown option in the store's URL: {', '.join(sorted(options))}")
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    settings |= {"username": unquote(user) or None, "password": unquote(password) or None}
    settings["ssl"] = parts.scheme.startswith("rediss")
    hosts = _hosts(place, 26379 if kind == "sentinel" else 6379)
    path = [unquote(part) for part in parts.path.split("/") if part]
    if kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in hosts]
        # A slot that moved is noted; to read them all anew would close connections that others use.
        settings["reinitialize_steps"] = 0
        return RedisServer(lambda: RedisCluster(startup_nodes=nodes, **settings), timeout, place)
    if not path or not all(part.isdecimal() for part in path[1:]):
        raise UsedWrongly("name the sentinels' service: redis+sentinel://host:26379/service/0")

    def master() -> Client:
        # A sentinel that hangs must leave time to ask the next one.
        sentinel = Sentinel(hosts, sentinel_kwargs={"socket_timeout": timeout / 4}, **settings)
        return sentinel.master_for(path[0], db=int(path[1]) if path[1:] else 0)

    return RedisServer(master, timeout, place)


def _hosts(place: str, port: int) -> list[tuple[str, int]]:
    hosts: list[tuple[str, int]] = []
    for one in place.split(","):
        host, _, given = one.rpartition(":") if ":" in one.rpartition("]")[2] else (one, "", "")
        if not host or (given and not given.isdecimal()):
            raise UsedWrongly("hosts look like host:port,host:port")
        hosts.append((host.strip("[]"), int(given or port)))
    return hosts
