"""This process as others on its machine can find it again, and whether another one still lives."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SPACE = Path("/proc/self/ns/pid")


def this_process() -> str:
    """Names this process: the machine's boot, the space of process ids, the id; "" where none is told."""
    return f"{there}/{os.getpid()}" if (there := _here()) else ""


def is_dead(process: str) -> bool:
    """Whether the process of that name is surely gone. Of one on another machine nothing is known."""
    there, _, id = process.rpartition("/")
    if not there or there != _here() or not id.isdecimal():
        return False
    try:
        os.kill(int(id), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # it is somebody else's
    return False


@cache
def _here() -> str:
    try:
        return f"{_BOOT.read_text().strip()}/{_SPACE.readlink()}"
    except OSError:
        return ""
