"""The phone bot: one file under Pipecat's runner.

    python -m examples.phone_bot -t twilio -x your.host.name     answer Twilio media streams
    python -m examples.phone_bot                                 serve a browser and websockets
    python -m examples.phone_bot --text --from +15551230001      type as the caller

Keys choose the services (DEEPGRAM_API_KEY, OPENAI_API_KEY, CARTESIA_API_KEY, OPENAI_BASE_URL); what has
none runs on this machine. PHONE_BOT_STORE names the store, PHONE_BOT_CALLER_ID=verified trusts caller id.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from loguru import logger
from pipecat.frames.frames import EndFrame, LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from pipecat.runner.utils import create_transport, parse_telephony_websocket
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams, FastAPIWebsocketTransport
from pipecat.workers.runner import WorkerRunner

from pipecat_memory import Caller, Memory, Settings
from pipecat_memory.call import CallMemory
from pipecat_memory.errors import StoreError
from pipecat_memory.processors import MemoryProcessor, TwilioMarkSerializer
from pipecat_memory.records.caller import How

from . import services
from .business import SCHEMA, tools
from .greeting import Greeter, Greeting
from .line_end import LastWords
from .local_model import NAME, TIMEOUT
from .trace import Trace

HEARING = 16000
"""Samples a second for recogniser and voice detector."""
_complained: set[str] = set()


async def bot(runner_args: RunnerArguments) -> None:
    """Answer one call."""
    transport, kind, rate = await _transport(runner_args)
    memory = await open_memory()
    call = memory.call(caller_of(runner_args), call_id=call_id_of(runner_args), schema=SCHEMA)
    try:
        await converse(transport, kind, rate, call, runner_args)
    finally:
        await memory.close()


async def converse(
    transport: BaseTransport, kind: str, rate: int, call: CallMemory, runner_args: RunnerArguments
) -> None:
    """One call's pipeline, from the first ring to the end."""
    voice = services.voice()
    # The line is still being set up: the greeting is chosen and rendered meanwhile.
    greeting = Greeting(call, _renderer(voice, rate) if kind != "eval" else None, rate)
    llm = services.replier(call)
    memory_processor = MemoryProcessor(call)
    last_words = LastWords()
    user, assistant = LLMContextAggregatorPair(
        LLMContext(tools=tools(call, lambda reason: worker.queue_frame(EndFrame(reason=reason)))),
        user_params=LLMUserAggregatorParams(
            vad_analyzer=services.voice_activity(), user_turn_strategies=services.turns()
        ),
    )
    steps: list[FrameProcessor] = [
        transport.input(),
        services.recogniser(),
        user,
        memory_processor,
        llm,
        memory_processor.speech_guard(),
        voice.tts,
        Greeter(),
        *memory_processor.playback(transport.output()),
        assistant,
    ]
    observers: list[Any] = [last_words]
    trace = Trace(call, Path(path)) if (path := os.environ.get("PHONE_BOT_TRACE")) else None
    if trace is not None:
        observers.append(trace)
    worker = PipelineWorker(
        Pipeline(steps),
        params=PipelineParams(
            audio_in_sample_rate=HEARING,
            audio_out_sample_rate=rate,
            enable_metrics=True,
        ),
        observers=observers,
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
    )

    @transport.event_handler("on_client_connected")
    async def connected(*_: Any) -> None:
        await worker.queue_frame(LLMRunFrame() if kind == "eval" else await greeting.frame())

    @transport.event_handler("on_client_disconnected")
    async def hung_up(*_: Any) -> None:
        line = transport.input()
        if isinstance(line, BaseInputTransport):
            await last_words.settle(line, HEARING)
        await worker.cancel(reason="hangup")

    @memory_processor.event_handler("on_call_summary")
    async def over(*_: Any) -> None:
        if trace is not None:
            trace.end()

    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)
    await runner.run()


async def open_memory() -> Memory:
    """The store of PHONE_BOT_STORE; where it can't be had the caller is still answered."""
    url = os.environ.get("PHONE_BOT_STORE", "sqlite:///calls.db")
    local = os.environ.get("PHONE_BOT_MEMORY_URL")
    options: dict[str, Any] = {}
    if local is not None:
        options = {"model": NAME, "base_url": local, "settings": Settings(model_timeout=TIMEOUT)}
    try:
        return await Memory.open(url, **options)
    except StoreError as error:
        if url not in _complained:
            _complained.add(url)
            logger.error(f"the store can't be used: {error}; calls go on without lasting memory")
        return await Memory.open("memory://", **options)


def caller_of(runner_args: RunnerArguments) -> Caller:
    """Who calls: Twilio's parameter is caller id, a browser's or an eval's number is a claim."""
    data, body = runner_args.call_data, runner_args.body
    if data is not None and data.from_number:
        how = os.environ.get("PHONE_BOT_CALLER_ID", "number")
        return Caller.phone(data.from_number, how="verified" if how == "verified" else "number")
    claimed = body.get("from") if isinstance(body, dict) else None
    how = cast("How", body.get("how", "claimed")) if isinstance(body, dict) else "claimed"
    return (
        Caller.phone(str(claimed), how="claimed" if how == "number" else how) if claimed else Caller.nobody()
    )


def call_id_of(runner_args: RunnerArguments) -> str:
    """The carrier's id of the call, else one of ours."""
    data = runner_args.call_data
    return (data.call_id if data is not None else None) or f"call-{uuid.uuid4().hex[:12]}"


async def _transport(runner_args: RunnerArguments) -> tuple[BaseTransport, str, int]:
    """The transport, its kind, and the samples a second that it plays."""
    if isinstance(runner_args, WebSocketRunnerArguments) and runner_args.transport_type != "websocket":
        kind, data = await parse_telephony_websocket(runner_args.websocket)
        if kind == "twilio":
            runner_args.transport_type, runner_args.call_data = kind, data
            account, token = os.environ.get("TWILIO_ACCOUNT_SID"), os.environ.get("TWILIO_AUTH_TOKEN")
            serializer = TwilioMarkSerializer(
                stream_sid=data.stream_id or "",
                call_sid=data.call_id,
                account_sid=account,
                auth_token=token,
                # Without credentials the bot can't hang up by itself; the caller can.
                params=TwilioFrameSerializer.InputParams(auto_hang_up=bool(account and token)),
            )
            params = _socket(serializer)
            return FastAPIWebsocketTransport(websocket=runner_args.websocket, params=params), kind, 8000
    transport = await create_transport(runner_args, _factories())
    return transport, "eval" if type(transport).__name__.startswith("Eval") else "browser", 24000


def _factories() -> dict[str, Callable[[], Any]]:
    from pipecat.evals.transport import EvalTransportParams

    return {
        "webrtc": lambda: TransportParams(audio_in_enabled=True, audio_out_enabled=True),
        "websocket": lambda: _socket(ProtobufFrameSerializer()),
        "telnyx": lambda: _socket(None),
        "plivo": lambda: _socket(None),
        "exotel": lambda: _socket(None),
        "eval": lambda: EvalTransportParams(audio_in_enabled=True, audio_out_enabled=True),
    }


def _socket(serializer: Any) -> FastAPIWebsocketParams:
    return FastAPIWebsocketParams(
        audio_in_enabled=True, audio_out_enabled=True, add_wav_header=False, serializer=serializer
    )


def _renderer(voice: services.Voice, rate: int) -> Callable[[str], Any]:
    return lambda text: voice.render(text, rate)


if __name__ == "__main__":
    from pipecat.runner.run import main

    main()
