"""The agent's half of the tap: which frame of a reply means what, at which place of the pipeline.

A reply is one response of the model, or one utterance that the app has spoken directly. Its frames pass
three places, in order: the model (`generated`), the way into the output (`entering`) and the way out of it
(`leaving`). A synthesis context names the words and the audio that belong together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    EagerTranscriptionFrame,
    Frame,
    InputTextRawFrame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TextFrame,
    TranscriptionFrame,
    TranslationFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)

from ..events import Event
from .audio import Stretch
from .dispatch import Dispatch, Handler
from .replies import Piece, Replies, Reply

NOT_THE_AGENTS = (
    InputTextRawFrame,
    TranscriptionFrame,
    InterimTranscriptionFrame,
    EagerTranscriptionFrame,
    TranslationFrame,
)
"""Text frames that are somebody else's words."""

REMEMBERED = 32
"""Synthesis contexts that words may still come from, and ends of responses under way; there are a few."""


@dataclass(slots=True, repr=False)
class Context:
    """One synthesis context: whose words, where their audio lies, and when it began to go out."""

    reply: Reply
    stretch: Stretch
    begun: int
    """Nanoseconds of the pipeline's clock; words are timed from here."""


class AgentSide:
    """Translates one pipeline's reply frames.

    Args:
        apply: takes an engine event.
        elapsed: seconds of the call, on the memory's clock.
        now: nanoseconds of the pipeline's clock.
    """

    def __init__(
        self, apply: Callable[[Event], object], elapsed: Callable[[], float], now: Callable[[], int]
    ) -> None:
        self._now = now
        self.replies = Replies(apply, elapsed, now)
        self.measured = False
        """Audio is measured on its way out: text that merely announces it is no proof."""
        self._by_frame: dict[int, Reply] = {}
        """By the frame that starts or ends a response; those of two may leave the output crosswise."""
        self._contexts: dict[str | None, Context] = {}
        self._announced: dict[str | None, list[str]] = {}
        self._generating: dict[int, Reply] = {}
        self._entering: Reply | None = None
        self._leaving: Reply | None = None
        self._sounding: str | None = None
        entering: dict[type[Frame], Handler] = {
            LLMFullResponseStartFrame: self._start_enters,
            LLMFullResponseEndFrame: self._end_enters,
            AggregatedTextFrame: self._text_announced,
            TTSStartedFrame: self._context_enters,
            TTSTextFrame: self._text_enters,
            TTSAudioRawFrame: self._audio_enters,
            TTSStoppedFrame: self._context_made,
            InterruptionFrame: self._interruption_enters,
        }
        leaving: dict[type[Frame], Handler] = {
            LLMFullResponseStartFrame: self._start_leaves,
            LLMFullResponseEndFrame: self._end_leaves,
            TextFrame: self._text_leaves,
            **dict.fromkeys(NOT_THE_AGENTS, _ignore),
            TTSAudioRawFrame: self._audio_leaves,
            TTSStoppedFrame: self._context_leaves,
            BotStartedSpeakingFrame: self._bot_speaks,
            BotStoppedSpeakingFrame: self._bot_speaks,
            InterruptionFrame: self._interruption_leaves,
        }
        self.entering = Dispatch(entering)
        self.leaving = Dispatch(leaving)

    # What the model writes.

    def leaves_model(self, source: int, frame: Frame) -> None:
        """Take a frame where it leaves a model; `source` tells models apart that answer at once."""
        if isinstance(frame, LLMFullResponseStartFrame):
            self._response_began(source, frame)
        elif isinstance(frame, InterruptionFrame):
            self.replies.overtake(frame.id, source)

    def generated(self, source: int, frame: Frame) -> None:
        """Take a frame of a response, where its text is what will be spoken."""
        if isinstance(frame, LLMFullResponseStartFrame):
            if frame.id not in self._by_frame:
                self._response_began(source, frame)
            self._generating[source] = self._by_frame[frame.id]
        elif isinstance(frame, LLMTextFrame):
            if frame.text and (reply := self._generating.get(source)) is not None:
                self.replies.plan(reply, frame.text)
        elif isinstance(frame, LLMFullResponseEndFrame):
            reply = self._generating.pop(source, None)
            if reply is not None:
                self._know(frame, reply)
            # Nothing to say (a tool call alone), or nobody who would tell us that it was said.
            if reply is not None and reply in self.replies and not (reply.planned and self.replies.proof):
                self.replies.end(reply)

    def _response_began(self, source: int, frame: LLMFullResponseStartFrame) -> None:
        self._know(frame, self.replies.start(source=source))

    def _know(self, frame: Frame, reply: Reply) -> None:
        self._by_frame[frame.id] = reply
        if len(self._by_frame) > REMEMBERED:
            del self._by_frame[next(iter(self._by_frame))]

    # What goes in at the transport.

    def _start_enters(self, frame: LLMFullResponseStartFrame) -> None:
        self._entering = self._by_frame.get(frame.id) or self.replies.start()
        self._by_frame[frame.id] = self._entering

    def _end_enters(self, _: LLMFullResponseEndFrame) -> None:
        self._entering = None

    def _text_announced(self, frame: AggregatedTextFrame) -> None:
        if not frame.will_be_spoken:
            return
        text = frame.raw_text or frame.text
        if (context := self._contexts.get(frame.context_id)) is None:
            self._announced.setdefault(frame.context_id, []).append(text)
        else:
            context.stretch.texts.append(text)
            self._plan(context.reply, text)

    def _context_enters(self, frame: TTSStartedFrame) -> None:
        self._sounding = frame.context_id
        if frame.context_id is None or frame.context_id not in self._contexts:
            self._bind(frame.context_id, record=frame.append_to_context, interruptible=frame.interruptible)

    def _bind(self, name: str | None, *, record: bool, interruptible: bool) -> Context:
        reply = self._entering if record else None
        if reply is None or reply not in self.replies:
            reply = self.replies.start(record=record)
            reply.interruptible = interruptible
        context = Context(
            reply,
            Stretch(start=self.replies.audio.made, texts=self._announced.pop(name, [])),
            self._now(),
        )
        reply.stretches.append(context.stretch)
        for text in context.stretch.texts:
            self._plan(reply, text)
        self._contexts.pop(name, None)
        self._contexts[name] = context
        if len(self._contexts) > REMEMBERED:
            del self._contexts[next(iter(self._contexts))]
        return context

    def _plan(self, reply: Reply, text: str) -> None:
        # A model's reply was planned as it was written; only what no model wrote is planned here.
        if not reply.generated:
            self.replies.plan(reply, text)

    def _text_enters(self, frame: TTSTextFrame) -> None:
        context = self._contexts.get(frame.context_id)
        if context is not None and frame.pts is None:
            if not context.stretch.texts:
                context.stretch.texts.append(frame.raw_text or frame.text)
            self.replies.audio.mark_text(context.stretch)

    def _audio_enters(self, frame: TTSAudioRawFrame) -> None:
        name = frame.context_id if frame.context_id in self._contexts else self._sounding
        context = self._contexts.get(name)
        if context is None or context.reply not in self.replies:
            context = self._bind(name, record=True, interruptible=frame.interruptible)
        if context.stretch.made == 0:
            context.begun = self._now()
            context.stretch.start = self.replies.audio.made
        self.replies.audio.add(context.stretch, seconds_of(frame), self._now() / 1e9)

    def _context_made(self, frame: TTSStoppedFrame) -> None:
        if (context := self._contexts.get(frame.context_id)) is not None:
            self.replies.audio.complete(context.stretch)

    def _interruption_enters(self, frame: InterruptionFrame) -> None:
        self.replies.overtake(frame.id, None)

    # What comes out of it.

    def _start_leaves(self, frame: LLMFullResponseStartFrame) -> None:
        self._leaving = self._by_frame.pop(frame.id, None) or self.replies.start()

    def _end_leaves(self, frame: LLMFullResponseEndFrame) -> None:
        reply = self._by_frame.pop(frame.id, self._leaving)
        if reply is not None:
            reply.done = True
        self.replies.settle()

    def _text_leaves(self, frame: TextFrame) -> None:
        spoken = isinstance(frame, TTSTextFrame)
        if not frame.text or not (frame.append_to_context or spoken):
            return
        if spoken and frame.pts is None and self.measured:
            return  # such a text may come long before its audio, which will tell
        context = self._contexts.get(frame.context_id) if isinstance(frame, AggregatedTextFrame) else None
        reply = context.reply if context is not None else self._leaving
        if reply is None or not self.replies.takes(reply):
            return
        reply.timed = reply.timed or frame.pts is not None or not spoken
        text = (isinstance(frame, AggregatedTextFrame) and frame.raw_text) or frame.text
        chars = frame.includes_inter_frame_spaces
        if context is not None and frame.pts is not None and self.measured and reply in self.replies:
            # On a busy machine its audio is seen here later than the voice began to time its words.
            context.begun = min(context.begun, frame.pts)
            at = context.stretch.start + (frame.pts - context.begun) / 1e9
            self.replies.wait(reply, Piece(at, text, chars))
        else:
            self.replies.hear(reply, text, chars=chars)

    def _audio_leaves(self, frame: TTSAudioRawFrame) -> None:
        self.replies.written(seconds_of(frame))

    def _context_leaves(self, frame: TTSStoppedFrame) -> None:
        context = self._contexts.get(frame.context_id)
        if context is not None and not context.reply.generated:
            context.reply.done = True
            self.replies.settle()

    def _bot_speaks(self, frame: BotStartedSpeakingFrame | BotStoppedSpeakingFrame) -> None:
        self.replies.speaking = isinstance(frame, BotStartedSpeakingFrame)
        self.replies.settle()

    def _interruption_leaves(self, frame: InterruptionFrame) -> None:
        self.replies.cut(frame.id)


def _ignore(_: Frame) -> None:
    """Text that passes the transport but is not the agent's."""


def seconds_of(frame: TTSAudioRawFrame) -> float:
    """How long a frame of 16-bit audio sounds."""
    return len(frame.audio) / (2 * frame.num_channels * frame.sample_rate)
