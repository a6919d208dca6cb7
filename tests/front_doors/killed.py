"""A Pipecat bot that dies in mid-call: `python -m tests.front_doors.killed STORE`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from pipecat_memory import Memory
from tests.livekit.worker import CALLER, SAID
from tests.processors.kit import bot, until
from tests.processors.voices import WordVoice


async def main(store: str) -> None:
    memory = await Memory.open(f"sqlite:///{store}", embedder=None)
    call = memory.call(CALLER, call_id="in-a-job")
    async with bot(call, answers=["Noted."], voice=WordVoice(), full=True) as rig:
        await rig.says(SAID)
        await until(lambda: any(i.text == "Noted." for i in call.course.history()))
        await until(lambda: call.journal.file is not None)
        await call.journal.flushed()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
