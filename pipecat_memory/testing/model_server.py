"""A stub of an OpenAI-compatible endpoint: real HTTP on the loopback interface, scripted answers, faults."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Fault = Literal["", "hang", "slow", "drop", "html", "endless", "packed"]

ENDLESS = b" " * 65_536
PACKED = 20_000_000
"""Bytes that `packed` unpacks to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One answer of the stub.

    Args:
        text: content of the message; None is sent as null.
        finish: `finish_reason`.
        status: HTTP status; from 400 on an error body goes out with `text` as its message.
        fault: `hang` never answers, `slow` answers after `seconds`, `drop` cuts the connection,
            `html` answers 200 with a page, `endless` sends until the client goes away, `packed` sends
            20 kB that unpack to a thousand times as much; both with `status`.
        seconds: of `slow`.
        cached: tokens reported as read from the provider's cache.
        rows: vectors to answer texts with; None makes one a text, see `hashed`.
    """

    text: str | None = ""
    finish: str = "stop"
    status: int = 200
    fault: Fault = ""
    seconds: float = 0.0
    cached: int = 0
    usage: bool = True
    rows: Sequence[Sequence[float]] | None = None


WIDTH = 64
"""Numbers in a vector that the stub makes, unless it is told another width."""


def hashed(text: str, width: int = WIDTH) -> list[float]:
    """A vector for a text: its words, hashed into `width` places. Equal texts have equal vectors."""
    row = [0.0] * width
    for word in text.lower().split():
        row[zlib.crc32(word.encode()) % width] += 1.0
    return row


Decide = Callable[[dict[str, Any]], Served]


@dataclass(slots=True)
class ModelServer:
    """Answers `/v1/chat/completions` and `/v1/embeddings` from a script, then with `otherwise`.

    Example::

        with ModelServer(script=[Served(text='{"facts":[]}')]) as server:
            model = OpenAIModel("stub", base_url=server.url)
    """

    script: list[Served] = field(default_factory=list[Served])
    otherwise: Served | Decide = field(default_factory=Served)
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Bodies of chat requests received, in order."""
    answers: list[str] = field(default_factory=list[str])
    """What they were answered with, in the order it was sent."""
    embedded: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Bodies of embedding requests received, in order."""
    width: int = WIDTH
    """Numbers in each vector it makes."""
    keys: list[str] = field(default_factory=list[str])
    most_open: int = 0
    """Most requests that were open at once."""
    _open: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _http: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL for clients."""
        assert self._http is not None, "start it with `with`"
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one packet, at once: else each answer waits for the peer's delayed ACK.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                server.serve(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: requests hold what callers said."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        assert self._http is not None
        assert self._thread is not None
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request, in its own thread."""
        body = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length", 0))))
        with self._lock:
            (self.requests if "messages" in body else self.embedded).append(body)
            self.keys.append(handler.headers.get("Authorization", ""))
            self._open += 1
            self.most_open = max(self.most_open, self._open)
            served = self.script.pop(0) if self.script else self.otherwise
        try:
            self._answer(handler, served if isinstance(served, Served) else served(body), body)
        except OSError:
            pass  # the client went away, which is what deadlines make clients do
        finally:
            with self._lock:
                self._open -= 1

    def _answer(self, handler: BaseHTTPRequestHandler, served: Served, body: dict[str, Any]) -> None:
        if served.fault in ("hang", "slow"):
            self._over.wait(None if served.fault == "hang" else served.seconds)
        if served.fault in ("hang", "drop") or self._over.is_set():
            handler.close_connection = True
            return
        if served.fault == "endless":
            _start(handler, served.status, {"Connection": "close"})
            while not self._over.is_set():
                handler.wfile.write(ENDLESS)
        elif served.fault == "packed":
            _send(handler, served.status, _packed(), "application/json", {"Content-Encoding": "gzip"})
        elif served.fault == "html":
            _send(handler, 200, b"<html>all is well</html>", "text/html")
        elif served.status >= 400:
            error = {"error": {"message": served.text, "type": "stub", "code": served.status}}
            _send(handler, served.status, json.dumps(error).encode(), "application/json")
        elif "messages" in body:
            with self._lock:
                self.answers.append(served.text or "")
            _send(handler, 200, json.dumps(_completion(served, body)).encode(), "application/json")
        else:
            rows = (
                [hashed(text, self.width) for text in body["input"]] if served.rows is None else served.rows
            )
            _send(handler, 200, json.dumps(_embeddings(rows, body)).encode(), "application/json")


def _embeddings(rows: Sequence[Sequence[float]], body: dict[str, Any]) -> dict[str, Any]:
    # Last first: clients have to go by the index.
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "model": body["model"], "data": data[::-1], "usage": usage}


def _completion(served: Served, body: dict[str, Any]) -> dict[str, Any]:
    sent = sum(len(message["content"]) for message in body["messages"]) // 4
    got = len(served.text or "") // 4
    return {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": served.finish,
                "message": {"role": "assistant", "content": served.text},
            }
        ],
    } | (
        {
            "usage": {
                "prompt_tokens": sent,
                "completion_tokens": got,
                "total_tokens": sent + got,
                "prompt_tokens_details": {"cached_tokens": served.cached},
            }
        }
        if served.usage
        else {}
    )


def _send(
    handler: BaseHTTPRequestHandler, status: int, payload: bytes, kind: str, more: Mapping[str, str] = {}
) -> None:
    _start(handler, status, {"Content-Type": kind, "Content-Length": str(len(payload)), **more})
    handler.wfile.write(payload)


def _start(handler: BaseHTTPRequestHandler, status: int, headers: Mapping[str, str]) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()


@cache
def _packed() -> bytes:
    return gzip.compress(b" " * PACKED)
