"""Known names and terms, hinted to the recogniser: before the first turn, and when a new one is sure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from loguru import logger
from pipecat.frames.frames import STTUpdateSettingsFrame
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import STTService

from ..call import CallMemory

FIELDS = ("keyterm", "keyterms", "keyterms_prompt")
"""What the services call it: Deepgram and Cartesia, ElevenLabs, AssemblyAI."""
MOST = 100
"""Terms a connection takes at most (Deepgram and Cartesia document 100)."""


class KeyTerms:
    """Keeps the recognisers of one pipeline told.

    Args:
        call: whose terms they are.
    """

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._fields: list[tuple[STTService, str, list[str]]] = []
        self._sent: tuple[str, ...] = ()

    def attach(self, recognisers: list[STTService]) -> None:
        """Take the recognisers that stand before us; one that takes no terms is named in the log."""
        for recogniser in recognisers:
            if (name := _field_of(recogniser)) is None:
                logger.warning(
                    f"{recogniser} takes no key terms: known names can't be hinted to it. "
                    f"Deepgram, Flux, AssemblyAI, Cartesia and ElevenLabs take them"
                )
                continue
            # The app's own terms stay in front; a settings update replaces the whole list.
            own = getattr(getattr(recogniser, "_settings", None), name, None)
            given = [own] if isinstance(own, str) else own if isinstance(own, list) else []
            self._fields.append((recogniser, name, [str(term) for term in given]))

    def news(self) -> list[STTUpdateSettingsFrame]:
        """Frames that tell the recognisers what is new; none where nothing is.

        Ask only while the caller is silent: some services reconnect to take new terms.
        """
        if not self._fields or (terms := self._call.key_terms()) == self._sent:
            return []
        self._sent = terms
        return [_update(recogniser, name, own, terms) for recogniser, name, own in self._fields]


def _field_of(recogniser: STTService) -> str | None:
    settings = getattr(type(recogniser), "Settings", None)
    known = (
        {f.name for f in fields(settings)} if settings is not None and is_dataclass(settings) else set[str]()
    )
    return next((name for name in FIELDS if name in known), None)


def _update(
    recogniser: STTService, name: str, own: list[str], terms: tuple[str, ...]
) -> STTUpdateSettingsFrame:
    merged = list({term.casefold(): term for term in reversed([*own, *terms])}.values())[::-1][:MOST]
    # Every service names its settings' class so; the base class declares none.
    settings: Callable[..., STTSettings] = getattr(type(recogniser), "Settings")  # noqa: B009 - see above
    delta = settings(**{name: merged})
    return STTUpdateSettingsFrame(delta=delta, service=recogniser, reach_inactive_services=True)
