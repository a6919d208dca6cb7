"""A telephone line in Twilio's wire format, for the demo and the tests: the caller's end.

Sends mu-law audio in 20 ms frames as time goes by, plays what comes back as time goes by, answers marks
when their audio has been played, and drops what a `clear` takes back.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import websockets
from numpy.typing import NDArray

RATE = 8000
FRAME = 160
"""Samples in 20 ms: what Twilio sends in one message."""
SILENCE = b"\xff" * FRAME


@dataclass(slots=True)
class Played:
    """A piece of the bot's audio: when it starts at the caller's ear, and its samples."""

    start: float
    samples: bytes


class Line:
    """One call. `await Line.dial(...)`, then `say`, `listened`, `hang_up`."""

    def __init__(
        self, socket: websockets.ClientConnection, sid: str, silence: Callable[[int], bytes | None]
    ) -> None:
        self._silence = silence
        self._socket = socket
        self._sid = sid
        self._to_say: deque[bytes] = deque()
        self._said = asyncio.Event()
        self._said.set()
        self._played: list[Played] = []
        self._end = 0.0
        self._marks: list[tuple[float, str]] = []
        self.clears = 0
        self.speech_starts: list[float] = []
        """When the bot's first sound after a silence was heard, monotonic seconds."""
        self._tasks = [asyncio.create_task(work()) for work in (self._send, self._receive)]

    @classmethod
    async def dial(
        cls,
        url: str,
        number: str | None,
        sid: str,
        *,
        silence: Callable[[int], bytes | None] = lambda _: None,
    ) -> Line:
        """Call the bot.

        Args:
            url: its websocket.
            number: the caller's; None withholds it.
            sid: the call's id.
            silence: what the line carries while nobody speaks, as mu-law samples; None is silence.
        """
        socket = await websockets.connect(url, compression=None)
        stream = f"MZ{sid}"
        parameters = {"from_number": number} if number else {"from_number": "anonymous"}
        await socket.send(json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}))
        start = {
            "streamSid": stream,
            "callSid": sid,
            "accountSid": "AC0",
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE, "channels": 1},
            "customParameters": parameters,
        }
        await socket.send(
            json.dumps({"event": "start", "sequenceNumber": "1", "streamSid": stream, "start": start})
        )
        return cls(socket, stream, silence)

    async def say(self, clip: bytes, *, until: float | None = None) -> None:
        """Speak mu-law audio, to its end or for `until` seconds; returns when the last frame is sent."""
        samples = clip if until is None else clip[: int(until * RATE)]
        frames = [samples[at : at + FRAME].ljust(FRAME, b"\xff") for at in range(0, len(samples), FRAME)]
        self._said.clear()
        self._to_say.extend(frames)
        await self._said.wait()

    @property
    def bot_speaking(self) -> bool:
        """Whether the bot's audio is being played now."""
        return time.monotonic() < self._end

    async def bot_starts(self, after: float, wait: float) -> bool:
        """Wait until the bot's sound has started later than `after`; False after `wait` seconds."""
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline:
            if self.speech_starts and self.speech_starts[-1] > after:
                return True
            await asyncio.sleep(0.02)
        return False

    async def listened(self, after: float, *, wait: float = 15.0, pause: float = 0.35) -> bool:
        """Listen until the bot has spoken (later than `after`) and has been quiet for `pause` seconds."""
        if not await self.bot_starts(after, wait):
            return False
        deadline = time.monotonic() + wait + 20
        # More audio moves the end, and nothing tells: so look again when it was due.
        while (left := min(deadline, self._end + pause) - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)
        return True

    def heard(self, after: float = 0.0) -> NDArray[np.int16]:
        """What the caller has heard of the bot since `after`, as 16-bit samples at 8 kHz."""
        now = time.monotonic()
        pieces = [p.samples for p in self._played if after <= p.start <= now]
        return from_mulaw(b"".join(pieces))

    @property
    def greeting(self) -> NDArray[np.int16]:
        """The bot's first utterance, as the caller heard it."""
        until = self.speech_starts[1] if len(self.speech_starts) > 1 else float("inf")
        return from_mulaw(b"".join(p.samples for p in self._played if p.start < until))

    async def hang_up(self) -> None:
        """Hang up: nothing is said any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._socket.state is websockets.State.OPEN:
            await self._socket.send(json.dumps({"event": "stop", "streamSid": self._sid}))
        await self._socket.close()

    async def closed(self, wait: float) -> bool:
        """Whether the other end has hung up within `wait` seconds."""
        done, _ = await asyncio.wait({self._tasks[1]}, timeout=wait)
        return bool(done)

    async def _send(self) -> None:
        next_at, chunk = time.monotonic(), 0
        while True:
            frame = (self._to_say.popleft() if self._to_say else None) or self._silence(FRAME) or SILENCE
            media = {
                "track": "inbound",
                "chunk": str(chunk),
                "timestamp": str(chunk * 20),
                "payload": base64.b64encode(frame).decode(),
            }
            await self._socket.send(json.dumps({"event": "media", "streamSid": self._sid, "media": media}))
            chunk += 1
            if not self._to_say:
                self._said.set()
            next_at += FRAME / RATE
            await asyncio.sleep(max(0.0, next_at - time.monotonic()))
            await self._return_marks()

    async def _receive(self) -> None:
        async for raw in self._socket:
            message = json.loads(raw)
            match message.get("event"):
                case "media":
                    self._play(base64.b64decode(message["media"]["payload"]))
                case "mark":
                    self._marks.append((self._end, message["mark"]["name"]))
                case "clear":
                    await self._clear()
                case _:
                    pass

    def _play(self, samples: bytes) -> None:
        now = time.monotonic()
        if now > self._end:
            # 60 ms of jitter are no new utterance.
            if now - self._end > 0.06:
                self.speech_starts.append(now)
            self._end = now
        self._played.append(Played(self._end, samples))
        self._end += len(samples) / RATE

    async def _clear(self) -> None:
        self.clears += 1
        now = time.monotonic()
        self._played = [p for p in self._played if p.start <= now]
        self._end = min(self._end, now)
        # Twilio returns every mark that is still out, at once.
        self._marks = [(0.0, name) for _, name in self._marks]
        await self._return_marks()

    async def _return_marks(self) -> None:
        now = time.monotonic()
        due = [name for at, name in self._marks if at <= now]
        self._marks = [(at, name) for at, name in self._marks if at > now]
        for name in due:
            await self._socket.send(
                json.dumps({"event": "mark", "streamSid": self._sid, "mark": {"name": name}})
            )


def to_mulaw(samples: NDArray[np.int16]) -> bytes:
    """16-bit samples as G.711 mu-law."""
    value = np.clip(samples.astype(np.int32), -32635, 32635)
    sign = np.where(value < 0, 0x80, 0)
    value = np.abs(value) + 132
    exponent = np.floor(np.log2(value)).astype(np.int32) - 7
    mantissa = (value >> (exponent + 3)) & 0x0F
    return (~(sign | (exponent << 4) | mantissa) & 0xFF).astype(np.uint8).tobytes()


def from_mulaw(data: bytes) -> NDArray[np.int16]:
    """G.711 mu-law as 16-bit samples."""
    code = ~np.frombuffer(data, np.uint8) & 0xFF
    exponent, mantissa = (code >> 4) & 7, code & 0x0F
    value = ((mantissa.astype(np.int32) << 3) + 132 << exponent.astype(np.int32)) - 132
    return np.where(code & 0x80, -value, value).astype(np.int16)
