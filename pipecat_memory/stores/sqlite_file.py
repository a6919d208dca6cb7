"""One SQLite file, off the event loop: a writer thread, a reader thread, and what failures mean.

Durability: WAL with `synchronous=FULL`, so a commit is on disk (fsync of the WAL) when it returns;
a killed process and a power cut lose nothing that was acknowledged. Deleted bytes are overwritten
(`secure_delete`), and `scrub` empties the WAL as well.
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar

from ..errors import StoreCorrupt, StoreError, StoreUnavailable

BUSY_SECONDS = 5.0
"""Longest a command waits for another process that is writing. A write here takes milliseconds."""

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM: "no permission; check the owner of the file and its folder",
    sqlite3.SQLITE_BUSY: "locked by another process for too long; is one stopped inside a write?",
    sqlite3.SQLITE_LOCKED: "locked for too long",
    sqlite3.SQLITE_READONLY: "read-only; make the file and its folder writable, or drop mode=ro",
    sqlite3.SQLITE_IOERR: "the disk gave an error or a file size limit was reached",
    sqlite3.SQLITE_FULL: "the disk is full; free some space, nothing was half written",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; does its folder exist and is it writable?",
    sqlite3.SQLITE_PROTOCOL: "locking failed; keep it on a local disk, not on a network share",
}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_TABLES = re.compile(r"CREATE TABLE (\w+)")

T = TypeVar("T")


class SqliteFile:
    """A database file with its two threads.

    Args:
        path: the file; made, readable by its owner only, if it is not there.
        migrations: SQL scripts, oldest first; script n takes the file from version n to n + 1.
            They only ever add, so that an older version of this software goes on reading.
        journal: `wal`, or `delete` where no copy of a deleted row may outlive its commit.
        read_only: open it without writing anything.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str],
        *,
        journal: Literal["wal", "delete"] = "wal",
        read_only: bool = False,
    ) -> None:
        self.path = path
        self._migrations = migrations
        self._journal = journal
        self._read_only = read_only
        self._writer = ThreadPoolExecutor(1, "memory-write")
        self._reader = ThreadPoolExecutor(1, "memory-read")
        self._write_db: sqlite3.Connection | None = None
        self._read_db: sqlite3.Connection | None = None
        self._closed = False

    async def open(self) -> None:
        """Open and migrate now, so that a bad path fails at the start.

        Raises:
            StoreUnavailable: can't be opened. StoreCorrupt: not a database.
        """
        await self.write(lambda db: None)

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one transaction on the writer thread: all of it or nothing.

        Cancelling the caller leaves the transaction to end by itself, whole.
        """
        return await self._run(self._writer, self._write_now, work)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the reader thread; it sees committed data and never waits for a writer."""
        if self._write_db is None:
            await self.open()
        return await self._run(self._reader, self._read_now, work)

    async def scrub(self) -> None:
        """Empty the WAL, so that deleted rows are in no file of ours any more."""
        await self._run(self._writer, lambda work: self._failing(work), self._checkpoint)

    async def aclose(self) -> None:
        """Close both connections and stop the threads. Idempotent."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._close)

    async def _run(
        self,
        thread: ThreadPoolExecutor,
        call: Callable[[Callable[[sqlite3.Connection], T]], T],
        work: Callable[[sqlite3.Connection], T],
    ) -> T:
        if self._closed:
            raise StoreUnavailable(f"{self.path.name}: closed")
        return await asyncio.get_running_loop().run_in_executor(thread, call, work)

    def _write_now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self._failing(lambda db: _in_transaction(db, work, read_only=self._read_only))

    def _read_now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._clear_errors():
            if self._read_db is None:
                self._read_db = self._connect()
            return work(self._read_db)

    def _failing(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._clear_errors():
            if self._write_db is None:
                self._write_db = self._prepared()
            return work(self._write_db)

    def _connect(self) -> sqlite3.Connection:
        if not self._read_only:
            # Before SQLite makes it: its WAL and index files copy the mode of the file. EXCL, because
            # to open and close a file that is there drops every lock this process holds on it.
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        uri = f"{self.path.absolute().as_uri()}?mode={'ro' if self._read_only else 'rw'}"
        db = sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        return db

    def _prepared(self) -> sqlite3.Connection:
        db = self._connect()
        try:
            # In one transaction: another process may be making the tables now.
            _in_transaction(db, self._check_ours, read_only=True)
            if not self._read_only:
                _set_journal(db, self._journal)
                _in_transaction(db, self._migrate, read_only=False)
            elif not db.execute("PRAGMA user_version").fetchone()[0]:
                raise StoreUnavailable(f"{self.path.name}: holds nothing yet; open it once without mode=ro")
        except BaseException:
            db.close()
            raise
        return db

    def _check_ours(self, db: sqlite3.Connection) -> None:
        """Another program's database has tables, and no version or its own; it is left as it is."""
        ours = _TABLES.findall(self._migrations[0])
        held = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if not held.issuperset(ours) if version else held:
            raise StoreCorrupt(f"{self.path.name}: a database, but not of this memory; name another file")

    def _migrate(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        # A newer file is used as it is: migrations only add, and its version stays.
        for number, script in enumerate(self._migrations[version:], start=version + 1):
            for statement in script.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number:d}")

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        until = time.monotonic() + BUSY_SECONDS
        while True:
            (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy or time.monotonic() > until:
                return
            time.sleep(0.01)

    def _close(self) -> None:
        for thread, name in ((self._reader, "_read_db"), (self._writer, "_write_db")):
            thread.shutdown(wait=True)
            db: sqlite3.Connection | None = getattr(self, name)
            if db is not None:
                db.close()

    @contextmanager
    def _clear_errors(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            found = self._meaning(error)
            if found is None:
                raise
            raise found from error
        except OSError as error:
            raise StoreUnavailable(f"{self.path.name}: {error.strerror}; check its folder") from error

    def _meaning(self, error: sqlite3.Error) -> StoreError | None:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _CORRUPT:
            return StoreCorrupt(
                f"{self.path.name}: not a whole database; keep it aside and restore a copy, or recover it "
                "with the sqlite3 shell's .recover"
            )
        if code == sqlite3.SQLITE_ERROR:
            return StoreCorrupt(
                f"{self.path.name}: its tables are not those of this memory; is it another program's?"
            )
        if code in _UNAVAILABLE:
            return StoreUnavailable(f"{self.path.name}: {_UNAVAILABLE[code]}")
        return None


def _in_transaction(db: sqlite3.Connection, work: Callable[[sqlite3.Connection], T], *, read_only: bool) -> T:
    # IMMEDIATE: a transaction that starts by reading and then writes can't be made to wait.
    db.execute("BEGIN" if read_only else "BEGIN IMMEDIATE")
    try:
        result = work(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return result


def _set_journal(db: sqlite3.Connection, journal: str) -> None:
    # Two processes that open a new file at once collide here, and SQLite doesn't wait for this lock.
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute(f"PRAGMA journal_mode = {journal}").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
