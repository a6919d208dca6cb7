"""The replies on their way from the model to the caller's ear, and the events they become.

What was heard of a reply comes, in this order of trust, from the telephone's own marks, from the audio that
was written, from the times of the words, and from the text frames that came out of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..events import Event, Interrupted, ReplyEnded, ReplyHeard, ReplyStarted, ReplyText
from .audio import TOLERANCE, AudioStream, Stretch


@dataclass(slots=True, repr=False)
class Piece:
    """A word with its place in the stream, waiting until so much audio has left."""

    at: float
    text: str
    chars: bool


@dataclass(slots=True, repr=False)
class Reply:
    """One reply.

    Args:
        id: unique in the call.
        record: False for a filler that stays out of memory.
        source: which model wrote it; None where an app has it spoken.
        planned: some text of it is out.
        done: all of it came out of the transport.
        interruptible: an interruption cuts it.
        cut: an interruption (or the end of the call) cut it.
        timed: its words carry times (or were read, not heard).
        pieces: how many pieces were heard.
        stretches: its audio.
        waiting: words whose audio has not left yet.
    """

    id: str
    record: bool = True
    source: int | None = None
    planned: bool = False
    done: bool = False
    interruptible: bool = True
    cut: bool = False
    timed: bool = False
    pieces: int = 0
    stretches: list[Stretch] = field(default_factory=list[Stretch])
    waiting: list[Piece] = field(default_factory=list[Piece])

    @property
    def generated(self) -> bool:
        return self.source is not None

    @property
    def end(self) -> float:
        return self.stretches[-1].end if self.stretches else 0.0

    @property
    def sounded(self) -> bool:
        return any(stretch.made for stretch in self.stretches)

    def __repr__(self) -> str:
        return f"<Reply {self.id}>"


class Replies:
    """Opens and ends replies, and says how far each was heard.

    Args:
        apply: takes an engine event.
        elapsed: seconds of the call, on the memory's clock.
        now: nanoseconds of the pipeline's clock.
    """

    def __init__(
        self, apply: Callable[[Event], object], elapsed: Callable[[], float], now: Callable[[], int]
    ) -> None:
        self._now = now
        self._apply = apply
        self._elapsed = elapsed
        self._count = 0
        self._open: dict[str, Reply] = {}
        self._to_cut: dict[int, set[str]] = {}
        """By interruption, the replies that it cuts once it has left the pipeline."""
        self.audio = AudioStream()
        self.speaking = False
        self.proof = False
        """The way out to the caller is watched: what does not show there was not heard."""

    def __contains__(self, reply: Reply) -> bool:
        return reply.id in self._open

    @property
    def any(self) -> bool:
        """A reply is on its way."""
        return bool(self._open)

    @property
    def active(self) -> bool:
        """The agent thinks or speaks: an interruption now is a barge-in."""
        return any(reply.interruptible for reply in self._open.values())

    def start(self, *, record: bool = True, source: int | None = None) -> Reply:
        """A reply begins."""
        self._count += 1
        reply = Reply(f"r{self._count}", record=record, source=source)
        self._open[reply.id] = reply
        self._apply(ReplyStarted(t=self._elapsed(), reply=reply.id, record=record))
        return reply

    def plan(self, reply: Reply, text: str) -> None:
        """More of a reply's text is known."""
        reply.planned = reply.planned or bool(text.strip())
        self._apply(ReplyText(t=self._elapsed(), reply=reply.id, text=text))

    def hear(self, reply: Reply, text: str, *, chars: bool) -> None:
        """A piece of a reply reached the caller; `chars` = it brings its own spaces."""
        if not reply.planned:
            self.plan(reply, text)
        reply.pieces += 1
        self._apply(ReplyHeard(t=self._elapsed(), reply=reply.id, text=text, seq=reply.pieces, chars=chars))

    def takes(self, reply: Reply) -> bool:
        """Whether a word of it still counts: its clock may run behind a transport that writes ahead."""
        return reply in self or (reply.timed and not reply.cut)

    def wait(self, reply: Reply, piece: Piece) -> None:
        """A word was released; it is heard once its audio has left."""
        reply.waiting.append(piece)
        self._release(reply)

    def written(self, seconds: float) -> None:
        """So much audio left for the caller."""
        self.audio.written += seconds
        self.settle()

    def confirm(self, position: tuple[int, float]) -> None:
        """The telephone has played the stream up to there."""
        self.audio.confirm(position)
        self.settle()

    def settle(self) -> None:
        """Hear what has left by now, and end the replies that were played to their end."""
        last = max((reply.end for reply in self._open.values()), default=0.0)
        for reply in list(self._open.values()):
            self._release(reply)
            # An interruption that spares a reply still throws away audio before it: no position holds then.
            played = not reply.interruptible or self.audio.position >= reply.end - TOLERANCE
            if reply.done and played and not (self.speaking and reply.end == last):
                self.end(reply)

    def interrupt(self, interruption: int, *, busy: bool) -> None:
        """The caller cut in. What was heard is settled where the interruption leaves the pipeline.

        Args:
            interruption: id of its frame; ids grow with time.
            busy: a tool runs, so the agent is at work though no reply is open.
        """
        if self.active or busy:
            self._will_cut(interruption, list(self._open.values()))

    def overtake(self, interruption: int, source: int | None) -> None:
        """An interruption passes a place where replies begin: it throws away what has begun there by then.

        Args:
            interruption: id of its frame.
            source: the model that it passes; None where it enters the output, with what an app has spoken.
        """
        written = [reply for reply in self._open.values() if reply.source == source]
        if any(reply.interruptible for reply in written):
            self._will_cut(interruption, written)

    def _will_cut(self, interruption: int, replies: list[Reply]) -> None:
        first = interruption not in self._to_cut
        chosen = self._to_cut.setdefault(interruption, set())
        chosen.update(reply.id for reply in replies if reply.interruptible)
        if first:
            self._apply(Interrupted(t=self._elapsed()))
        if not self.proof:
            self.cut(interruption)

    def cut(self, interruption: int) -> None:
        """End the replies that this interruption cut. One before it may leave late; it cuts none of them."""
        due = [known for known in self._to_cut if known <= interruption]
        self._end_cut(set[str]().union(*(self._to_cut.pop(known) for known in due)))

    def _end_cut(self, chosen: set[str]) -> None:
        for reply in list(self._open.values()):
            if reply.id in chosen:
                self.end(reply, interrupted=True)

    def finish(self) -> None:
        """The call is over: settle what is still on its way."""
        self.speaking = False
        self.settle()
        self._end_cut(set(self._open))

    def end(self, reply: Reply, *, interrupted: bool = False) -> None:
        """A reply is over."""
        self._open.pop(reply.id, None)
        self._release(reply)
        reply.cut = interrupted
        if not interrupted:
            for piece in reply.waiting:
                self.hear(reply, piece.text, chars=piece.chars)
        if not reply.timed:
            for stretch in reply.stretches:
                if stretch.made and (text := self.audio.heard(stretch, self._now() / 1e9)):
                    self.hear(reply, text, chars=False)
        silent = self.proof and reply.planned and not reply.pieces
        self._apply(
            ReplyEnded(
                t=self._elapsed(),
                reply=reply.id,
                # A reply that never came out (the synthesiser failed) was not heard, whoever cut it.
                interrupted=interrupted or silent,
                played=0.0 if silent else None,
                timed=reply.timed,
            )
        )
        if not any(other.sounded or other.waiting for other in self._open.values()):
            # What is left of the stream was thrown away; the next reply's begins anew.
            self.audio.flush()

    def _release(self, reply: Reply) -> None:
        position = self.audio.position
        while reply.waiting and reply.waiting[0].at < position:
            piece = reply.waiting.pop(0)
            self.hear(reply, piece.text, chars=piece.chars)
