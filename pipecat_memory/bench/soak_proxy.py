"""A loopback proxy that cuts and stalls connections, so that faults of a network can be had at will."""

from __future__ import annotations

import asyncio
import contextlib

_CHUNK = 65_536


class Proxy:
    """Forwards a free loopback port to `port`, until it is told not to.

    Args:
        port: the loopback port behind it.
    """

    def __init__(self, port: int) -> None:
        self._behind = port
        self._flows = asyncio.Event()
        self._flows.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Listen; returns the port to connect to."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Drop every connection that is open now, in the middle of whatever it carries."""
        for writer in list(self._writers):
            writer.transport.abort()

    def stall(self) -> None:
        """Keep connections open and carry nothing, until `flow`."""
        self._flows.clear()

    def flow(self) -> None:
        """End a stall; what was held back arrives late."""
        self._flows.set()

    async def stop(self) -> None:
        """Close everything."""
        self.flow()
        self.cut()
        if self._server is not None:
            self._server.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._writers.add(writer)
        try:
            with contextlib.suppress(OSError):
                back, forth = await asyncio.open_connection("127.0.0.1", self._behind)
                self._writers.add(forth)
                try:
                    await asyncio.gather(self._carry(reader, forth), self._carry(back, writer))
                finally:
                    self._writers.discard(forth)
                    forth.transport.abort()
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        # The other direction must end too, or a half-dead connection looks alive.
        writer.transport.abort()
