"""Known names go to the recogniser: once, in its own words for it, and never while somebody speaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest
from loguru import logger
from pipecat.frames.frames import Frame
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import STTService
from pipecat.utils.types import NOT_GIVEN

from pipecat_memory.processors.key_terms import KeyTerms

from .conftest import MakeCall

SCHEMA = {"version": 1, "slots": [{"name": "name", "type": "name"}, {"name": "city", "type": "name"}]}


@dataclass
class TermSettings(STTSettings):
    keyterm: Any = field(default_factory=lambda: NOT_GIVEN)


class Recogniser(STTService):
    """A recogniser that takes key terms, as Deepgram does."""

    Settings = TermSettings

    def __init__(self, terms: list[str] | None = None) -> None:
        super().__init__(settings=TermSettings(model=None, language=None, keyterm=terms))

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        yield None


class PlainRecogniser(Recogniser):
    """One that takes none."""

    Settings = STTSettings  # pyright: ignore[reportAssignmentType] - what a service without key terms has


@pytest.mark.parametrize("own", [None, ["Pipecat"]])
async def test_tells_what_is_sure_and_only_what_is_new(make_call: MakeCall, own: list[str] | None) -> None:
    call = make_call(schema=SCHEMA)
    terms, recogniser = KeyTerms(call), Recogniser(own)
    terms.attach([recogniser])
    assert terms.news() == []
    call.correct("/slots/name", "Siobhan Ngata", by="operator")
    [frame] = terms.news()
    assert frame.service is recogniser
    assert isinstance(frame.delta, TermSettings)
    assert frame.delta.keyterm == [*(own or []), "Siobhan Ngata"]
    assert terms.news() == []
    call.correct("/slots/city", "Faro", by="operator")
    [frame] = terms.news()
    assert isinstance(frame.delta, TermSettings)
    assert set(frame.delta.keyterm) == {*(own or []), "Siobhan Ngata", "Faro"}


async def test_a_recogniser_without_them_is_named_in_the_log(make_call: MakeCall) -> None:
    lines: list[str] = []
    sink = logger.add(lambda message: lines.append(str(message)), level="WARNING")
    terms = KeyTerms(make_call())
    terms.attach([PlainRecogniser()])
    logger.remove(sink)
    assert len([line for line in lines if "key terms" in line]) == 1
    assert terms.news() == []


def test_deepgrams_own_settings_take_them() -> None:
    assert "keyterm" in DeepgramSTTService.Settings.__dataclass_fields__
