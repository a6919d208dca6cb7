"""The fleet's store on several servers, and behind TLS: a cluster, sentinels, a certificate of our own."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ipaddress
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pipecat_memory.errors import StoreError, StoreUnavailable
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import NewEntry, PutDoc
from pipecat_memory.stores.url import open_store
from pipecat_memory.stores.vault import Vault
from pipecat_memory.testing.redis_process import RedisProcess, free_port, server_binary

PATIENT = 20.0
"""Seconds of a command: sixty callers at once on busy CPUs take longer than a reply would wait."""


def entry(uid: str, blob: bytes = b"x") -> NewEntry:
    return NewEntry(uid, "turn", 0.0, blob)


# A cluster.


async def test_three_nodes_hold_the_contract(tmp_path: Path) -> None:
    nodes: list[RedisProcess] = []
    try:
        await asyncio.to_thread(_cluster, tmp_path, nodes)
        url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        vault = Vault(*await open_store(url, command_timeout=PATIENT))
        scopes = [Scope("acme", f"+1555{n:07d}") for n in range(60)]

        async def call(scope: Scope) -> None:
            box = await vault.box(scope)
            assert box is not None
            for n in range(5):
                await box.append("call", [(str(n), "turn", float(n), scope.caller.encode())])
            await box.put([PutDoc("profile", "main", b"p", 0)], [box.job("settle", "call")])

        await asyncio.gather(*(call(scope) for scope in scopes))
        for scope in scopes:
            box = await vault.box(scope, create=False)
            assert box is not None
            assert [e.blob for e in await box.read()] == [scope.caller.encode()] * 5
        done = 0
        while (job := await vault.claim("w", 60)) is not None:
            assert await vault.finish("w", job)
            done += 1
        assert done == 60
        slots = [await asyncio.to_thread(_keys_of, node) for node in nodes]
        assert all(slots), "every node holds some"
        stats = [await asyncio.to_thread(_ask, node, "INFO", "errorstats") for node in nodes]
        assert b"MOVED" not in b"".join(stats), "every command went to its own node"
        box = await vault.box(scopes[0])
        assert box is not None
        assert (await box.erase()).entries == 5
        await vault.aclose()
    finally:
        for node in nodes:
            node.stop()


def _cluster(folder: Path, nodes: list[RedisProcess]) -> None:
    for n in range(3):
        place = folder / f"node-{n}"
        place.mkdir()
        nodes.append(RedisProcess(place, {"cluster-enabled": "yes"}).start())
    edges = [0, 5461, 10923, 16384]
    for node, first, last in zip(nodes, edges[:-1], edges[1:], strict=True):
        _ask(node, "CLUSTER", "ADDSLOTSRANGE", str(first), str(last - 1))
        _ask(node, "CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port), nodes[0].option("cluster-port"))
    _until(lambda: all(b"cluster_state:ok" in _ask(node, "CLUSTER", "INFO") for node in nodes))


def _keys_of(node: RedisProcess) -> int:
    return int(_ask(node, "DBSIZE").strip(b":\r\n"))


def _ask(node: RedisProcess, *words: str) -> bytes:
    return _say(node.port, *words)


def _say(port: int, *words: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENT) as connection:
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(65_536)


# Sentinels.


async def test_a_master_that_dies_is_replaced_by_the_one_the_sentinel_names(tmp_path: Path) -> None:
    master = RedisProcess(_folder(tmp_path, "master")).start()
    replica = RedisProcess(
        _folder(tmp_path, "replica"),
        {"replicaof": f"127.0.0.1 {master.port}", "repl-diskless-sync-delay": "0"},
    ).start()
    try:
        await asyncio.to_thread(_until, lambda: b"link_status:up" in _ask(replica, "INFO", "replication"))
        with _sentinel(_folder(tmp_path, "sentinel"), master.port) as port:
            url = f"redis+sentinel://127.0.0.1:{port}/calls/0"
            store, keys = await open_store(url, command_timeout=PATIENT)
            await store.append("acme:1", "call", [entry("1", b"before")])
            await asyncio.to_thread(_until, lambda: _ask(master, "WAIT", "1", "1000").startswith(b":1"))
            master.kill()
            written = False
            while not written:  # the circuit refuses meanwhile, and the sentinel needs a moment
                with contextlib.suppress(StoreUnavailable):
                    await store.append("acme:1", "call", [entry("2", b"after")])
                    written = True
                await asyncio.sleep(0.1)
            assert [e.blob for e in await store.read("acme:1")] == [b"before", b"after"]
            assert b"role:master" in _ask(replica, "INFO", "replication")
            await store.aclose()
            await keys.aclose()
    finally:
        master.stop()
        replica.stop()


def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)


@contextmanager
def _sentinel(folder: Path, master: int) -> Generator[int]:
    """A sentinel of the master that has learnt of its replica: before that it could promote nobody."""
    process, port = _watching(folder, master)
    while process.poll() is not None:  # somebody took its port
        process, port = _watching(folder, master)
    try:
        _until(lambda: _knows_a_replica(port))
        yield port
    finally:
        process.kill()
        process.wait()


def _watching(folder: Path, master: int) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    config = folder / "sentinel.conf"
    config.write_text(
        f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor calls 127.0.0.1 {master} 1\n"
        "sentinel down-after-milliseconds calls 1500\nsentinel failover-timeout calls 2000\n"
    )
    process = subprocess.Popen([server_binary(), str(config), "--sentinel"], stdout=subprocess.DEVNULL)
    _until(lambda: process.poll() is not None or _listens(port))
    return process, port


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError):
        return _say(port, "PING").startswith(b"+PONG")
    return False


def _knows_a_replica(sentinel: int) -> bool:
    with contextlib.suppress(OSError):
        return b"num-slaves\r\n$1\r\n1" in _say(sentinel, "SENTINEL", "MASTER", "calls")
    return False


# TLS.


async def test_a_server_behind_tls_is_reached_with_its_certificate_and_not_without(
    redis_server: RedisProcess, tmp_path: Path
) -> None:
    async with _tls_in_front_of(redis_server.port, tmp_path) as (port, certificate):
        url = f"rediss://localhost:{port}/0?prefix=tls"
        store, keys = await open_store(f"{url}&ssl_ca_certs={certificate}", command_timeout=PATIENT)
        await store.append("acme:1", "call", [entry("1", b"sealed")])
        assert [e.blob for e in await store.read("acme:1")] == [b"sealed"]
        await store.aclose()
        await keys.aclose()
        stranger, keys = await open_store(url)
        with pytest.raises(StoreError):
            await stranger.read("acme:1")
        await stranger.aclose()
        await keys.aclose()


@asynccontextmanager
async def _tls_in_front_of(port: int, folder: Path) -> AsyncGenerator[tuple[int, Path]]:
    """The packaged server is built without TLS: this ends it on a socket of its own."""
    key_path, certificate_path = _certificate(folder)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate_path, key_path)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pour(reader, inner_writer), _pour(inner_reader, writer))

    server = await asyncio.start_server(relay, "localhost", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1], certificate_path
    finally:
        server.close()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    key_path, certificate_path = folder / "key.pem", folder / "certificate.pem"
    key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    certificate_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return key_path, certificate_path


def _folder(within: Path, name: str) -> Path:
    (within / name).mkdir()
    return within / name
