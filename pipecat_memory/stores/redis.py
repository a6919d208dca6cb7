"""The store of a fleet: Redis 7 and 8, Valkey, clusters and sentinels.

Durability is the server's: `appendfsync always` loses nothing, `everysec` up to a second when the
machine dies. `open` warns about a server that evicts records or keeps none.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from typing import Any

from redis.exceptions import AuthenticationError

from ..errors import Erased, StoreUnavailable, UsedWrongly, VersionConflict
from . import redis_hints as hints
from . import redis_scripts as scripts
from .base import Doc, Entry, Erasure, Job, NewEntry, PutDoc
from .redis_server import Client, RedisServer

logger = logging.getLogger(__name__)

_GRACE = 60.0
"""Seconds until a hint at a job counts that was written before the job itself: longer than any put
takes. A process killed between the two delays its job by this much and loses nothing."""
_LOOK = 20
_ROUNDS = 50


class RedisStore:
    """A store in Redis.

    Args:
        server: where commands go.
        prefix: starts every key.
        ttl: seconds after its last write that a record goes away; None keeps it.
    """

    def __init__(self, server: RedisServer, *, prefix: str = "pm", ttl: int | None = None) -> None:
        self._server = server
        self._prefix = prefix
        self._ttl = ttl or 0
        self._jobs = f"{prefix}:{{jobs}}"

    async def open(self) -> None:
        """Look at the server once, and warn of what would lose records."""
        await look_at(self._server, evicts_ours=bool(self._ttl))

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        fields = [field for e in entries for field in (e.uid, e.kind, repr(e.at), e.blob)]
        gone = (len(instead_of), *instead_of)
        seq = await self._server.eval(scripts.APPEND, self._base(owner), self._ttl, call, *gone, *fields)
        if seq is None:
            raise Erased("this caller was erased")
        return int(seq)

    async def read(self, owner: str, *, call: str | None = None, after: int = 0) -> list[Entry]:
        calls = () if call is None else (call,)
        found = await self._server.eval(scripts.READ, self._base(owner), after + 1, *calls)
        entries = [
            _entry(name.decode(), at, fields)
            for name, stream in zip(found[::2], found[1::2], strict=True)
            for at, fields in stream
        ]
        return sorted(entries, key=lambda entry: entry.seq)

    async def put(self, owner: str, docs: Sequence[PutDoc], *, jobs: Sequence[Job] = ()) -> None:
        members = {job.id: (job.kind, f"{owner} {job.id}") for job in jobs}
        if jobs:
            await self._hint(_GRACE, "new", members)
        wanted = [field for d in docs for field in (d.kind, d.name, d.expected, d.blob)]
        work = [field for job in jobs for field in (job.id, job.kind, job.call)]
        answer: list[bytes] = await self._server.eval(
            scripts.PUT, self._base(owner), self._ttl, secrets.token_hex(8), len(docs), *wanted, *work
        )
        match answer[0]:
            case b"erased":
                raise Erased("this caller was erased")
            case b"conflict":
                kind, name, expected = (part.decode() for part in answer[1:])
                raise VersionConflict(f"{kind}/{name}: not at version {expected}")
            case _:
                new = [one.decode() for one in answer[1:]]
                if new:
                    await self._hint(0.0, "", {one: members[one] for one in new})

    async def load(self, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()) -> list[Doc]:
        of = dict.fromkeys(kinds)
        found = await self._server.eval(scripts.LOAD, self._base(owner), len(of), *of, *dict.fromkeys(names))
        docs: list[Doc] = []
        for kind, pairs in zip(found[::2], found[1::2], strict=True):
            for name, value in zip(pairs[::2], pairs[1::2], strict=True):
                version, _, blob = value.partition(b":")
                docs.append(Doc(kind.decode(), name.decode(), int(version), blob))
        return docs

    async def drop(self, owner: str, call: str, *, keep: Sequence[str] = ()) -> int:
        count, jobs = await self._server.eval(scripts.DROP, self._base(owner), call, *keep)
        await self._forget_hints(owner, jobs)
        return int(count) + len(jobs) // 2

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        if job is not None:
            return await self._take(worker, lease, job.owner, job.id, job.kind, "")
        for _ in range(_ROUNDS):
            due = await self._server.eval(hints.DUE, self._jobs, _LOOK, *dict.fromkeys(kinds))
            found = sorted(zip(due[2::3], due[::3], due[1::3], strict=True), key=lambda hint: float(hint[0]))
            if not found:
                return None
            for score, kind, member in found:
                owner, _, name = member.decode().partition(" ")
                taken = await self._take(worker, lease, owner, name, kind.decode(), score.decode())
                if taken is not None:
                    return taken
        return None

    async def finish(self, worker: str, job: Job) -> bool:
        done = await self._server.eval(scripts.FINISH, self._base(job.owner), job.id, worker)
        if done:
            await self._forget_hints(job.owner, [job.id.encode(), job.kind.encode()])
        return bool(done)

    async def erase(self, owner: str) -> Erasure:
        entries, docs, jobs = await self._server.eval(scripts.ERASE, self._base(owner))
        await self._forget_hints(owner, jobs)
        return Erasure(int(entries), int(docs), len(jobs) // 2)

    async def aclose(self) -> None:
        await self._server.aclose()

    def _base(self, owner: str) -> str:
        return f"{self._prefix}:{{{owner}}}"

    async def _take(
        self, worker: str, lease: float, owner: str, id: str, kind: str, score: str
    ) -> Job | None:
        """Ask the owner's own hash for the job, then set the hint right."""
        answer = await self._server.eval(scripts.TAKE, self._base(owner), id, worker, lease)
        what, free_at = answer[0], answer[1] if len(answer) > 1 else b""
        await self._server.eval(hints.SETTLE, self._jobs, kind, f"{owner} {id}", score, free_at)
        if what != b"taken":
            return None
        return Job(id, answer[2].decode(), owner, answer[3].decode(), int(answer[4]))

    async def _hint(self, seconds: float, how: str, members: dict[str, tuple[str, str]]) -> None:
        fields = [field for member in members.values() for field in member]
        await self._server.eval(hints.HINT, self._jobs, seconds, how, *fields)

    async def _forget_hints(self, owner: str, jobs: list[bytes]) -> None:
        for name, kind in zip(jobs[::2], jobs[1::2], strict=True):
            await self._server.eval(hints.SETTLE, self._jobs, kind, f"{owner} {name.decode()}", "", "")


class RedisKeyStore:
    """Keys under a prefix of their own, best on another server than the records.

    Args:
        server: where commands go.
        prefix: of the records; keys stand under `<prefix>-keys`.
    """

    def __init__(self, server: RedisServer, *, prefix: str = "pm") -> None:
        self._server = server
        self._prefix = prefix

    async def open(self) -> None:
        """Look at the server once, and warn of what would lose keys."""
        await look_at(self._server, evicts_ours=False)

    async def get(self, name: str) -> bytes | None:
        return await self._server.run(lambda client: client.get(self._at(name)))

    async def add(self, name: str, key: bytes) -> bytes:
        async def command(client: Client) -> bytes:
            await client.set(self._at(name), key, nx=True)
            return await client.get(self._at(name))

        return await self._server.run(command)

    async def replace(self, name: str, old: bytes, new: bytes) -> bool:
        return bool(await self._server.eval(scripts.REPLACE, self._at(name), old, new))

    async def destroy(self, name: str, key: bytes) -> bool:
        return bool(await self._server.eval(scripts.DESTROY, self._at(name), key))

    async def aclose(self) -> None:
        await self._server.aclose()

    def _at(self, name: str) -> str:
        return f"{self._prefix}-keys:{{{name}}}"


async def look_at(server: RedisServer, *, evicts_ours: bool) -> None:
    """Warn, once per opening, of a server that is away, evicts records or keeps none.

    Args:
        server: which.
        evicts_ours: records carry a time to live, so `volatile-*` policies evict them too.

    Raises:
        UsedWrongly: it does not take the URL's password or user.
    """

    async def command(client: Client) -> dict[str, Any]:
        return {**await client.info("memory"), **await client.info("persistence")}

    try:
        info = await server.run(command)
    except StoreUnavailable as error:
        if isinstance(error.__cause__, AuthenticationError):
            raise UsedWrongly(str(error)) from error
        logger.warning("store %s does not answer; calls go on without it until it does", server.place)
        return
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy.startswith("allkeys") or (evicts_ours and policy.startswith("volatile")):
        logger.warning(
            "store %s evicts records when memory is short (maxmemory-policy %s); set it to noeviction",
            server.place,
            policy,
        )
    if not info.get("aof_enabled"):
        logger.warning(
            "store %s keeps no append-only file: a restart loses what came after its last dump; "
            "set appendonly yes",
            server.place,
        )


def _entry(call: str, id: bytes, fields: list[bytes]) -> Entry:
    named = dict(zip(fields[::2], fields[1::2], strict=True))
    seq = int(id.partition(b"-")[0])
    return Entry(seq, call, named[b"u"].decode(), named[b"k"].decode(), float(named[b"t"]), named[b"b"])
