"""Which words a turn was made of, where the user aggregator throws some away."""

from __future__ import annotations

import pytest
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_start import MinWordsUserTurnStartStrategy
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from pipecat_memory.config import Settings
from pipecat_memory.events import UserFinal
from pipecat_memory.memory import Memory
from pipecat_memory.processors.written import Written
from pipecat_memory.testing import ManualClock

from .conftest import ANA
from .kit import Out, bot, final, until, within
from .voices import WORD, WordVoice


@pytest.mark.parametrize(
    ("held", "text", "found", "rest"),
    [
        (["no", "I know nothing"], "I know nothing", ["I know nothing"], ""),
        (["yes", "yes I want it"], "yes I want it", ["yes I want it"], ""),
        (["for four", "a table for four people"], "a table for four people", ["a table for four people"], ""),
        (["yes", "yes"], "yes yes", ["yes", "yes"], ""),
        (["a table", "for four"], "a table for four", ["a table", "for four"], ""),
        (["no", "said elsewhere"], "I know", [], "I know"),
        (["नहीं", "मैं नहींजानता"], "मैं नहींजानता", ["मैं नहींजानता"], ""),
        (["四位", "星期五"], "星期五四位", ["四位", "星期五"], ""),
        (["Ja", "nein, danke."], "Ja nein, danke.", ["Ja", "nein, danke."], ""),
        (["", " "], "yes", [], "yes"),
    ],
)
def test_held_words_are_found_as_words_and_the_newest_first(
    held: list[str], text: str, found: list[str], rest: str
) -> None:
    written = Written(text)
    finals = [UserFinal(t=float(n), text=words) for n, words in enumerate(held)]
    assert [one.text for one in written.finals(finals)] == found
    assert written.rest == rest


def test_words_known_to_be_in_it_are_taken_whole_before_parts() -> None:
    written = Written("I know no other")
    assert written.take("no")
    assert written.rest == "I know other"
    syllables = Written("walking")
    assert (syllables.take("walk"), syllables.take("ing"), syllables.take("ed"), syllables.rest) == (
        True,
        True,
        False,
        "",
    )


async def test_too_few_words_to_cut_in_leave_the_next_turn_whole() -> None:
    """With no voice detector the words themselves open a turn: also soon after the one before."""
    clock = ManualClock()
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True), clock=clock)
    call = memory.call(ANA, call_id="few words")
    strategies = UserTurnStrategies(
        start=[MinWordsUserTurnStartStrategy(min_words=4)],
        stop=[SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.02)],
    )
    out = Out(2 * WORD)
    user = LLMUserAggregatorParams(user_turn_strategies=strategies)
    answers = ["We are open from nine to five.", "Fine."]
    async with bot(call, answers=answers, voice=WordVoice(), out=out, user=user) as rig:
        await rig.push(final("When are you open?"))
        await within(out.stalled.wait())
        await clock.advance(0.5)
        await rig.push(final("no"))
        await clock.advance(0.5)
        await rig.push(final("I know nothing about it"))
        await until(lambda: len(rig.llm.prompts) == 2)
        out.limit = None
        out.go_on.set()
        await rig.spoken()
        await rig.ends()
    history = call.course.history()
    assert [i.text for i in history if i.role == "user"] == ["When are you open?", "I know nothing about it"]
    await memory.close()
