"""The caller's half of the tap: what the user aggregator hears and decides, as engine events.

Finals are evidence, the aggregator's decision is the commit: a final heard in an open turn is passed on at
once (notes and recall start early), one heard outside a turn is held until the aggregator writes a turn that
contains it, and one that it never writes (muted, a backchannel, too few words to count) is dropped.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from pipecat.frames.frames import (
    CancelFrame,
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    EndFrame,
    Frame,
    InputDTMFFrame,
    InputTextRawFrame,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMContextUserTurnFrame,
    LLMMessagesAppendFrame,
    TranscriptionFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frameworks.rtvi.frames import RTVISendTextFrame

from ..events import (
    Dtmf,
    Event,
    Party,
    SpeculationWithdrawn,
    TurnEnded,
    TurnSpeculated,
    UserFinal,
    UserPartial,
    UserStarted,
    UserStopped,
    UserTyped,
)
from .dispatch import Dispatch, Handler
from .handed import Handed
from .keypad import Keypad
from .recogniser import heard
from .room import Room
from .typed import TypedTexts
from .view import content_text, last_user_text
from .written import Written

UNHEARD_WHEN_MUTED = (
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    EagerTranscriptionFrame,
)
"""What the aggregator throws away while the caller is muted."""


class CallerSide:
    """Translates one pipeline's caller frames.

    Args:
        apply: takes an engine event.
        turn_ended: takes the end of a turn whose words were told, and when that was.
        elapsed: seconds of the call, on the memory's clock.
    """

    def __init__(
        self,
        apply: Callable[[Event], object],
        turn_ended: Callable[[float], object],
        elapsed: Callable[[], float],
    ) -> None:
        self._apply = apply
        self._turn_ended = turn_ended
        self._elapsed = elapsed
        self._run = secrets.token_hex(4)
        self._muted = False
        self._turn_open = False
        self._written = False
        self._ended_silently = False
        self._speaks_from: float | None = None
        self._voice_frames = False
        self._voice_on = False
        self._heard: list[UserFinal] = []
        self._held: list[UserFinal] = []
        self._rescued = False
        self._ending = False
        self._keypad = Keypad()
        self.waiting = Handed()
        self._texts = TypedTexts()
        self._room = Room()
        self._speculated: str | None = None
        handlers: dict[type[Frame], Handler] = {
            VADUserStartedSpeakingFrame: self._voice_started,
            VADUserStoppedSpeakingFrame: self._voice_stopped,
            UserStartedSpeakingFrame: self._turn_started,
            UserStoppedSpeakingFrame: self._turn_stopped,
            UserMuteStartedFrame: self._mute,
            UserMuteStoppedFrame: self._mute,
            InterimTranscriptionFrame: self._partial,
            EagerTranscriptionFrame: self._partial,
            TranscriptionFrame: self._final,
            LLMContextUserTurnFrame: self._committed,
            LLMContextFrame: self._inference,
            EagerEndOfTurnCancelFrame: self._withdrawn,
            LLMMessagesAppendFrame: self._appended,
            RTVISendTextFrame: self._sent_text,
            InputTextRawFrame: self._sent_text,
            InputDTMFFrame: self._key,
            EndFrame: self._end,
            CancelFrame: self._end,
        }
        self.dispatch = Dispatch(handlers)

    @property
    def uncommitted(self) -> bool:
        """Words of the open turn are out that no commit covers yet."""
        return bool(self._heard)

    @property
    def speaking(self) -> bool:
        """The caller's turn is open, or there is voice."""
        return self._turn_open or self._voice_on

    def handed(self, frame: Frame) -> None:
        """A frame is on its way into the user aggregator."""
        if isinstance(frame, TranscriptionFrame) and not self._muted:
            self.waiting.hand(frame)

    def rescue(self) -> None:
        """What was thrown away on its way was said all the same."""
        for frame in self.waiting.lost():
            if (final := self._read(frame)) is not None and final.text.strip():
                self._rescued = True
                self._hear(final)

    def finish(self) -> None:
        """The call is over: what was said or keyed last counts, though nothing came behind it."""
        self.rescue()
        self._flush_keys()

    def see(self, frame: Frame) -> None:
        """Take one frame, at its first sight."""
        if isinstance(frame, TranscriptionFrame):
            self.waiting.take(frame)
        if not (self._muted and isinstance(frame, UNHEARD_WHEN_MUTED)):
            self.dispatch(frame)

    def turn_without_words(self) -> None:
        """The aggregator closed a turn in which it heard no words."""
        words = any(final.text.strip() for final in self._heard)
        if self._ended_silently and not self._held and (self._rescued or not words):
            self._ended_silently = self._rescued = False
            self._heard.clear()
            self._apply(TurnEnded(t=self._elapsed()))

    def _mute(self, frame: UserMuteStartedFrame | UserMuteStoppedFrame) -> None:
        self._muted = isinstance(frame, UserMuteStartedFrame)

    # Voice. Where nothing in the pipeline detects voice, the turn's own bounds stand for it.

    def _voice_started(self, frame: VADUserStartedSpeakingFrame) -> None:
        self._voice_frames = True
        self._voice(frame.start_secs)

    def _voice(self, ago: float) -> None:
        self._voice_on = True
        self._speaks_from = max(0.0, self._elapsed() - ago)
        self._apply(UserStarted(t=self._speaks_from))

    def _voice_stopped(self, frame: VADUserStoppedSpeakingFrame) -> None:
        self._voice_on = False
        self._apply(UserStopped(t=max(0.0, self._elapsed() - frame.stop_secs)))

    def _turn_started(self, _: UserStartedSpeakingFrame) -> None:
        self._turn_open = True
        self._written = False
        self._ended_silently = False
        if not self._voice_frames:
            self._voice(0.0)

    def _turn_stopped(self, _: UserStoppedSpeakingFrame) -> None:
        self.rescue()
        # A commit usually came before; without one this may be a turn without words.
        self._ended_silently = self._turn_open and not self._written
        self._turn_open = False
        if not self._voice_frames:
            self._voice_on = False
            self._apply(UserStopped(t=self._elapsed()))

    def _end(self, _: EndFrame | CancelFrame) -> None:
        self._ending = True

    # Words.

    def _hear(self, final: UserFinal) -> None:
        self._heard.append(final)
        self._apply(final)

    def _id_of(self, frame: Frame) -> str:
        """Frames are counted in each process anew, and a call may go on in another one."""
        return f"{self._run}-{frame.id}"

    def _partial(self, frame: InterimTranscriptionFrame | EagerTranscriptionFrame) -> None:
        if frame.text.strip():
            self._apply(UserPartial(t=self._elapsed(), text=frame.text))

    def _final(self, frame: TranscriptionFrame) -> None:
        if (final := self._read(frame)) is None:
            return
        if self._turn_open and not self._held:
            self._hear(final)
        elif final.text.strip():
            self._held.append(final)

    def _read(self, frame: TranscriptionFrame) -> UserFinal | None:
        """A transcription as an event; None where it only repeats pressed keys."""
        if self._keypad.repeats(frame):
            self._flush_keys()
            self._keypad.written(frame.text)
            return None
        now, since = self._elapsed(), self._speaks_from
        if since is None and not (self._voice_frames or self._turn_open):
            since = now  # with nothing that detects voice, the words themselves open the next turn
        other = self._other(frame.user_id)
        final = heard(frame, id=self._id_of(frame), t=now, started=since, other=other)
        # A second final of a voice that goes on began where the first was done; behind it nobody knows.
        self._speaks_from = now if self._voice_on else None
        return final

    def _other(self, user: str) -> str | None:
        """The label of somebody else than the caller, who is introduced when first heard."""
        label, new = self._room.other(user)
        if label is not None and new:
            self._apply(Party(t=self._elapsed(), event="joined", role="other", speaker=label))
        return label

    def _committed(self, frame: LLMContextUserTurnFrame) -> None:
        written = Written(frame.text)
        for text in [f.text for f in self._heard] + self._keypad.texts:
            written.take(text)
        for final in written.finals(self._held):
            self._hear(final)
        if written.rest:
            # The aggregator wrote words that no recogniser frame brought.
            ident, since = self._id_of(frame), self._speaks_from
            self._hear(UserFinal(t=self._elapsed(), text=written.rest, id=ident, started=since))
        self._flush_keys()
        spoken = bool(self._heard)
        self._heard.clear()
        self._held.clear()
        self._keypad.written()
        self._speculated = None
        self._written = True
        self._ended_silently = self._rescued = False
        # A turn that only the end of the call closes stays open: it is cut by that.
        if spoken and not (self._ending and self._turn_open):
            self._turn_ended(self._elapsed())

    def _inference(self, frame: LLMContextFrame) -> None:
        if frame.speculation:
            self._speculated = last_user_text(frame.context.messages) or ""
            self._apply(TurnSpeculated(t=self._elapsed(), text=self._speculated))
            return
        self._flush_keys()
        # The model runs right after a turn without words: what it is told has to know of it.
        self.turn_without_words()

    def _withdrawn(self, _: EagerEndOfTurnCancelFrame) -> None:
        if self._speculated is not None:
            self._apply(SpeculationWithdrawn(t=self._elapsed(), text=self._speculated))
            self._speculated = None

    # Typed and keyed.

    def _appended(self, frame: LLMMessagesAppendFrame) -> None:
        for message in frame.messages:
            if isinstance(message, dict) and message.get("role") == "user":
                self._typed(frame, content_text(message.get("content")))

    def _sent_text(self, frame: RTVISendTextFrame | InputTextRawFrame) -> None:
        self._typed(frame, frame.text)

    def _typed(self, frame: Frame, text: str) -> None:
        if text.strip() and self._texts.new(type(frame), text):
            self._apply(UserTyped(t=self._elapsed(), text=text, id=self._id_of(frame)))

    def _key(self, frame: InputDTMFFrame) -> None:
        self._enter(self._keypad.key(frame))

    def _flush_keys(self) -> None:
        self._enter(self._keypad.entry())

    def _enter(self, digits: str) -> None:
        if digits:
            self._apply(Dtmf(t=self._elapsed(), digits=digits))
