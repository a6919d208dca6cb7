"""Text to speech by Piper, in a process of its own.

Piper is GPL; the bot isn't. So it is run, never imported: lines of text go to its standard input,
it writes a WAV file a line into a folder of ours and says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import wave
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import numpy as np
import soxr

from .parts import find

SECONDS = 20.0
"""Longest one sentence may take to synthesise. One of 3 s takes 0.2 s on one core."""


class Piper:
    """One voice.

    Args:
        pace: length of sounds; above 1 speaks slower.
        pitch: above 1 speaks higher; together they make the caller another person than the bot.
    """

    def __init__(self, *, pace: float = 1.0, pitch: float = 1.0) -> None:
        self._pace = pace * pitch
        self._pitch = pitch
        self._process: Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._turn = asyncio.Lock()

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
            try:
                path = await asyncio.wait_for(self._synthesise(line), SECONDS)
            except BaseException:
                # An answer that nobody waited for must not be taken for the next sentence's.
                await self.close()
                raise
        pcm = await asyncio.to_thread(self._read, path, rate)
        path.unlink(missing_ok=True)
        return pcm

    async def close(self) -> None:
        """Stop the process. The next sentence starts a new one."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if process is not None and process.stdin is not None:
            process.stdin.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def _synthesise(self, line: str) -> Path:
        process = self._process or await self._start()
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(line.encode() + b"\n")
        await process.stdin.drain()
        while said := await process.stderr.readline():
            _, found, path = said.decode(errors="replace").partition("Wrote ")
            if found:
                return Path(path.strip())
        raise OSError("piper stopped")

    async def _start(self) -> Process:
        self._folder = tempfile.TemporaryDirectory(prefix="voice-")
        options = ["-m", str(find().voice), "--length-scale", f"{self._pace:.3f}", "-d", self._folder.name]
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-m", "piper", *options, stdin=PIPE, stdout=DEVNULL, stderr=PIPE
        )
        return self._process

    def _read(self, path: Path, rate: int) -> bytes:
        with wave.open(str(path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
            source = file.getframerate() * self._pitch
        sound = soxr.resample(samples.astype(np.float32), source, rate)
        return np.clip(sound, -32768, 32767).astype(np.int16).tobytes()
