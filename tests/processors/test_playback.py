"""What of a cut reply becomes history: through real pipelines, three kinds of voice, a cut at every tenth."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pipecat.services.tts_service import TTSService

from pipecat_memory.call import CallMemory
from pipecat_memory.records.turn import HistoryItem

from .conftest import MakeCall
from .kit import Out, Rig, bot, until, within
from .voices import WORD, SentenceVoice, SocketVoice, WordVoice

PLAN = "The table by the window is free. We open at six and close late."
WORDS = PLAN.split()
VOICES: list[Callable[[], TTSService]] = [WordVoice, SentenceVoice, SocketVoice]


def replies(call: CallMemory) -> list[HistoryItem]:
    return [item for item in call.course.history() if item.role == "assistant"]


async def cut_at(rig: Rig, voice: TTSService) -> None:
    """The caller cuts in where the output stands still."""
    await within(rig.out.stalled.wait())
    if isinstance(voice, WordVoice):
        # The clock releases every word although the audio stands still: only the audio tells what was heard.
        await until(lambda: len(rig.out.texts) == len(WORDS))
    await rig.interrupts()
    await rig.spoken()


@pytest.mark.parametrize("full", [False, True], ids=["two-lines", "taps"])
@pytest.mark.parametrize("make_voice", VOICES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
async def test_a_cut_reply_is_a_prefix_within_a_word_of_what_was_written(
    make_call: MakeCall, make_voice: Callable[[], TTSService], share: float, full: bool
) -> None:
    call, voice = make_call(), make_voice()
    out = Out(share * len(WORDS) * WORD)
    async with bot(call, answers=[PLAN], voice=voice, out=out, full=full) as rig:
        await rig.says("Is a table free?")
        await cut_at(rig, voice)
        written = rig.out.seconds / WORD
    heard = replies(call)
    text = heard[0].text if heard else ""
    assert PLAN.startswith(text)
    assert abs(len(text.split()) - written) <= 1
    assert len(heard) == (1 if text else 0)
    if heard:
        assert heard[0].interrupted
        assert heard[0].precision == ("exact" if isinstance(voice, WordVoice) else "estimated")


@pytest.mark.parametrize("full", [False, True], ids=["two-lines", "taps"])
@pytest.mark.parametrize("make_voice", VOICES)
async def test_a_reply_played_to_its_end_is_history_whole(
    make_call: MakeCall, make_voice: Callable[[], TTSService], full: bool
) -> None:
    call = make_call()
    async with bot(call, answers=[PLAN, "Good bye."], voice=make_voice(), full=full) as rig:
        await rig.says("Is a table free?")
        await rig.spoken()
        await rig.says("Thanks.")
        await rig.spoken()
    assert [(i.text, i.interrupted) for i in replies(call)] == [(PLAN, False), ("Good bye.", False)]


async def test_a_cut_in_the_last_word_is_a_cut_though_all_was_written(make_call: MakeCall) -> None:
    call = make_call()
    out = Out(len(WORDS) * WORD)
    async with bot(call, answers=[PLAN, "Yes?"], voice=WordVoice(), out=out) as rig:
        await rig.says("Is a table free?")
        # All of its audio is written; what the transport still owes is the news that the bot stopped.
        await until(lambda: out.seconds >= len(WORDS) * WORD - 0.001 and len(out.texts) == len(WORDS))
        if rig.memory.replying:
            await rig.interrupts()
            await rig.spoken()
    assert replies(call)[0].text == PLAN


async def test_a_voice_that_fails_was_not_heard(make_call: MakeCall) -> None:
    class Mute(SentenceVoice):
        async def run_tts(self, text: str, context_id: str):
            return
            yield

    call = make_call()
    async with bot(call, answers=[PLAN], voice=Mute()) as rig:
        await rig.says("Is a table free?")
        await rig.spoken()
    assert replies(call) == []


async def test_direct_speech_is_a_reply_and_a_filler_is_not(make_call: MakeCall) -> None:
    from pipecat.frames.frames import TTSSpeakFrame

    call = make_call()
    async with bot(call, voice=WordVoice()) as rig:
        await rig.push(TTSSpeakFrame("Hello and welcome."))
        await until(lambda: bool(rig.out.texts))
        await rig.spoken()
        await rig.push(TTSSpeakFrame("One moment please.", append_to_context=False))
        await until(lambda: len(rig.out.texts) == 6)
        await rig.spoken()
    assert [i.text for i in replies(call)] == ["Hello and welcome."]


async def test_text_without_a_voice_is_read_whole(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=[PLAN]) as rig:
        await rig.says("Is a table free?")
        await rig.spoken()
    assert [(i.text, i.precision) for i in replies(call)] == [(PLAN, "exact")]
