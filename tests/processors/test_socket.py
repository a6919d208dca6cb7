"""A real transport and a real socket: a caller who is gone in mid-reply heard what was written till then."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from pipecat.transports.websocket.server import (
    SingleClientWebsocketServerParams,
    SingleClientWebsocketServerTransport,
)
from websockets.asyncio.client import ClientConnection, connect

from pipecat_memory.processors import MemoryProcessor
from pipecat_memory.testing.redis_process import free_port

from .collector import Collector
from .conftest import MakeCall
from .kit import Out, running, turns, until, within
from .model import FakeLLM
from .voices import RATE, SentenceVoice, Voice, WordVoice

LONG = " ".join(f"word{n}" for n in range(300)) + "."
"""Six seconds of the fake voice: however busy the machine, its end is far when the caller goes."""


async def listens(line: ClientConnection, messages: int) -> None:
    """The caller takes so many messages, all of them audio here."""
    for _ in range(messages):
        await within(line.recv())


@pytest.mark.parametrize("heard_of", [True, False], ids=["the app is told", "nobody notices"])
@pytest.mark.parametrize("abrupt", [True, False], ids=["cut", "closed"])
@pytest.mark.parametrize("voice", [WordVoice, SentenceVoice])
async def test_a_caller_who_is_gone_in_mid_reply(
    make_call: MakeCall, voice: type[Voice], abrupt: bool, heard_of: bool
) -> None:
    call, port = make_call(), free_port()
    transport = SingleClientWebsocketServerTransport(
        SingleClientWebsocketServerParams(
            audio_out_enabled=True,
            audio_out_sample_rate=RATE,
            audio_out_10ms_chunks=1,
            serializer=ProtobufFrameSerializer(),
            allowed_origins=[],
        ),
        host="127.0.0.1",
        port=port,
    )
    listening, gone = asyncio.Event(), asyncio.Event()

    @transport.event_handler("on_websocket_ready")
    async def ready(*_: Any) -> None:
        listening.set()

    context, llm, memory, tail = LLMContext(), FakeLLM([LONG]), MemoryProcessor(call), Collector()
    user, assistant = LLMContextAggregatorPair(
        context, user_params=LLMUserAggregatorParams(user_turn_strategies=turns())
    )
    output = memory.playback(transport.output())
    parts = [transport.input(), user, memory, llm, memory.speech_guard(), voice(), *output, tail, assistant]
    async with running(Pipeline(parts), context, memory, llm=llm, out=Out(), tail=tail) as rig:

        @transport.event_handler("on_client_disconnected")
        async def hung_up(*_: Any) -> None:
            gone.set()
            if heard_of:
                await rig.worker.cancel(reason="hangup")

        await within(listening.wait())
        async with connect(f"ws://127.0.0.1:{port}") as line:
            await rig.says("Is a table free?")
            await listens(line, 30)
            if abrupt:
                line.transport.abort()
        await within(gone.wait())
        if not heard_of:
            await rig.worker.cancel(reason="idle timeout")
        await within(rig.running)
    await until(lambda: call.summary is not None)
    assert call.course.ended == ("hangup" if heard_of else "idle_timeout")
    said, reply = call.course.history()
    assert (said.text, reply.interrupted, rig.memory.hook_errors) == ("Is a table free?", True, 0)
    assert LONG.startswith(reply.text)
    # Thirty messages are 0.3 seconds, or fifteen words; a few more may have been on their way.
    assert 10 <= len(reply.text.split()) < 200
