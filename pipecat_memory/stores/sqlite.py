"""The embedded store: one SQLite file for records, and `<file>.keys` beside it for keys.

Several processes of one machine may use one file. Both files are readable by their owner only.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import Erased, VersionConflict
from .base import Doc, Entry, Erasure, Job, NewEntry, PutDoc
from .sqlite_file import SqliteFile

_RECORDS = """
CREATE TABLE owners (id INTEGER PRIMARY KEY, owner TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL DEFAULT 0);
CREATE TABLE tombstones (owner TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE entries (
    owner INTEGER NOT NULL, seq INTEGER NOT NULL, call TEXT NOT NULL, uid TEXT NOT NULL,
    kind TEXT NOT NULL, at REAL NOT NULL, blob BLOB NOT NULL, PRIMARY KEY (owner, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entries_once ON entries (owner, call, uid);
CREATE TABLE docs (
    owner INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
    blob BLOB NOT NULL, PRIMARY KEY (owner, kind, name)
) WITHOUT ROWID;
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, job TEXT NOT NULL, kind TEXT NOT NULL,
    call TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, worker TEXT NOT NULL DEFAULT '',
    free_at REAL NOT NULL, UNIQUE (owner, job)
);
CREATE INDEX jobs_free ON jobs (free_at)
"""
_KEYS = "CREATE TABLE keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) WITHOUT ROWID"

# Columns are named: a newer version of this software may have added some.
_ADD = (
    "INSERT INTO entries (owner, seq, call, uid, kind, at, blob) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
_ID = "(SELECT id FROM owners WHERE owner = :owner)"
_RENEW = f"""
UPDATE jobs SET free_at = :until WHERE owner = {_ID} AND job = :job AND worker = :worker AND free_at > :now
RETURNING job, kind, :owner, call, attempts
"""  # noqa: S608 -- _ID is a constant
_TAKE = """
UPDATE jobs SET free_at = :until, worker = :worker, attempts = attempts + 1 WHERE id = (
    SELECT id FROM jobs WHERE free_at <= :now AND {which} ORDER BY free_at, id LIMIT 1
) RETURNING job, kind, (SELECT owner FROM owners WHERE owners.id = jobs.owner), call, attempts
"""


class SqliteStore:
    """A store in one file.

    Args:
        path: the database file.
        read_only: open it without writing; every write raises `StoreUnavailable`.
        now: Unix seconds, for leases.
    """

    def __init__(self, path: Path, *, read_only: bool = False, now: Callable[[], float] = time.time) -> None:
        self._file = SqliteFile(path, [_RECORDS], read_only=read_only)
        self._now = now

    async def open(self) -> None:
        """Open and migrate the file now; see `SqliteFile.open`."""
        await self._file.open()

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        def work(db: sqlite3.Connection) -> int:
            row, seq = _writable(db, owner)
            db.executemany(
                "DELETE FROM entries WHERE owner = ? AND call = ? AND uid = ?",
                [(row, call, uid) for uid in instead_of],
            )
            for new in entries:
                values = (row, seq + 1, call, new.uid, new.kind, new.at, new.blob)
                added = db.execute(_ADD, values)
                seq += added.rowcount
            db.execute("UPDATE owners SET seq = ? WHERE id = ?", (seq, row))
            return seq

        last = await self._file.write(work)
        if instead_of:
            await self._file.scrub()
        return last

    async def read(self, owner: str, *, call: str | None = None, after: int = 0) -> list[Entry]:
        query = f"SELECT seq, call, uid, kind, at, blob FROM entries WHERE owner = {_ID} AND seq > :after"  # noqa: S608
        if call is not None:
            query += " AND call = :call"
        query += " ORDER BY seq"
        values = {"owner": owner, "after": after, "call": call}
        return await self._file.read(lambda db: [Entry(*row) for row in db.execute(query, values)])

    async def put(self, owner: str, docs: Sequence[PutDoc], *, jobs: Sequence[Job] = ()) -> None:
        def work(db: sqlite3.Connection) -> None:
            row, _ = _writable(db, owner)
            for doc in docs:
                if doc.expected:
                    done = db.execute(
                        "UPDATE docs SET version = version + 1, blob = ?"
                        " WHERE owner = ? AND kind = ? AND name = ? AND version = ?",
                        (doc.blob, row, doc.kind, doc.name, doc.expected),
                    )
                else:
                    done = db.execute(
                        "INSERT INTO docs (owner, kind, name, version, blob) VALUES (?, ?, ?, 1, ?)"
                        " ON CONFLICT DO NOTHING",
                        (row, doc.kind, doc.name, doc.blob),
                    )
                if done.rowcount != 1:
                    raise VersionConflict(f"{doc.kind}/{doc.name}: not at version {doc.expected}")
            now = self._now()
            db.executemany(
                "INSERT INTO jobs (owner, job, kind, call, free_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                [(row, job.id, job.kind, job.call, now) for job in jobs],
            )

        await self._file.write(work)

    async def load(self, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()) -> list[Doc]:
        query = (
            "SELECT kind, name, version, blob FROM docs WHERE owner = (SELECT id FROM owners WHERE owner = ?)"
        )
        if kinds:
            query += f" AND kind IN ({','.join('?' * len(kinds))})"
        if names:
            query += f" AND name IN ({','.join('?' * len(names))})"
        values = (owner, *kinds, *names)
        return await self._file.read(lambda db: [Doc(*row) for row in db.execute(query, values)])

    async def drop(self, owner: str, call: str, *, keep: Sequence[str] = ()) -> int:
        values = {"owner": owner, "call": call} | {f"kind{n}": kind for n, kind in enumerate(keep)}
        others = f" AND kind NOT IN ({','.join(f':kind{n}' for n in range(len(keep)))})"

        def work(db: sqlite3.Connection) -> int:
            # Only constants and names of parameters stand in the statements.
            return sum(
                db.execute(f"DELETE FROM {table} WHERE owner = {_ID} AND {which}", values).rowcount  # noqa: S608
                for table, which in (
                    ("entries", "call = :call"),
                    ("docs", "name = :call" + others),
                    ("jobs", "call = :call" + others),
                )
            )

        removed = await self._file.write(work)
        await self._file.scrub()
        return removed

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        now = self._now()
        values: dict[str, str | float] = {"now": now, "until": now + lease, "worker": worker}
        which = "1"
        if job is not None:
            values |= {"owner": job.owner, "job": job.id}
            which = f"owner = {_ID} AND job = :job"
        elif kinds:
            values |= {f"kind{n}": kind for n, kind in enumerate(kinds)}
            which = f"kind IN ({','.join(f':kind{n}' for n in range(len(kinds)))})"

        def work(db: sqlite3.Connection) -> Job | None:
            row = db.execute(_RENEW, values).fetchone() if job is not None else None
            row = row or db.execute(_TAKE.format(which=which), values).fetchone()
            return None if row is None else Job(*row)

        return await self._file.write(work)

    async def finish(self, worker: str, job: Job) -> bool:
        values = {"owner": job.owner, "job": job.id, "worker": worker, "now": self._now()}
        query = f"DELETE FROM jobs WHERE owner = {_ID} AND job = :job AND worker = :worker AND free_at > :now"  # noqa: S608
        return await self._file.write(lambda db: db.execute(query, values).rowcount == 1)

    async def erase(self, owner: str) -> Erasure:
        def work(db: sqlite3.Connection) -> Erasure:
            db.execute("INSERT INTO tombstones (owner) VALUES (?) ON CONFLICT DO NOTHING", (owner,))
            counts = [
                db.execute(f"DELETE FROM {table} WHERE owner = {_ID}", {"owner": owner}).rowcount  # noqa: S608
                for table in ("entries", "docs", "jobs")
            ]
            db.execute("DELETE FROM owners WHERE owner = ?", (owner,))
            return Erasure(*counts)

        erasure = await self._file.write(work)
        await self._file.scrub()
        return erasure

    async def aclose(self) -> None:
        await self._file.aclose()


class SqliteKeyStore:
    """Keys in a file of their own, without a WAL: a destroyed key is in no file once it is gone."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._file = SqliteFile(path, [_KEYS], journal="delete", read_only=read_only)

    async def open(self) -> None:
        """Open the file now; see `SqliteFile.open`."""
        await self._file.open()

    async def get(self, name: str) -> bytes | None:
        def work(db: sqlite3.Connection) -> bytes | None:
            row = db.execute("SELECT key FROM keys WHERE name = ?", (name,)).fetchone()
            return None if row is None else row[0]

        return await self._file.read(work)

    async def add(self, name: str, key: bytes) -> bytes:
        def work(db: sqlite3.Connection) -> bytes:
            db.execute("INSERT INTO keys (name, key) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, key))
            return db.execute("SELECT key FROM keys WHERE name = ?", (name,)).fetchone()[0]

        return await self._file.write(work)

    async def replace(self, name: str, old: bytes, new: bytes) -> bool:
        query = "UPDATE keys SET key = ? WHERE name = ? AND key = ?"
        return await self._file.write(lambda db: db.execute(query, (new, name, old)).rowcount == 1)

    async def destroy(self, name: str, key: bytes) -> bool:
        query = "DELETE FROM keys WHERE name = ? AND key = ?"
        return await self._file.write(lambda db: db.execute(query, (name, key)).rowcount == 1)

    async def aclose(self) -> None:
        await self._file.aclose()


def _writable(db: sqlite3.Connection, owner: str) -> tuple[int, int]:
    """The owner's row (id, seq), made if it is not there."""
    if db.execute("SELECT 1 FROM tombstones WHERE owner = ?", (owner,)).fetchone():
        raise Erased("this caller was erased")
    db.execute("INSERT INTO owners (owner) VALUES (?) ON CONFLICT DO NOTHING", (owner,))
    row, seq = db.execute("SELECT id, seq FROM owners WHERE owner = ?", (owner,)).fetchone()
    return row, seq
