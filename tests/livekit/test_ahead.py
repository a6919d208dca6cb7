"""What a reply has to look for is embedded while the caller speaks: the model node waits for nothing."""

from __future__ import annotations

from livekit.agents import stt

from livekit_plugin import Memory, Settings

from .conftest import ANA
from .kit import bot, until

BEGINNING, END = "I would like a table for four", "and is there celery in it"
PATIENT = Settings(strict=True, recall_wait=60.0)


async def test_a_turn_in_pieces_is_embedded_as_a_whole_before_it_ends() -> None:
    embedded: list[str] = []

    async def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[1.0, 0.0]] * len(texts)

    memory = await Memory.open("memory://", tenant="ahead", embedder=embed, settings=PATIENT)
    call = memory.call(ANA, call_id="ahead")
    async with bot(call, voice=True) as rig:
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, BEGINNING)
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "and is")
        await until(lambda: f"{BEGINNING} and is" in embedded)
        rig.ears.send(stt.SpeechEventType.FINAL_TRANSCRIPT, END)
        await until(lambda: f"{BEGINNING} {END}" in embedded)
        wanted = call.reader.prefetch.counters["wanted"]
        rig.ears.send(stt.SpeechEventType.END_OF_SPEECH)
        await until(lambda: len(rig.items("assistant")) == 1)
        assert call.reader.prefetch.counters["wanted"] == wanted, "nothing was left to embed"
        await rig.says("Thank you very much")
        assert "Thank you very much" in embedded, "what was said before is no part of the next turn"
    await memory.close()
