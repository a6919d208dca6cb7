import numpy as np
import pytest

from examples.phone_bot.line import from_mulaw, to_mulaw
from examples.phone_bot.voice import tones

TEXTS = ["Yes.", "Hi, my name is Zoe.", "At 7 o'clock, please: room 12?", "x" * 120]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("before", [0, 37, 1234])
@pytest.mark.parametrize("noise", [0, 800])
def test_text_comes_back_from_a_noisy_line(text: str, before: int, noise: int) -> None:
    quiet = np.zeros(before, np.int16)
    sound = np.concatenate([quiet, tones.encode(text), np.zeros(4000, np.int16)])
    noisy = sound + np.random.default_rng(1).normal(0, noise or 1e-9, len(sound))
    line = from_mulaw(to_mulaw(np.clip(noisy, -32768, 32767).astype(np.int16)))
    assert tones.decode(line) == text


def test_what_was_cut_off_is_not_there() -> None:
    text = "could you also tell me whether"
    heard = tones.decode(tones.encode(text)[: -12 * 2 * tones.SYMBOL - tones.TAIL])
    # The last letter may lie half behind the cut.
    assert heard in (text[:-12], text[:-13])


def test_two_utterances_are_two() -> None:
    gap = np.zeros(1600, np.int16)
    sound = np.concatenate([gap, tones.encode("Yes."), gap, tones.encode("Please do."), gap])
    assert tones.decode(sound) == "Yes. Please do."


def test_silence_says_nothing() -> None:
    assert tones.decode(np.zeros(8000, np.int16)) == ""


def test_mulaw_keeps_every_code() -> None:
    codes = bytes(range(256))
    again = to_mulaw(from_mulaw(codes))
    # Two codes mean zero; all others come back as they were.
    assert [c for c in range(256) if again[c] != c] == [127]
