"""The stretches between turn ends, and the turns that stand in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..records.turn import Segment, Trust, Turn
from .script import join, wordlike
from .speech import SILENCE, Place, Said, Window

T = TypeVar("T")


@dataclass(slots=True, repr=False)
class Draft:
    """A turn before it has its number and key.

    `idents` tell it again after an amendment; `partial_at` is when a promoted one's partial came.
    """

    place: Place
    idents: tuple[object, ...]
    text: str
    started: float
    segments: tuple[Segment, ...]
    trust: Trust
    incomplete: bool
    promoted: bool = False
    partial_at: float = 0.0

    def turn(self, number: int, key: str) -> Turn:
        """The turn, under its number and key."""
        return Turn(
            number,
            key,
            self.text,
            self.started,
            self.segments,
            self.trust,
            self.promoted,
            self.incomplete,
        )


@dataclass(slots=True, repr=False)
class Span:
    """What the caller said up to one turn end. `end` None = still open.

    `explicit`: the turn end was reported; else a reply was released, which implies it.
    `cut`: the call ended here, before the turn did.
    """

    end: Place | None = None
    explicit: bool = False
    cut: bool = False
    forgotten: bool = False
    said: list[Said] = field(default_factory=list[Said])
    windows: list[Window] = field(default_factory=list[Window])
    drafts: list[Draft] = field(default_factory=list[Draft])
    before: int = 0
    """Committed turns before this span."""

    def split(self, end: Place, *, explicit: bool, cut: bool) -> Span:
        """Close this span; returns the next, open one with what started later."""
        later = Span(
            said=[s for s in self.said if s.place > end],
            windows=[w for w in self.windows if w.place > end],
        )
        if later.said:
            self.said = [s for s in self.said if s.place <= end]
        if later.windows:
            self.windows = [w for w in self.windows if w.place <= end]
        self.end, self.explicit, self.cut = end, explicit, cut
        return later

    def group(self, silent: Callable[[Said], bool], beside: Sequence[Said]) -> None:
        """Make the drafts anew.

        Args:
            silent: whether words came out of a long silence, to tell speech from inventions.
            beside: what was said in the next span; it may stand for a promoted window too.
        """
        self.drafts = []
        if self.forgotten or not (self.said or self.windows):
            return
        said = in_order(self.said, lambda s: (s.place, s.at))
        sure, unsure = _sift(said, silent)
        if sure:
            self.drafts.append(self._draft(sure, "high"))
        if unsure:
            self.drafts.append(self._draft(unsure, "low"))
        for window in self.windows:
            if window.promoted and not _worded(window, [*self.said, *beside]):
                self.drafts.append(self._promoted(window))
        self.drafts = in_order(self.drafts, lambda d: d.place)

    def promote(self) -> list[Window]:
        """Let the windows that the recogniser closed without words stand with their last partial."""
        risen = [w for w in self.windows if not w.promoted and self._wordless(w)]
        for window in risen:
            window.promoted = True
        return risen

    @property
    def worded(self) -> bool:
        """Words that were surely said stand here."""
        for draft in self.drafts:  # noqa: SIM110 - asked for at each reply
            if draft.trust == "high":
                return True
        return False

    def _wordless(self, window: Window) -> bool:
        if _worded(window, self.said) or not any(wordlike(c) for c in window.partial):
            return False
        finals = [s for s in self.said if s.segment.source == "speech"]
        if not window.emptied and any(s.at[0] >= window.partial_at for s in finals):
            return False
        text = join(s.segment.text for s in finals).casefold()
        return window.partial.strip().casefold() not in text

    def _draft(self, said: list[Said], trust: Trust) -> Draft:
        last = said[-1]
        complete = last.segment.source != "speech" and last.done
        idents: list[object] = [s.ident for s in in_order(said, lambda s: s.at[1])]
        # Words that replace a promoted partial are the same turn, amended.
        idents += [("window", w.place) for w in self.windows if w.promoted and _worded(w, said)]
        return Draft(
            said[0].place,
            tuple(idents),
            text_of(said),
            said[0].segment.started,
            tuple([s.segment for s in said]),
            trust,
            incomplete=self.cut and not complete,
        )

    def _promoted(self, window: Window) -> Draft:
        text = join([window.partial])
        return Draft(
            window.place,
            (("window", window.place),),
            text,
            window.start,
            (Segment(text, window.start),),
            "low",
            incomplete=self.cut,
            promoted=True,
            partial_at=window.partial_at,
        )


def missed(spans: Sequence[Span], off: Callable[[Place], bool]) -> bool:
    """Whether the last turn that ended had voice, but no words that were surely said.

    Args:
        spans: all of the call, in order.
        off: whether what began there is off the record.
    """
    if spans[-1].worded:
        return False
    for index in range(len(spans) - 2, -1, -1):
        span = spans[index]
        if span.worded:
            return False
        if span.explicit and any(not off(w.place) for w in span.windows):
            return not span.forgotten
    return False


def ended_at(spans: Sequence[Span], t: float) -> Span | None:
    """The span whose turns the turn end reported at `t` closed, if there are any."""
    found = next((i for i, s in enumerate(spans) if s.explicit and s.end and s.end[0] == t), -1)
    for index in range(found, -1, -1):
        if spans[index].drafts:
            return spans[index]
        if index and spans[index - 1].explicit:
            break
    return None


def text_of(said: Sequence[Said]) -> str:
    """The segments' text; keys of one entry are joined without spaces."""
    pieces: list[str] = []
    keying = False
    for entry in said:
        if keying and entry.segment.source == "dtmf":
            pieces[-1] += entry.segment.text
        else:
            pieces.append(entry.segment.text)
        keying = entry.segment.source == "dtmf" and not entry.done
    return join(pieces)


def in_order(items: list[T], key: Callable[[T], tuple[Any, ...] | int]) -> list[T]:
    """The items sorted; mostly there is one."""
    return sorted(items, key=key) if len(items) > 1 else items


def _sift(said: Sequence[Said], silent: Callable[[Said], bool]) -> tuple[list[Said], list[Said]]:
    """Tell what was surely said, in order, from what the recogniser may have made up."""
    sure: list[Said] = []
    unsure: list[Said] = []
    for entry in said:
        goes_on = bool(sure) and entry.place[0] - sure[-1].at[0] <= SILENCE
        spoken = entry.segment.source == "speech" and not goes_on
        (unsure if spoken and silent(entry) else sure).append(entry)
    return sure, unsure


def _worded(window: Window, said: Sequence[Said]) -> bool:
    for entry in said:  # noqa: SIM110 - asked for at each turn's end
        if entry.segment.source == "speech" and window.covers(entry.place[0]):
            return True
    return False
