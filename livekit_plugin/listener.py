"""Session events to engine events. What each of LiveKit's events gives:

| LiveKit | engine |
|---|---|
| `conversation_item_added`, user item | `UserFinal` (or `UserTyped` where nothing was spoken) and `TurnEnded` |
| the same, an interim promoted at close | `UserStarted`, `UserPartial`, an empty `UserFinal`, `TurnEnded` |
| the same, assistant item | `ReplyStarted`, `ReplyText`, `ReplyHeard`, `ReplyEnded` |
| `user_input_transcribed` | `UserPartial`: prefetch only, never a commit |
| `user_state_changed` | `UserStarted`, `UserStopped` |
| `function_tools_executed` | `ToolCalled`, `ToolReturned` |
| room `sip_dtmf_received` | `Dtmf` |

Only conversation items are committed, once by item id: finals that never become a turn (spoken over
uninterruptible speech, dropped by a hook) do not count, and speculative replies give no item.
"""

from __future__ import annotations

import json
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession, llm
from livekit.agents.voice.events import (
    ConversationItemAddedEvent,
    FunctionToolsExecutedEvent,
    UserInputTranscribedEvent,
    UserStateChangedEvent,
)

from pipecat_memory import CallMemory
from pipecat_memory import events as ev


class Listener:
    """Translates for one session and one call."""

    def __init__(self, session: AgentSession[Any], call: CallMemory) -> None:
        self._session = session
        self._call = call
        self._seen: set[str] = set()
        self._finals: list[UserInputTranscribedEvent] = []
        self._keys = ""

    def item(self, event: ConversationItemAddedEvent) -> None:
        item = event.item
        if item.type != "message" or item.id in self._seen:
            return
        text = item.text_content or ""
        if item.role == "user":
            self._seen.add(item.id)
            self._user(item, text)
        elif item.role == "assistant" and text.strip():
            self._seen.add(item.id)
            self._assistant(item, text)

    def transcribed(self, event: UserInputTranscribedEvent) -> None:
        if event.transcript:
            self._call.apply(ev.UserPartial(t=self._call.elapsed, text=event.transcript))
        if event.is_final:
            self._finals.append(event)

    def user_state(self, event: UserStateChangedEvent) -> None:
        t = self._call.elapsed
        if event.new_state == "speaking":
            self._call.apply(ev.UserStarted(t=t))
        elif event.old_state == "speaking":
            self._call.apply(ev.UserStopped(t=t))

    def tools(self, event: FunctionToolsExecutedEvent) -> None:
        t = self._call.elapsed
        for called, output in event.zipped():
            self._call.apply(ev.ToolCalled(t=t, id=called.call_id, name=called.name, args=_args(called.arguments)))
            self._call.apply(
                ev.ToolReturned(
                    t=t,
                    id=called.call_id,
                    status="error" if output.is_error else "ok",
                    result=output.output,
                )
            )

    def dtmf(self, event: rtc.SipDTMF) -> None:
        """Keys come one by one; the hash key, or the next spoken turn, ends an entry."""
        if event.digit != "#":
            self._keys += event.digit
        self._call.apply(ev.Dtmf(t=self._call.elapsed, digits=event.digit, done=event.digit == "#"))

    def _user(self, item: llm.ChatMessage, text: str) -> None:
        finals, self._finals = self._finals, []
        started = self._started(item)
        t = self._call.elapsed
        if not text.strip():
            return
        if finals and all(f.language == "" for f in finals) and not item.transcript_confidence:
            # The recogniser never closed this one: LiveKit made its last interim a final at the end.
            for event in (
                ev.UserStarted(t=started if started is not None else t),
                ev.UserPartial(t=t, text=text),
                ev.UserFinal(t=t, text="", id=item.id, started=started),
                ev.TurnEnded(t=t),
            ):
                self._call.apply(event)
            return
        spoken = started is not None or finals or _is_realtime(self._session)
        if spoken:
            self._call.apply(
                ev.UserFinal(
                    t=t,
                    text=text,
                    id=item.id,
                    started=started,
                    speaker=next((f.speaker_id for f in finals if f.speaker_id), None),
                    language=next((str(f.language) for f in finals if f.language), None),
                    confidence=item.transcript_confidence,
                )
            )
        else:
            self._call.apply(ev.UserTyped(t=t, text=text, id=item.id))
        self._call.apply(ev.TurnEnded(t=t))

    def _assistant(self, item: llm.ChatMessage, text: str) -> None:
        t = self._call.elapsed
        started = self._started(item)
        played = self._session.output.audio is not None
        timed = not item.interrupted or _is_synchronised(self._session)
        self._call.apply(ev.ReplyStarted(t=t if started is None else started, reply=item.id))
        self._call.apply(ev.ReplyText(t=t, reply=item.id, text=text))
        if played:
            self._call.apply(ev.ReplyHeard(t=t, reply=item.id, text=text))
        self._call.apply(
            ev.ReplyEnded(t=t, reply=item.id, interrupted=item.interrupted and played, played=None, timed=timed)
        )

    def _started(self, item: llm.ChatMessage) -> float | None:
        """When speech began, seconds of the call; an item's `created_at` is not when it was spoken."""
        spoken = item.metrics.get("started_speaking_at")
        if spoken is None:
            return None
        return max(0.0, spoken - self._call.course.started.at.timestamp())


def _is_realtime(session: AgentSession[Any]) -> bool:
    return isinstance(session.llm, llm.RealtimeModel)


def _is_synchronised(session: AgentSession[Any]) -> bool:
    """Whether a transcript synchroniser stands in the output chain: else a cut text is the whole text."""
    output: Any = session.output.transcription
    while output is not None:
        if type(output).__name__ == "_SyncedTextOutput":
            return True
        output = output.next_in_chain
    return False


def _args(raw: str) -> dict[str, Any]:
    try:
        decoded = json.loads(raw) if raw else {}
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}
