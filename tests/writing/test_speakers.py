from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from deepgram.environment import DeepgramClientEnvironment

from pipecat_memory.errors import ModelAnswerBad, ModelUnavailable, UsedWrongly
from pipecat_memory.records.fact import Claim
from pipecat_memory.records.turn import Segment, Turn
from pipecat_memory.writing import DeepgramDiarizer, Labels, Recording, relabel, speakers
from pipecat_memory.writing.reconcile import reconcile
from pipecat_memory.writing.speakers import TRANSCRIPT

from .scene import AT, fact, judged

# The SDK's own import touches a name that its websocket library is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:websockets:DeprecationWarning")

FIRST = Turn(1, "a", "I'm diabetic", 2.0, (Segment("I'm diabetic", 2.0, speaker="0"),))
MIXED = Turn(
    2,
    "b",
    "I like tea and I hate fish",
    6.0,
    (Segment("I like tea", 6.0, speaker="0"), Segment("and I hate fish", 8.0, speaker="0")),
)
TURNS = [FIRST, MIXED]


def claims() -> list[Claim]:
    answer = [
        fact("condition", "diabetic", "I'm diabetic"),
        fact("likes", "tea", "I like tea"),
        fact("dislikes", "fish", "I hate fish"),
    ]
    return [claim for result in judged(TURNS, answer, caller_voice="0") for claim in result.claims]


def test_facts_move_with_corrected_labels() -> None:
    before = claims()
    assert not any(claim.pending for claim in before)
    labels = Labels(by_segment={("b", 1): "1"}, caller="0")
    after = relabel(before, TURNS, labels)
    assert [(c.value, c.speaker, c.pending) for c in after] == [
        ("diabetic", "0", False),
        ("tea", "0", False),
        ("fish", "1", True),
    ]
    assert relabel(after, TURNS, labels) == after
    statuses = {f.value: f.status for f in reconcile(after, now=AT)}
    assert statuses == {"diabetic": "current", "tea": "current", "fish": "pending"}


def test_the_caller_may_turn_out_to_be_the_other_voice() -> None:
    after = relabel(claims(), TURNS, Labels(by_segment={("b", 1): "1"}, caller="1"))
    assert [claim.pending for claim in after] == [True, True, False]


def test_a_claim_whose_words_are_nowhere_keeps_its_label() -> None:
    stray = replace(claims()[0], quote="words of nobody", turn=7)
    (after,) = relabel([stray], TURNS, Labels(caller="0"))
    assert (after.speaker, after.pending) == ("0", False)
    unlabelled = replace(stray, speaker=None)
    assert relabel([unlabelled], TURNS, Labels(caller="0")) == [unlabelled]


UTTERANCES = [
    {"start": 1.0, "end": 2.5, "speaker": 0, "transcript": "x"},
    {"start": 5.0, "end": 6.5, "speaker": 0, "transcript": "x"},
    {"start": 7.1, "end": 8.0, "speaker": 1, "transcript": "x"},
]


@contextmanager
def deepgram_stub(
    status: int = 200, utterances: list[dict[str, Any]] | None = None, *, padding: int = 0
) -> Generator[tuple[Any, list[str]]]:
    """A loopback host that answers as Deepgram's pre-recorded API does."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(self.path)
            results = {"channels": [], "utterances": UTTERANCES if utterances is None else utterances}
            meta: dict[str, Any] = {"request_id": "r", "sha256": "s", "created": "2026-03-02T10:00:00Z"}
            meta |= {"duration": 9.0, "channels": 1, "models": [], "model_info": {}}
            payload = json.dumps({"metadata": meta, "results": results}).encode() + b" " * padding
            packed = gzip.compress(payload) if padding else payload
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(packed)))
            if padding:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    host = f"http://127.0.0.1:{server.server_address[1]}"
    environment = DeepgramClientEnvironment(base=host, production=host, agent=host, agent_rest=host)
    try:
        yield environment, asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def diarizer(environment: Any, recording: Recording | None) -> DeepgramDiarizer:
    async def recording_of(call: str) -> Recording | None:
        return recording if call == "c" else None

    return DeepgramDiarizer(recording_of, api_key="k", environment=environment, timeout=10.0)


async def test_deepgram_lays_its_voices_over_the_turns() -> None:
    with deepgram_stub() as (environment, asked):
        hook = diarizer(environment, Recording(audio=b"RIFF", consent=True, started=1.0))
        labels = await hook.label("c", TURNS)
    assert labels == Labels(by_segment={("a", 0): "0", ("b", 0): "0", ("b", 1): "1"}, caller="0")
    assert "diarize=true" in asked[0]


async def test_the_app_knows_the_callers_label() -> None:
    with deepgram_stub() as (environment, _):
        hook = diarizer(environment, Recording(audio=b"RIFF", consent=True, started=1.0, caller="1"))
        labels = await hook.label("c", TURNS)
    assert labels is not None
    assert labels.caller == "1"


async def test_nothing_is_sent_without_consent_or_recording() -> None:
    with deepgram_stub() as (environment, asked):
        with pytest.raises(UsedWrongly, match="consent"):
            await diarizer(environment, Recording(audio=b"RIFF", consent=False)).label("c", TURNS)
        assert await diarizer(environment, None).label("c", TURNS) is None
        assert await diarizer(environment, Recording(audio=b"RIFF", consent=True)).label("c", []) is None
    assert asked == []


async def test_no_voices_are_no_labels() -> None:
    with deepgram_stub(utterances=[]) as (environment, _):
        assert await diarizer(environment, Recording(audio=b"RIFF", consent=True)).label("c", TURNS) is None


async def test_a_refusal_is_no_answer() -> None:
    with deepgram_stub(status=401) as (environment, asked), pytest.raises(ModelUnavailable):
        await diarizer(environment, Recording(audio=b"RIFF", consent=True)).label("c", TURNS)
    assert len(asked) == 1


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_is_bounded_by_its_size(status: int) -> None:
    with (
        deepgram_stub(status, padding=TRANSCRIPT) as (environment, asked),
        pytest.raises(ModelAnswerBad, match=f"more than {TRANSCRIPT} bytes"),
    ):
        await diarizer(environment, Recording(audio=b"RIFF", consent=True)).label("c", TURNS)
    assert len(asked) == 1


async def test_the_answer_is_read_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    read_in: list[int] = []
    genuine = speakers._voice_at

    def seen(*args: Any) -> Any:
        read_in.append(threading.get_ident())
        return genuine(*args)

    monkeypatch.setattr(speakers, "_voice_at", seen)
    with deepgram_stub() as (environment, _):
        assert await diarizer(environment, Recording(audio=b"RIFF", consent=True)).label("c", TURNS)
    assert read_in
    assert threading.get_ident() not in read_in
