"""A process gets SIGKILL while a turn is struck out: its call's journal is the old one or the new, whole."""

from __future__ import annotations

import asyncio
import json
import signal

import pytest

from pipecat_memory.records.caller import Scope
from pipecat_memory.writing import struck

from . import victim
from .processes import killed
from .script import CALL, NUMBER, caller

OLD, NEW = list(victim.TOLD), list(victim.TOLD[:-1])


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """The steps at which the strike begins to be written, and is acknowledged."""
    url = f"sqlite:///{tmp_path_factory.mktemp('whole') / 'calls.db'}"
    _, told = killed("strike", url, victim.OVER)
    strike = told[told.index(("turn", len(victim.TOLD))) + 1 :]
    assert [what for what, _ in strike] == ["step"] * 3
    return [number for _, number in strike[:2]]


async def found(url: str) -> tuple[list[str], list[str]]:
    """The caller's words by the journal, and by the export once a worker has finished the call."""
    memory = await victim.opened(url)
    file = await memory.archive.file(Scope("default", NUMBER), create=False)
    assert file is not None
    events = [json.loads(entry.blob) for entry in await file.journal(CALL) if entry.kind == "event"]
    await victim.reprocessed(memory)
    (call,) = (await memory.export(caller()))["calls"]
    await memory.close()
    words = [event["text"] for event in events if event["type"] == "user_final"]
    return (
        [said for said in words if said != struck.WORDS],
        [item["text"] for item in call["history"] if item["role"] == "user"],
    )


@pytest.mark.parametrize("kill", range(4))
def test_a_killed_strike_leaves_the_old_journal_or_the_new(url: str, steps: list[int], kill: int) -> None:
    acknowledged = kill % 2
    code, _ = killed("strike", url, steps[acknowledged])
    assert code == -signal.SIGKILL
    words, history = asyncio.run(found(url))
    assert history == words
    assert words == NEW if acknowledged else words in (OLD, NEW)
