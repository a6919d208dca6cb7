"""What a recogniser says besides its words, read from the raw `result` of a transcription frame.

Pipecat's frames carry the text only; alternatives, confidence and speaker labels stand in the service's own
result, an SDK object or a decoded message. Two shapes cover the services that give them: Deepgram's
(`channel.alternatives`) and the flat one (`alternatives`, or the fields themselves). What is not there
stays unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipecat.frames.frames import TranscriptionFrame

from ..events import UserFinal

MAX_ALTERNATIVES = 10
"""Most alternatives kept of one final; services give up to ten."""


@dataclass(frozen=True, slots=True, repr=False)
class Hearing:
    """How surely a final was heard, and from whom."""

    nbest: tuple[str, ...] = ()
    confidence: float | None = None
    speaker: str | None = None

    def __repr__(self) -> str:
        return f"<Hearing alternatives={len(self.nbest)}>"


def heard(
    frame: TranscriptionFrame, *, id: str, t: float, started: float | None, other: str | None
) -> UserFinal:
    """A transcription frame as an event.

    Args:
        frame: the frame.
        id: of the event.
        t: when it came, seconds of the call.
        started: when its speech began, where that is known.
        other: label of the participant who said it, where that is not the caller.
    """
    hearing = read(frame.result, frame.text)
    return UserFinal(
        t=t,
        text=frame.text,
        id=id,
        started=started,
        speaker=other or hearing.speaker,
        language=str(frame.language) if frame.language else None,
        confidence=hearing.confidence,
        nbest=hearing.nbest,
    )


def read(result: object, text: str) -> Hearing:
    """Read a service's raw result.

    Args:
        result: `TranscriptionFrame.result`; None and unknown shapes give an empty `Hearing`.
        text: the frame's text; it is the best alternative whatever the result says.
    """
    if result is None:
        return Hearing()
    options = _list(_get(_get(result, "channel"), "alternatives")) or _list(_get(result, "alternatives"))
    best = options[0] if options else result
    words = _list(_get(best, "words")) or _list(_get(result, "words"))
    texts = [_get(option, "transcript") or _get(option, "text") for option in options]
    others = [t for t in texts if isinstance(t, str) and t.strip() and t != text]
    return Hearing(
        nbest=tuple(dict.fromkeys([text, *others]))[:MAX_ALTERNATIVES] if others else (),
        confidence=_share(_get(best, "confidence")) or _share(_mean(words)),
        speaker=_label(_get(result, "speaker")) or _majority(words),
    )


def _get(holder: object, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def _share(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 < value <= 1 else None


def _mean(words: list[Any]) -> float | None:
    known = [c for word in words if (c := _share(_get(word, "confidence"))) is not None]
    return sum(known) / len(known) if known else None


def _label(value: object) -> str | None:
    return (
        str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None
    )


def _majority(words: list[Any]) -> str | None:
    labels = Counter(label for word in words if (label := _label(_get(word, "speaker"))) is not None)
    return labels.most_common(1)[0][0] if labels else None
