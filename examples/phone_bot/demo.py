"""`make demo`: three calls to the bot over websockets in Twilio's wire format, and what came of them.

The bot runs in a process of its own and hears nothing but the websocket's audio. Exit 1 if any claim
that is printed is not so.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from .demo_checks import Claims, check_first, check_second, check_third
from .demo_script import Script, draw, folded
from .demo_server import Server, serving
from .line import RATE, Line, from_mulaw, to_mulaw
from .services import local_kind
from .voice.local import hear_tones, speak, transcribe
from .voice.piper import Piper

ROOT = Path(__file__).parents[2]
NAMES = 40
"""Names to try; every sixth is spelled by the recogniser as it is written."""


class Demo:
    """One run.

    Args:
        script: what is said.
        server: the bot.
        clips: the caller's audio by label, 16-bit at 8 kHz.
        noise: signal to noise in dB, or None for a clean line.
    """

    def __init__(
        self, script: Script, server: Server, clips: dict[str, NDArray[np.int16]], noise: float | None
    ) -> None:
        self.script = script
        self.server = server
        self.begun = time.monotonic()
        self._clips = clips
        self._noise = _level(np.concatenate(list(clips.values())), noise)
        self._random = np.random.default_rng(0)

    def tell(self, who: str, text: str) -> None:
        """A line of the timeline."""
        print(f"{time.monotonic() - self.begun:6.1f} s  {who:<10} {text}", flush=True)

    async def call(self, number: str, sid: str) -> Line:
        """Dial, and listen to the greeting."""
        self.tell("call", f"rings from {number}")
        line = await Line.dial(self.server.url, number, sid, silence=self._background)
        if not await line.listened(0.0):
            self.tell("call", "no greeting came")
        self._catch_up()
        return line

    async def say(self, line: Line, label: str, *, share: float = 1.0, answer: bool = True) -> None:
        """Speak one clip and listen to the answer."""
        text = self.script.lines[label]
        words = text.split()
        shown = text if share >= 1 else " ".join(words[: int(len(words) * share)]) + " …"
        self.tell("caller", shown)
        clip = self._clips[label]
        clip = clip[: int(len(clip) * share)]
        noisy = clip + self._random.normal(0, self._noise, len(clip)) if self._noise else clip
        await line.say(to_mulaw(np.clip(noisy, -32768, 32767).astype(np.int16)))
        spoken = time.monotonic()
        if answer:
            if not await line.listened(spoken - 0.05):
                self.tell("bot", "(no answer)")
            self._catch_up()

    def end_of(self, sid: str) -> dict[str, Any]:
        """What the bot's trace says of a finished call."""
        self._catch_up()
        return next((row for row in self.server.rows if row["kind"] == "end" and row["call"] == sid), {})

    def _background(self, samples: int) -> bytes | None:
        if not self._noise:
            return None
        return to_mulaw(self._random.normal(0, self._noise, samples).astype(np.int16))

    def _catch_up(self) -> None:
        for row in self.server.news():
            match row["kind"]:
                case "heard":
                    self.tell("heard", row["text"])
                    noted = ", ".join(f"{k} = {v}" for k, v in row["slots"].items())
                    self.tell("remembers", noted or "nothing yet")
                case "told" if "[" in row["text"]:
                    lines = [part for part in row["text"].splitlines() if part.startswith("[")]
                    self.tell("model told", f"{len(row['text'])} characters: " + " | ".join(lines)[:150])
                case "added":
                    self.tell("added", f"{row['ms']:.1f} ms to this reply")
                case "said":
                    self.tell("bot", row["text"])
                case "tool":
                    self.tell("tool", row["name"])
                case _:
                    pass


async def first_call(demo: Demo, sid: str) -> Line:
    """She gives her name, books, corrects the day, interrupts, and hangs up in mid-sentence."""
    line = await demo.call(demo.script.numbers[0], sid)
    await demo.say(line, "name")
    await demo.say(line, "booking")
    await demo.say(line, "correction", answer=False)
    spoken = time.monotonic()
    if await line.bot_starts(spoken - 0.05, 10.0):
        # Tones are three times as fast as speech.
        wait = demo.script.interrupt / (3 if local_kind() == "scripted" else 1)
        await asyncio.sleep(wait)
        demo.tell("caller", f"cuts in {wait:.2f} s into the answer")
    await demo.say(line, "interruption")
    await demo.say(line, "broken off", share=demo.script.cut, answer=False)
    await line.hang_up()
    demo.tell("caller", "hangs up in mid-sentence")
    return line


async def second_call(demo: Demo, sid: str) -> Line:
    """She calls again and goes on where she stopped."""
    line = await demo.call(demo.script.numbers[0], sid)
    await demo.say(line, "yes")
    await demo.say(line, "time")
    await line.hang_up()
    demo.tell("caller", "hangs up")
    return line


async def third_call(demo: Demo, sid: str) -> Line:
    """Somebody else calls."""
    line = await demo.call(demo.script.numbers[1], sid)
    await demo.say(line, "stranger")
    await line.hang_up()
    demo.tell("caller", "hangs up")
    return line


async def run(seed: int, noise: float | None, swap: tuple[str, str] | None) -> int:
    """Make the three calls and check them; returns the exit code."""
    kind = local_kind()
    print(f"seed {seed}   voice: {kind}   " + (f"noise: {noise:g} dB" if noise is not None else "clean line"))
    with tempfile.TemporaryDirectory(prefix="phone-demo-") as folder:
        async with serving(Path(folder)) as server:
            print("the caller's sentences are spoken to files …", flush=True)
            script, clips = await _caller(seed, noise)
            if swap is not None:
                clips[swap[0]], clips[swap[1]] = clips[swap[1]], clips[swap[0]]
            demo = Demo(script, server, clips, noise)
            claims = Claims()
            hear = hear_tones if kind == "scripted" else transcribe
            for number, (make, check) in enumerate(
                ((first_call, check_first), (second_call, check_second), (third_call, check_third)), 1
            ):
                print(f"\n-- call {number} of 3 --", flush=True)
                sid = f"CA{seed}{number}"
                line = await make(demo, sid)
                await server.ended(sid)
                greeting = await asyncio.to_thread(hear, line.greeting.tobytes(), RATE)
                check(claims, script, demo.end_of(sid), server.rows, line, greeting)
            print("\n-- what was claimed --")
            claims.show()
            if claims.failed:
                print(f"\nthe bot's log ends:\n{server.log_tail()}")
            print(f"\n{len(claims.rows) - claims.failed} of {len(claims.rows)} claims hold; ", end="")
            print(
                f"memory added {server.added():.1f} ms at most to a reply; "
                f"{time.monotonic() - demo.begun:.0f} s of calls"
            )
            return 1 if claims.failed else 0


def _carries(audio: NDArray[np.int16], name: str, noise: float | None) -> bool:
    """Whether the recogniser spells the name as it is, however much silence lies around it."""
    for number, (before, behind) in enumerate(((1.0, 0.5), (0.2, 0.4), (0.7, 0.0))):
        lead, tail = np.zeros(int(before * RATE), np.int16), np.zeros(int(behind * RATE), np.int16)
        clip = np.concatenate([lead, audio, tail])
        hiss = np.random.default_rng(number).normal(0, max(1.0, _level(audio, noise)), len(clip))
        line = from_mulaw(to_mulaw(np.clip(clip + hiss, -32768, 32767).astype(np.int16)))
        heard = folded(transcribe(line.tobytes(), RATE))
        if not heard or heard[-1] != name.lower():
            return False
    return True


def _level(clip: NDArray[np.int16], noise: float | None) -> float:
    """The hiss, as standard deviation of samples, that lies `noise` dB under a clip."""
    return (
        0.0 if noise is None else float(np.sqrt(np.mean(clip.astype(np.float64) ** 2))) / 10 ** (noise / 20)
    )


async def _caller(seed: int, noise: float | None) -> tuple[Script, dict[str, NDArray[np.int16]]]:
    """The caller and her audio: higher than the bot, another person.

    A name that this voice and this recogniser can't carry between them, over a line with this noise, is
    drawn again.
    """
    caller = Piper(pitch=1.12) if local_kind() == "local" else None

    async def spoken(text: str) -> NDArray[np.int16]:
        return np.frombuffer(await speak(caller, text, RATE), np.int16)

    try:
        for skip in range(NAMES):
            script = draw(seed, ROOT, skip)
            named = await spoken(script.lines["name"])
            if caller is None or await asyncio.to_thread(_carries, named, script.name, noise):
                break
        else:
            raise RuntimeError("no name could be carried from this voice to this recogniser")
        # The very sentence that was tried: Piper says none twice alike.
        clips = {label: await spoken(text) for label, text in script.lines.items() if label != "name"}
        return script, clips | {"name": named}
    finally:
        if caller is not None:
            caller.close()


def decibels(text: str) -> float:
    """`20`, `20dB`."""
    return float(text.lower().removesuffix("db"))


def main() -> None:
    """`python -m examples.phone_bot.demo [--seed N] [--noise 20dB]`."""
    parser = argparse.ArgumentParser(prog="make demo")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10_000)
    parser.add_argument("--noise", type=decibels, help="signal to noise, such as 20dB")
    options = parser.parse_args()
    # For the test that the demo can fail: two of the caller's clips change places.
    swap = os.environ.get("PHONE_DEMO_SWAP", "").split(",")
    logger.remove()
    logger.add(sys.stderr, level="WARNING", format="{message}")
    pair = (swap[0], swap[1]) if len(swap) == 2 else None
    try:
        sys.exit(asyncio.run(run(options.seed, options.noise, pair)))
    except RuntimeError as error:
        sys.exit(f"make demo: {error}")


if __name__ == "__main__":
    main()
