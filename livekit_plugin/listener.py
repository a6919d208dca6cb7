"""Session events to engine events.

What each of LiveKit's events gives:

| LiveKit | engine |
|---|---|
| `conversation_item_added`, user item | `UserFinal` (`UserTyped` where nothing was spoken), `TurnEnded` |
| the same, an interim promoted at close | `UserStarted`, `UserPartial`, an empty `UserFinal`, `TurnEnded` |
| the same, assistant item | `ReplyStarted`, `ReplyText`, `ReplyHeard`, `ReplyEnded` |
| `stt_node`, where asked for | the `nbest` of the `UserFinal` |
| `user_input_transcribed` | `UserPartial`: prefetch only, never a commit |
| `user_state_changed` | `UserStarted`, `UserStopped` |
| `agent_state_changed`, a speech that began to sound and left no item | `ReplyStarted`, `ReplyEnded`: cut |
| `tool_execution_updated`, `function_tools_executed` | `ToolCalled`, `ToolReturned`, by `ToolCalls` |
| room `sip_dtmf_received` | `Dtmf`, by `Keys` |

Only conversation items are committed, once by item id: finals that never become a turn (spoken over
uninterruptible speech, dropped by a hook) do not count, and speculative replies give no item.
"""

from __future__ import annotations

import time
from typing import Any, Literal

from livekit.agents import AgentSession, llm, stt
from livekit.agents.voice import SpeechHandle
from livekit.agents.voice.events import (
    AgentStateChangedEvent,
    ConversationItemAddedEvent,
    SpeechCreatedEvent,
    UserInputTranscribedEvent,
    UserStateChangedEvent,
)

from pipecat_memory import CallMemory
from pipecat_memory import events as ev
from pipecat_memory.guard import Guard

from .finals import MOST, run_of
from .keys import Keys

CHARACTERS_A_SECOND = 12.0
"""How fast a voice speaks, on the slow side of LiveKit's own 3.83 syllables a second: without a transcript
synchroniser a cut reply claims rather too little than too much."""

CLOSED = "…"
"""Stands for interim words that the recogniser has closed; no words, so nothing can rise from it."""

MAX_ALTERNATIVES = 10
"""Most readings kept of one turn; recognisers give up to ten of one final."""

AT_ONCE = 0.0005
"""Seconds between two looks at a clock that count as one moment; a few microseconds are usual."""
LOOKS = 5
"""Most looks at the two clocks; to be interrupted in each is next to impossible."""

SpeechMoment = Literal["started_speaking_at", "stopped_speaking_at"]


class Listener:
    """Translates for one session and one call."""

    def __init__(self, session: AgentSession[Any], call: CallMemory, guard: Guard) -> None:
        self._session = session
        self._call = call
        self.keys = Keys(call)
        self._over = guard.hook("speech", self._speech_over)
        self._fillers: set[str] = set()
        self._seen: dict[str, str] = {}
        self._finals: list[UserInputTranscribedEvent] = []
        self._hearings: list[tuple[str, ...]] = []
        self._early: tuple[str, ...] = ()
        self._voiced: float | None = None
        self._names_languages = False

    def item(self, event: ConversationItemAddedEvent) -> None:
        item = event.item
        if item.type != "message" or not (text := (item.text_content or "").strip()):
            return
        # A speech-to-speech model may mend a transcript under the same id.
        if self._seen.get(item.id) == text:
            return
        again = item.id in self._seen
        self._seen[item.id] = text
        if item.role == "user":
            self._user(item, text)
        elif item.role == "assistant" and not again:
            self._assistant(item, text)

    def transcribed(self, event: UserInputTranscribedEvent) -> None:
        if event.transcript:
            self._call.apply(ev.UserPartial(t=self._call.elapsed, text=event.transcript))
            self._foresee(event.transcript)
        self._names_languages |= bool(event.language)
        if event.is_final:
            self._finals.append(event)
            # Whether it is a turn only its item tells: what an app's hook drops must not be promoted later.
            self._call.apply(ev.UserPartial(t=self._call.elapsed, text=CLOSED))

    def _foresee(self, words: str) -> None:
        """Have the whole turn so far embedded: its model node, which looks for just these words, waits less.

        LiveKit joins a turn's finals by a space. Of finals that it drops we learn only with the next turn.
        """
        if len(words) >= self._call.settings.prefetch_chars or self._finals:
            before = (final.transcript for final in self._finals[-MOST:])
            self._call.reader.prefetch.want(" ".join((*before, words)))

    def recognised(self, event: stt.SpeechEvent) -> None:
        """A recogniser's own event, which is told with its alternatives; LiveKit passes on the first only."""
        texts = tuple(dict.fromkeys(option.text for option in event.alternatives if option.text.strip()))
        if event.type == stt.SpeechEventType.PREFLIGHT_TRANSCRIPT:
            self._early = texts
        elif event.type == stt.SpeechEventType.FINAL_TRANSCRIPT:
            self._early = ()
            self._hearings.append(texts)

    def nbest(self, text: str) -> tuple[str, ...]:
        """The whole turn as each rank of the recogniser heard it, best first; empty where it is sure.

        Args:
            text: the turn so far, or as committed; finals that are no part of it don't count.
        """
        hearings = [t for t in (*self._hearings, self._early) if len(t) > 1 and t[0] in text]
        readings = [text]
        for rank in range(1, max((len(texts) for texts in hearings), default=0)):
            reading = text
            for texts in hearings:
                reading = reading.replace(texts[0], texts[min(rank, len(texts) - 1)], 1)
            readings.append(reading)
        return tuple(readings[:MAX_ALTERNATIVES]) if len(readings) > 1 else ()

    def user_state(self, event: UserStateChangedEvent) -> None:
        t = self._call.elapsed
        if event.new_state == "speaking":
            self._voiced = t if self._voiced is None else self._voiced
            self._call.apply(ev.UserStarted(t=t))
        elif event.old_state == "speaking":
            self._call.apply(ev.UserStopped(t=t))

    def speech_created(self, event: SpeechCreatedEvent) -> None:
        # Directly spoken text may be a filler that leaves no item even when heard to its end.
        if event.source == "say":
            self._fillers.add(event.speech_handle.id)

    def agent_state(self, event: AgentStateChangedEvent) -> None:
        speech = self._session.current_speech
        if event.new_state == "speaking" and speech is not None and speech.id not in self._fillers:
            speech.add_done_callback(self._over)

    def _speech_over(self, speech: SpeechHandle) -> None:
        """A reply cut before its first word is no item, but the next one should know that it was cut."""
        said = any(item.type == "message" and item.role == "assistant" for item in speech.chat_items)
        if speech.interrupted and not said:
            t = self._call.elapsed
            self._call.apply(ev.ReplyStarted(t=t, reply=speech.id))
            self._call.apply(ev.ReplyEnded(t=t, reply=speech.id, interrupted=True, played=None))

    def answered(self, asked: llm.ChatMessage | None) -> None:
        """A reply is made, which knows the keys pressed so far: a turn, where no words came with them."""
        if asked is None or asked.id in self._seen:
            self.keys.end()
        else:
            self.keys.flush()

    def _user(self, item: llm.ChatMessage, text: str) -> None:
        if self.keys.told_again(text):
            self.keys.end()
            return
        self.keys.flush()
        finals = self._taken_finals(text, spoken=item.transcript_confidence is not None)
        nbest = self.nbest(text)
        heard = run_of([texts[0] if texts else "" for texts in self._hearings], text)
        self._hearings = self._hearings[heard.stop :] if heard is not None else []
        voiced, self._voiced = self._voiced, None
        t = self._call.elapsed
        started = self._when(item, "started_speaking_at")
        started = voiced if started is None else started
        # Scored at all: it was transcribed. A typed message has no confidence, not even zero.
        if item.transcript_confidence is None and not finals:
            self._call.apply(ev.UserTyped(t=t, text=text, id=item.id))
        elif finals and not item.transcript_confidence and self._is_promoted(finals):
            self._call.apply(ev.UserStarted(t=t if started is None else started))
            self._call.apply(ev.UserPartial(t=t, text=text))
            self._call.apply(ev.UserFinal(t=t, text="", id=item.id, started=started))
        else:
            self._call.apply(
                ev.UserFinal(
                    t=t,
                    text=text,
                    id=item.id,
                    started=started,
                    speaker=next((f.speaker_id for f in finals if f.speaker_id), None),
                    language=next((str(f.language) for f in finals if f.language), None),
                    # Recognisers that score nothing report zero.
                    confidence=item.transcript_confidence or None,
                    nbest=nbest,
                )
            )
        # The caller may go on before LiveKit has done with the turn: what begins behind its end is the next.
        ended = self._when(item, "stopped_speaking_at")
        self._call.apply(ev.TurnEnded(t=t if ended is None else max(ended, started or 0.0)))

    def _taken_finals(self, text: str, *, spoken: bool) -> list[UserInputTranscribedEvent]:
        """The finals of which this turn was made, off the list with all before them."""
        run = run_of([final.transcript for final in self._finals], text)
        if run is None:
            # An app may have changed the words of what was spoken.
            finals, self._finals = (self._finals, []) if spoken else ([], self._finals)
        else:
            finals, self._finals = self._finals[run], self._finals[run.stop :]
        return finals

    def _is_promoted(self, finals: list[UserInputTranscribedEvent]) -> bool:
        """Whether the recogniser never closed this turn: LiveKit made its last interim a final at the end.

        Such a final has an empty language. So have those of a recogniser that names none, and those of a
        speech-to-speech model have no language at all.
        """
        return self._names_languages and all(final.language == "" for final in finals)

    def _assistant(self, item: llm.ChatMessage, text: str) -> None:
        t = self._call.elapsed
        started = self._when(item, "started_speaking_at")
        apply, id = self._call.apply, item.id
        apply(ev.ReplyStarted(t=t if started is None else started, reply=id))
        apply(ev.ReplyText(t=t, reply=id, text=text))
        spoken = self._session.output.audio is not None
        if not spoken:
            # Shown as text: what is there was read, and nothing proves how much of it.
            apply(ev.ReplyEnded(t=t, reply=id, interrupted=False))
        elif item.interrupted and not _is_synchronised(self._session):
            # The item holds all that was generated; how long it sounded is the only evidence.
            share = _share(item, text)
            apply(ev.ReplyEnded(t=t, reply=id, interrupted=True, played=share, timed=False))
        else:
            apply(ev.ReplyHeard(t=t, reply=id, text=text))
            apply(ev.ReplyEnded(t=t, reply=id, interrupted=item.interrupted))

    def _when(self, item: llm.ChatMessage, moment: SpeechMoment) -> float | None:
        """When speech began or ended, seconds of the call; `created_at` is neither."""
        spoken = item.metrics.get(moment)
        if spoken is None:
            return None
        elapsed, wall = self._clocks()
        return max(0.0, elapsed - (wall - spoken))

    def _clocks(self) -> tuple[float, float]:
        """The call's clock and the wall's at one moment: a machine may do something else between the two."""
        for _ in range(LOOKS - 1):
            wall, elapsed = time.time(), self._call.elapsed
            if time.time() - wall < AT_ONCE:
                return elapsed, wall
        wall = time.time()
        return self._call.elapsed, wall


def _share(item: llm.ChatMessage, text: str) -> float | None:
    """The share of a cut reply that can have sounded, None where not even its seconds are known."""
    begun, stopped = item.metrics.get("started_speaking_at"), item.metrics.get("stopped_speaking_at")
    if begun is None or stopped is None:
        return None
    return min(1.0, max(0.0, stopped - begun) * CHARACTERS_A_SECOND / max(len(text), 1))


def _is_synchronised(session: AgentSession[Any]) -> bool:
    """Whether a transcript synchroniser stands in the output chain: else a cut text is the whole text."""
    output: Any = session.output.audio
    while output is not None:
        # LiveKit has no public way to ask.
        if type(output).__name__ == "_SyncedAudioOutput":
            return True
        output = output.next_in_chain
    return False
