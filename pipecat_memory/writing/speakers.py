"""Who said it, mended after the call: labels come from the app or a diariser, and claims move with them."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..clients.bounded import PLAIN, at_most, size_fault
from ..errors import ModelUnavailable, UsedWrongly
from ..records.fact import Claim
from ..records.turn import Segment, Turn
from ..tasks import apart
from .quote import locate

TRANSCRIPT = 20_000_000
"""Bytes of an answer about a recording: some 300 a word, and an hour of talk has 10,000 words, told twice."""

NEAR = 1.0
"""Seconds by which two recognisers may disagree on when a segment began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Who speaks when, and which label is the caller's.

    Args:
        by_segment: label by (turn key, number of the segment in the turn); a segment that is
            missing keeps the label it has.
        caller: the caller's label.
    """

    by_segment: Mapping[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    caller: str

    def __repr__(self) -> str:
        return f"<Labels segments={len(self.by_segment)}>"


class SpeakerLabels(Protocol):
    """The hook that corrects a recogniser's labels once a call is over."""

    async def label(self, call: str, turns: Sequence[Turn]) -> Labels | None:
        """Labels for the call's turns; None where there is nothing better than what is there.

        Raises:
            ModelUnavailable: the service gave no answer; what is there stays.
        """
        ...


def relabel(claims: Iterable[Claim], turns: Sequence[Turn], labels: Labels) -> list[Claim]:
    """The claims under corrected labels: the caller's hold, other voices' wait.

    Pure; doing it again changes nothing. A claim whose words can't be placed keeps its label.
    """
    by_number = {turn.number: turn for turn in turns}
    found: list[Claim] = []
    for claim in claims:
        speaker = _speaker(claim, by_number.get(claim.turn), labels) or claim.speaker
        pending = speaker is not None and speaker != labels.caller
        found.append(replace(claim, speaker=speaker, pending=pending))
    return found


def _speaker(claim: Claim, turn: Turn | None, labels: Labels) -> str | None:
    place = locate(claim.quote, turn) if turn is not None else None
    if turn is None or place is None or place.segment is None:
        return None
    return labels.by_segment.get((turn.key, turn.segments.index(place.segment)), place.segment.speaker)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Audio of a call that the app chose to keep.

    Args:
        audio: a whole file (WAV, MP3, ...) as bytes.
        consent: the people on it agreed to its use; without, nothing is sent.
        started: seconds of the call at which the recording begins.
        caller: label of the caller where the app knows it; else the voice of the first turn.
    """

    audio: bytes
    consent: bool
    started: float = 0.0
    caller: str | None = None

    def __repr__(self) -> str:
        return f"<Recording bytes={len(self.audio)}>"


class DeepgramDiarizer:
    """`SpeakerLabels` by Deepgram's pre-recorded API (needs `deepgram-sdk`).

    Args:
        recording: gives the recording of a call id, or None where none was kept.
        api_key: Deepgram's.
        model: Deepgram's model.
        timeout: seconds for one recording, all in.
        environment: a `DeepgramClientEnvironment` for another host.

    Example::

        labels = DeepgramDiarizer(recording_of, api_key=os.environ["DEEPGRAM_API_KEY"])
    """

    def __init__(
        self,
        recording: Callable[[str], Awaitable[Recording | None]],
        *,
        api_key: str,
        model: str = "nova-3",
        timeout: float = 60.0,
        environment: Any = None,
    ) -> None:
        self._recording = recording
        self._key = api_key
        self._model = model
        self._timeout = timeout
        self._environment = environment

    async def label(self, call: str, turns: Sequence[Turn]) -> Labels | None:
        """Send the call's recording, if there is one, and lay its voices over the turns."""
        recording = await self._recording(call)
        if recording is None or not turns:
            return None
        if not recording.consent:
            raise UsedWrongly("DeepgramDiarizer: a recording without consent is not sent anywhere")
        # The SDK is large: it is imported where it is used, off the loop, and not on the recording's time.
        deepgram = await asyncio.to_thread(importlib.import_module, "deepgram")
        errors = await asyncio.to_thread(importlib.import_module, "deepgram.core.api_error")
        # A long call's answer is some megabytes, of which the SDK makes objects: seconds, on two cores.
        return await apart(lambda: self._labels(recording, turns, deepgram, errors))

    async def _labels(
        self, recording: Recording, turns: Sequence[Turn], deepgram: Any, errors: Any
    ) -> Labels | None:
        try:
            async with asyncio.timeout(self._timeout):
                voices = await self._voices(recording, deepgram, errors)
        except TimeoutError:
            raise ModelUnavailable("no answer in time") from None
        by_segment = {
            (turn.key, index): label
            for turn in turns
            for index, segment in enumerate(turn.segments)
            if (label := _voice_at(voices, segment)) is not None
        }
        first = next(iter(by_segment.values()), None)
        caller = recording.caller or first
        return Labels(by_segment=by_segment, caller=caller) if caller is not None else None

    async def _voices(
        self, recording: Recording, deepgram: Any, errors: Any
    ) -> list[tuple[float, float, str]]:
        """(from, to, label) of every utterance, in seconds of the call."""
        httpx = importlib.import_module("httpx")
        options = {"environment": self._environment} if self._environment is not None else {}
        hooks = {"response": [at_most(TRANSCRIPT)]}
        async with httpx.AsyncClient(
            timeout=self._timeout, follow_redirects=True, event_hooks=hooks, headers=PLAIN
        ) as carrier:
            client = deepgram.AsyncDeepgramClient(api_key=self._key, httpx_client=carrier, **options)
            try:
                answer = await client.listen.v1.media.transcribe_file(
                    request=recording.audio,
                    model=self._model,
                    diarize=True,
                    utterances=True,
                    request_options={"max_retries": 0},
                )
            except (errors.ApiError, httpx.HTTPError) as error:
                raise size_fault(error) or ModelUnavailable(type(error).__name__) from None
        utterances = getattr(getattr(answer, "results", None), "utterances", None) or []
        return [
            (recording.started + u.start, recording.started + u.end, str(int(u.speaker)))
            for u in utterances
            if u.speaker is not None and u.start is not None and u.end is not None
        ]

    def __repr__(self) -> str:
        return f"<DeepgramDiarizer {self._model}>"


def _voice_at(voices: Sequence[tuple[float, float, str]], segment: Segment) -> str | None:
    """The voice that speaks when a segment begins, or the one nearest to it."""

    def gap(voice: tuple[float, float, str]) -> tuple[float, float]:
        begin, end, _ = voice
        outside = max(begin - segment.started, segment.started - end, 0.0)
        return outside, abs(begin - segment.started)

    nearest = min(voices, key=gap, default=None)
    return nearest[2] if nearest is not None and gap(nearest)[0] <= NEAR else None
