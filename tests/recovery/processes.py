"""Child processes that are killed from outside; see `victim` for what they do."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Generator
from multiprocessing import forkserver
from pathlib import Path

import pytest

from . import victim, warm

_CONTEXT = multiprocessing.get_context("forkserver")

Told = list[tuple[str, int]]


def get_ready() -> None:
    """Victims are forked from a process that has loaded everything already: they start in milliseconds."""
    _CONTEXT.set_forkserver_preload([warm.__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        forkserver.ensure_running()


def killed(work: str, url: str, at: int | None) -> tuple[int, Told]:
    """Run a process and kill it when its writes have come to that step; None lets it end.

    Returns:
        Its exit code (-9 where it was killed), and all that it told.
    """
    ours, its = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=victim.run, args=(work, url, its))
    process.start()
    its.close()
    told: Told = []
    try:
        while True:
            told.append(ours.recv())
            what, step = told[-1]
            if what == "step" and at is not None and step >= at:
                assert process.pid is not None
                os.kill(process.pid, signal.SIGKILL)
                at = None  # steps told before it died may follow; its number may be another's by then
    except (EOFError, ConnectionResetError):
        pass
    process.join()
    assert process.exitcode is not None
    return process.exitcode, told


@contextlib.contextmanager
def running(work: str, url: str, until: str) -> Generator[None]:
    """A process that has told that it came so far, and lives on meanwhile; killed afterwards."""
    ours, its = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=victim.run, args=(work, url, its))
    process.start()
    its.close()
    try:
        while ours.recv()[0] != until:
            pass
        yield
    finally:
        process.kill()
        process.join()
