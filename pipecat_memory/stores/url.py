"""From a store's URL to an open store and its key store.

    memory://                                     this process only
    sqlite:///calls.db    sqlite:////var/calls.db    a file; three slashes relative, four absolute
    redis://host:6379/0   rediss://...            one server, TLS with the double s
    redis+sentinel://h1:26379,h2:26379/name/0     the master that the sentinels name
    redis+cluster://h1:7000,h2:7000               a cluster

Options: `?mode=ro` (SQLite); `?keys=URL` keeps the data keys in another store of any kind;
`?prefix=pm` (Redis) starts every key; `?ttl=SECONDS` (Redis) lets an unheard caller's records go;
whatever else a Redis URL carries is given to the Redis client. Percent-encode what stands in `keys=`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Protocol
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ..errors import StoreUnavailable, UsedWrongly
from .base import KeyStore, Store
from .keys import Encryption
from .memory import MemoryKeyStore, MemoryStore
from .sqlite import SqliteKeyStore, SqliteStore
from .vault import Vault

REDIS = ("redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster")
_FORMS = "memory://, sqlite:///calls.db, sqlite:////var/calls.db or redis://host:6379/0"


class _Store(Store, Protocol):
    async def open(self) -> None: ...


class _KeyStore(KeyStore, Protocol):
    async def open(self) -> None: ...


async def open_store(url: str, *, command_timeout: float = 2.0) -> tuple[Store, KeyStore]:
    """Open what a URL names.

    Args:
        url: see the module.
        command_timeout: seconds one command of a remote store may take.

    Raises:
        UsedWrongly: the URL or one of its options makes no sense, or an extra is not installed.
        StoreUnavailable: a file can't be opened, or its keys are not there. A Redis server that is down is
            a warning only: calls go on without memory until it is back.
        StoreCorrupt: the file is not a database.
    """
    parts, options = _split(url)
    keys_url = options.pop("keys", None)
    # Both are made before either is opened: a wrong option leaves no file behind.
    store = _records(parts, options, command_timeout)
    keys = _keys(keys_url or url, command_timeout)
    match files_of(url):
        case [records, key_file] if not key_file.exists() and records.exists() and records.stat().st_size:
            # Another program's database fails here, and is named as such.
            await _opened(store)
            await store.aclose()
            # New keys would open no old record, and nobody would be known any more.
            raise StoreUnavailable(
                f"{key_file}: no such file, and without it nothing in {records.name} can be read; "
                f"restore it, or move {records.name} away to begin anew"
            )
        case _:
            pass
    # Keys first: whoever is killed in between leaves no records without them. Where both are on one
    # server, opening the records looks at it.
    if keys_url is not None or isinstance(keys, SqliteKeyStore):
        await _opened(keys)
    try:
        await _opened(store)
    except BaseException:
        await keys.aclose()
        raise
    return store, keys


async def open_vault(url: str, encryption: Encryption = None, *, command_timeout: float = 2.0) -> Vault:
    """Open what a URL names, with the store's own key; raises as `open_store` and `Vault.open`."""
    vault = Vault(*await open_store(url, command_timeout=command_timeout), encryption)
    try:
        await vault.open()
    except BaseException:
        await vault.aclose()
        raise
    return vault


def files_of(url: str) -> list[Path]:
    """The files that a store's URL names: of the records, of the keys. None for what lies on a server.

    Raises:
        UsedWrongly: the URL makes no sense.
    """
    parts, options = _split(url)
    keys, _ = _split(options.get("keys", url))
    records = [_path(parts)] if parts.scheme == "sqlite" else []
    return records + ([_keys_path(keys)] if keys.scheme == "sqlite" else [])


def must_be_there(url: str) -> None:
    """Who only looks into a store makes none: a mistyped path must not answer that nothing is remembered.

    Raises:
        UsedWrongly: the URL makes no sense here.
        StoreUnavailable: a file of it is not there; says which, and what a URL looks like.
    """
    if _split(url)[0].scheme == "memory":
        raise UsedWrongly("memory:// begins empty in every process; name a store that is kept")
    for path in files_of(url):
        if not path.exists():
            raise StoreUnavailable(
                f"{path}: no such file; check the store's URL (sqlite:///calls.db is a file in this folder, "
                "sqlite:////var/calls.db an absolute one), and that its .keys file lies beside it"
            )


def _records(parts: SplitResult, options: dict[str, str], seconds: float) -> _Store:
    if parts.scheme == "memory":
        _no_more(options)
        return MemoryStore()
    if parts.scheme == "sqlite":
        read_only = _read_only(options)
        _no_more(options)
        return SqliteStore(_path(parts), read_only=read_only)
    from .redis import RedisStore
    from .redis_server import redis_server

    prefix, ttl = options.pop("prefix", "pm"), options.pop("ttl", None)
    if ttl is not None and not (ttl.isdecimal() and int(ttl)):
        raise UsedWrongly("ttl= is whole seconds, such as ttl=31536000 for a year")
    return RedisStore(redis_server(parts, options, seconds), prefix=prefix, ttl=int(ttl) if ttl else None)


def _keys(url: str, seconds: float) -> _KeyStore:
    parts, options = _split(url)
    options.pop("keys", None)
    if parts.scheme == "memory":
        _no_more(options)
        return MemoryKeyStore()
    if parts.scheme == "sqlite":
        read_only = _read_only(options)
        _no_more(options)
        return SqliteKeyStore(_keys_path(parts), read_only=read_only)
    from .redis import RedisKeyStore
    from .redis_server import redis_server

    prefix, _ = options.pop("prefix", "pm"), options.pop("ttl", None)
    return RedisKeyStore(redis_server(parts, options, seconds), prefix=prefix)


async def _opened(store: _Store | _KeyStore) -> None:
    try:
        await store.open()
    except BaseException:
        await store.aclose()
        raise


def _split(url: str) -> tuple[SplitResult, dict[str, str]]:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise UsedWrongly(f"a store's URL looks like {_FORMS}; this is no URL") from None
    if parts.scheme not in ("memory", "sqlite", *REDIS):
        raise UsedWrongly(f"a store's URL looks like {_FORMS}; {parts.scheme or 'no scheme'!r} is not known")
    if parts.scheme in REDIS and find_spec("redis") is None:
        raise UsedWrongly("a Redis store needs its client: pip install 'pipecat-memory[redis]'")
    return parts, dict(parse_qsl(parts.query, keep_blank_values=True))


def _path(parts: SplitResult) -> Path:
    if parts.netloc:
        raise UsedWrongly("sqlite:// takes three slashes for a relative file, four for an absolute one")
    path = unquote(parts.path[1:])
    if not path:
        raise UsedWrongly("name the file: sqlite:///calls.db; for no file at all use memory://")
    return Path(path)


def _keys_path(parts: SplitResult) -> Path:
    path = _path(parts)
    return path.with_name(path.name + ".keys")


def _read_only(options: dict[str, str]) -> bool:
    mode = options.pop("mode", "rw")
    if mode not in ("ro", "rw"):
        raise UsedWrongly("mode= is ro or rw")
    return mode == "ro"


def _no_more(options: dict[str, str]) -> None:
    if options:
        raise UsedWrongly(f"unknown option in the store's URL: {', '.join(sorted(options))}")
