"""Text to speech by Piper, in a process of its own.

Piper is GPL; the bot isn't. So it is run, never imported: lines of text go to its standard input,
it writes a WAV file a line into a folder of ours and says so.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import wave
from pathlib import Path
from typing import IO

import numpy as np
import soxr

from .parts import find

SECONDS = 20.0
"""Longest one sentence may take to synthesise. One of 3 s takes 0.2 s on one core."""


class Piper:
    """One voice. Its process starts at once and ends with ours: its input closes then.

    Args:
        pace: length of sounds; above 1 speaks slower.
        pitch: above 1 speaks higher: it makes the caller another person than the bot.
    """

    def __init__(self, *, pace: float = 1.0, pitch: float = 1.0) -> None:
        self._pace = pace * pitch
        self._pitch = pitch
        self._turn = asyncio.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="voice-")
        self._process = self._start()

    async def speak(self, text: str, rate: int) -> bytes:
        """The text as 16-bit mono PCM.

        Args:
            text: what to say.
            rate: samples a second.

        Raises:
            OSError: Piper stopped or did not answer in time.
        """
        line = " ".join(text.split())
        if not line:
            return b""
        async with self._turn:
            work = asyncio.ensure_future(asyncio.to_thread(self._synthesise, line, rate))
            try:
                # Shielded: an answer that nobody waits for must not be taken for the next sentence's.
                return await asyncio.wait_for(asyncio.shield(work), SECONDS)
            except asyncio.CancelledError:
                await asyncio.wait({work}, timeout=SECONDS)
                raise
            except TimeoutError:
                self._process.kill()
                raise OSError("piper did not answer in time") from None

    def close(self) -> None:
        """Stop the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stderr):
            if stream is not None:
                stream.close()
        self._folder.cleanup()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-W", "ignore", "-m", "piper", "-m", str(find().voice)]
        options = ["--length-scale", f"{self._pace:.3f}", "-d", self._folder.name]
        pipe = subprocess.PIPE
        return subprocess.Popen(  # noqa: S603 - our own interpreter and paths
            [*command, *options], stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True, bufsize=1
        )

    def _synthesise(self, line: str, rate: int) -> bytes:
        if self._process.poll() is not None:
            self._process = self._start()
        answers: IO[str] | None = self._process.stderr
        if self._process.stdin is None or answers is None:
            raise OSError("piper has no pipes")
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        for said in answers:
            _, found, name = said.partition("Wrote ")
            if found:
                path = Path(name.strip())
                pcm = self._read(path, rate)
                path.unlink(missing_ok=True)
                return pcm
        raise OSError("piper stopped")

    def _read(self, path: Path, rate: int) -> bytes:
        with wave.open(str(path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
            source = file.getframerate() * self._pitch
        sound = soxr.resample(samples.astype(np.float32), source, rate)
        return np.clip(sound, -32768, 32767).astype(np.int16).tobytes()
