"""What we rely on in livekit-agents beyond its documentation: the first thing to break names itself here."""

from __future__ import annotations

import dataclasses
import inspect
from importlib.metadata import requires, version
from typing import Any, get_args

import pytest
from livekit import rtc
from livekit.agents import Agent, AgentSession, AgentTask, llm, stt
from livekit.agents.beta import Instructions
from livekit.agents.beta.workflows import GetDtmfTask
from livekit.agents.beta.workflows.utils import DtmfEvent, format_dtmf
from livekit.agents.metrics import RealtimeModelMetrics
from livekit.agents.voice import SpeechHandle, generation
from livekit.agents.voice.events import ConversationItemAddedEvent, UserInputTranscribedEvent
from livekit.agents.voice.transcription import TranscriptSynchronizer
from packaging.requirements import Requirement

from livekit_plugin.inject import INSTRUCTIONS_ID, with_confirmed
from livekit_plugin.keys import _KEYPAD
from livekit_plugin.line import ENDINGS

from .kit import FakeLLM
from .sound import Screen, Speaker


def test_the_version_is_in_the_stated_range() -> None:
    stated = [Requirement(line) for line in requires("pipecat-memory") or []]
    (wanted,) = (one for one in stated if one.name == "livekit-agents")
    assert wanted.specifier.contains(version("livekit-agents"))


def test_instructions_have_the_id_we_look_for() -> None:
    assert generation.INSTRUCTIONS_MESSAGE_ID == INSTRUCTIONS_ID


async def test_the_synchronisers_output_has_the_name_we_look_for() -> None:
    chain = TranscriptSynchronizer(next_in_chain_audio=Speaker(), next_in_chain_text=Screen())
    assert type(chain.audio_output).__name__ == "_SyncedAudioOutput"
    await chain.aclose()


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (ConversationItemAddedEvent, {"item"}),
        (UserInputTranscribedEvent, {"transcript", "is_final", "language", "speaker_id"}),
        (llm.ChatMessage, {"id", "role", "interrupted", "transcript_confidence", "metrics", "created_at"}),
    ],
)
def test_events_carry_what_we_read(event: type, fields: set[str]) -> None:
    assert fields <= set(getattr(event, "model_fields"))  # noqa: B009 - pydantic's own, unseen by the checker


def test_the_model_node_is_called_as_we_wrap_it() -> None:
    assert list(inspect.signature(Agent.llm_node).parameters) == [
        "self",
        "chat_ctx",
        "tools",
        "model_settings",
    ]


def test_the_recognisers_node_is_called_as_we_wrap_it() -> None:
    assert list(inspect.signature(Agent.stt_node).parameters) == ["self", "audio", "model_settings"]
    assert {"type", "alternatives"} <= {field.name for field in dataclasses.fields(stt.SpeechEvent)}


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        (Agent, {"realtime_llm_session", "update_chat_ctx", "chat_ctx", "llm", "stt", "session"}),
        (AgentSession, {"current_agent", "current_speech", "user_state", "room_io", "tools", "options"}),
        (AgentSession, {"on", "off", "stt", "output", "update_options", "history", "keyterms"}),
        (SpeechHandle, {"add_done_callback", "chat_items", "interrupted", "done", "wait_for_playout"}),
        (llm.RealtimeSession, {"capabilities", "chat_ctx", "update_chat_ctx"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_there_is_what_we_call(kind: type, members: set[str]) -> None:
    assert members <= set(dir(kind))


@pytest.mark.parametrize("reason", ENDINGS)
def test_there_is_each_reason_to_leave(reason: Any) -> None:
    assert rtc.DisconnectReason.Name(reason)


def test_the_room_tells_what_we_listen_for() -> None:
    assert {"sip_dtmf_received", "participant_disconnected"} <= set(get_args(rtc.room.EventTypes))


async def test_the_keypad_task_tells_of_keys_in_the_words_we_look_for() -> None:
    task: AgentTask[Any] = GetDtmfTask(num_digits=4)
    assert _KEYPAD.pattern.split("(")[0] in inspect.getsource(type(task))
    assert format_dtmf([DtmfEvent.FOUR, DtmfEvent.SEVEN]) == "4 7"


@pytest.mark.skipif(not hasattr(generation, "mark_instructions_cache_boundary"), reason="no dynamic part")
def test_the_dynamic_part_is_made_the_way_we_make_it() -> None:
    """The versions that mark the end of the instructions are those that have a dynamic part."""
    context = llm.ChatContext.empty()
    context.add_message(role="system", content="RULES", id=INSTRUCTIONS_ID)
    ours = with_confirmed(context, "x = 1")
    theirs = context.copy()
    instructions: Any = Instructions
    generation.update_instructions(
        theirs, instructions=instructions("RULES", dynamic="x = 1"), add_if_missing=False
    )
    told = [[(i.id, i.role, i.content) for i in made.items if i.type == "message"] for made in (ours, theirs)]
    assert told[0] == told[1]
    assert len(told[0]) == 2


def test_a_realtime_model_reports_what_it_read() -> None:
    assert "input_tokens" in RealtimeModelMetrics.model_fields


async def test_session_tools_are_the_sessions_own_list() -> None:
    session = AgentSession(llm=FakeLLM(), vad=None, turn_handling={"turn_detection": None})
    assert session.tools is session.tools
    assert isinstance(session.tools, list)


def test_a_typed_message_has_no_confidence() -> None:
    assert llm.ChatMessage(role="user", content=["Hello"]).transcript_confidence is None
