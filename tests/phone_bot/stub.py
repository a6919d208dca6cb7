"""A model's server on loopback that streams one sentence, or refuses the key."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SENTENCE = "This comes from the server."


@contextmanager
def model(*, refuse: bool = False) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """Its base URL, and the requests it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append(body)
            if refuse:
                self._send(401, "application/json", json.dumps({"error": {"message": "bad key"}}))
            elif body.get("stream"):
                chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
                delta = {"index": 0, "delta": {"role": "assistant", "content": SENTENCE}}
                last = {"index": 0, "delta": {}, "finish_reason": "stop"}
                parts = [chunk | {"choices": [choice]} for choice in (delta, last)]
                events = [*(f"data: {json.dumps(part)}\n\n" for part in parts), "data: [DONE]\n\n"]
                self._send(200, "text/event-stream", "".join(events))
            else:
                message = {"role": "assistant", "content": '{"facts": []}'}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "stub"}
                self._send(200, "application/json", json.dumps(whole | {"choices": [choice]}))

        def _send(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", got
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
