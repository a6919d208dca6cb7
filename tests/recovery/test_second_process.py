"""A second call starts in another process while the first is unfinished, or its write-back is."""

from __future__ import annotations

import pytest

from pipecat_memory import Caller

from . import victim
from .processes import running
from .script import NUMBER

UNFINISHED = [("talk", "turn"), ("hang_up", "closed")]
"""(what the first process does, what it tells when it has come so far)"""


async def told(url: str, caller: Caller) -> str:
    """What the model of the second call is told at its start."""
    memory = await victim.opened(url)
    call = memory.call(caller, call_id="c2")
    assert await call.preload(5.0)
    text = call.briefing().stable
    await memory.close()
    return text


@pytest.mark.parametrize(("work", "until"), UNFINISHED)
async def test_a_verified_caller_is_answered_with_the_last_words(url: str, work: str, until: str) -> None:
    with running(work, url, until):
        text = await told(url, Caller.phone(NUMBER, how="verified"))
    assert "Goes by: Wrennie" in text
    for words in victim.TOLD:
        assert words in text


async def test_what_was_extracted_already_is_a_fact(url: str) -> None:
    with running("talk", url, "turn"):
        text = await told(url, Caller.phone(NUMBER, how="verified"))
    assert "a heron; said" in text


async def test_a_number_is_greeted_by_name_only_while_the_call_goes_on(url: str) -> None:
    with running("talk", url, "turn"):
        text = await told(url, Caller.phone(NUMBER))
    assert "Goes by: Wrennie" in text
    assert "party_size" not in text, "what is noted in a call that goes on is not this one's"
    assert "heron" not in text, "neither facts nor raw words at the strength of a number"


@pytest.mark.parametrize(("work", "until"), UNFINISHED)
async def test_a_number_goes_on_with_the_notes_of_a_call_that_broke_off(
    url: str, work: str, until: str
) -> None:
    with running(work, url, until):
        pass
    text = await told(url, Caller.phone(NUMBER))
    assert "Goes by: Wrennie" in text
    assert "party_size = 5" in text
    assert "heron" not in text


async def test_another_number_hears_nothing_of_it(url: str) -> None:
    with running("talk", url, "turn"):
        text = await told(url, Caller.phone("+15551230002", how="verified"))
    assert text == ""
