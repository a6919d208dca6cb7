"""From seconds of audio to words, without a pipeline."""

from __future__ import annotations

import pytest

from pipecat_memory.processors.audio import SECONDS_PER_WEIGHT, AudioStream, Stretch, prefix, weight

TEXT = "One two three. Four five six."


def stream(text: str = TEXT, made: float = 6.0, *, complete: bool = True) -> tuple[AudioStream, Stretch]:
    audio, stretch = AudioStream(), Stretch(start=0.0, texts=[text])
    audio.add(stretch, made, now=0.0)
    stretch.complete = complete
    return audio, stretch


@pytest.mark.parametrize(
    ("text", "limit", "heard"),
    [
        ("abc defg", 0, ""),
        ("abc defg", 2.9, ""),
        ("abc defg", 3, "abc"),
        ("abc defg", 8.9, "abc"),
        ("abc defg", 9, "abc defg"),
        ("abc defg", 100, "abc defg"),
        ("はい、そう", 6, "はい"),
        ("", 5, ""),
    ],
)
def test_prefix_is_whole_words(text: str, limit: float, heard: str) -> None:
    assert prefix(text, limit) == heard


@pytest.mark.parametrize("share", [i / 20 for i in range(21)])
def test_heard_grows_with_what_was_written(share: float) -> None:
    audio, stretch = stream()
    audio.written = 6.0 * share
    heard = audio.heard(stretch, now=100.0)
    assert TEXT.startswith(heard)
    assert abs(len(heard.split()) - 6 * share) <= 1


def test_sentences_that_end_at_known_places_are_anchors() -> None:
    # Three words in one second, the other three in nine: a plain share would be wrong by two words.
    audio, stretch = AudioStream(), Stretch(start=0.0, texts=["One two three."])
    audio.add(stretch, 1.0, now=0.0)
    audio.mark_text(stretch)
    stretch.texts.append("Four five six.")
    audio.add(stretch, 9.0, now=0.1)
    audio.mark_text(stretch)
    audio.written = 1.1
    assert audio.heard(stretch, now=0.1) == "One two three."


def test_text_ahead_of_its_audio_marks_no_place() -> None:
    audio, stretch = AudioStream(), Stretch(start=0.0, texts=[TEXT])
    audio.mark_text(stretch)
    audio.add(stretch, 6.0, now=0.0)
    audio.mark_text(stretch)
    assert stretch.anchors == []


def test_while_synthesis_runs_the_rest_is_estimated_by_the_rate() -> None:
    audio, stretch = stream(made=0.5, complete=False)
    audio.written = 0.5
    heard = audio.heard(stretch, now=0.01)
    assert 0 < len(heard.split()) < 3
    # Silence of the synthesiser means that this was all of it.
    assert audio.heard(stretch, now=1.0) == TEXT


def test_the_rate_is_learned_from_what_was_said_before() -> None:
    audio, stretch = stream(text="a longer text to learn from", made=4.0)
    audio.complete(stretch)
    per_weight = 4.0 / weight("a longer text to learn from")
    assert per_weight > 2 * SECONDS_PER_WEIGHT
    later = Stretch(start=4.0, texts=[TEXT])
    audio.add(later, 0.5, now=0.0)
    audio.written = 4.5
    assert audio.heard(later, now=0.01) in ("", "One")


def test_marks_bound_what_was_written() -> None:
    audio, stretch = stream()
    audio.written = 6.0
    assert audio.position == 6.0
    audio.confirm((1, 2.0))
    audio.confirm((1, 1.0))
    assert audio.position == 2.0
    assert len(audio.heard(stretch, now=9.0).split()) <= 2


def test_news_of_an_earlier_stream_is_no_proof_of_this_one() -> None:
    audio, _ = stream()
    number, _ = audio.end
    audio.confirm((number, 1.0))
    audio.flush()
    audio.written = 3.0
    audio.confirm((number, 5.0))
    assert audio.position == 0.0
    audio.confirm(audio.end)
    assert audio.position == 0.0
