"""Text as tones, and back: the voice where no speech models are.

Sixteen tones, two a byte, 10 ms each, after a 60 ms lead tone: 50 letters a second through a phone
line's mu-law at 8 kHz. What was cut off is simply not there, as with speech.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 8000
SYMBOL = 80
"""Samples of one tone: 10 ms, so tones 200 Hz apart don't disturb each other."""
LEAD_HZ = 3600
LEAD = 6 * SYMBOL
TAIL = 4 * SYMBOL
TONES_HZ = np.arange(16) * 200 + 400
_TIME = np.arange(SYMBOL) / RATE
_TONES = np.sin(2 * np.pi * np.outer(TONES_HZ, _TIME))
_PROBES = np.exp(-2j * np.pi * np.outer(np.append(TONES_HZ, LEAD_HZ), _TIME))
LEVEL = 12000


def encode(text: str) -> NDArray[np.int16]:
    """The text (ASCII; anything else becomes `?`) as samples at 8 kHz."""
    data = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    nibbles = np.stack([data >> 4, data & 15], axis=1).ravel()
    lead = np.sin(2 * np.pi * LEAD_HZ * np.arange(LEAD) / RATE)
    # A resampler on the way swallows the last few samples.
    sound = np.concatenate([lead, _TONES[nibbles].ravel(), np.zeros(TAIL)])
    return (sound * LEVEL).astype(np.int16)


def decode(samples: NDArray[np.int16]) -> str:
    """The text in samples at 8 kHz; "" where there is none. Several utterances are joined."""
    sound = samples.astype(np.float64)
    texts: list[str] = []
    at = 0
    while (start := _lead_end(sound, at)) is not None:
        text, at = _symbols(sound, start)
        texts.append(text)
    return " ".join(t for t in texts if t)


def _strengths(sound: NDArray[np.float64], at: int) -> NDArray[np.float64]:
    return np.abs(_PROBES @ sound[at : at + SYMBOL]) / (SYMBOL / 2)


def _lead_end(sound: NDArray[np.float64], at: int) -> int | None:
    """Where the lead tone stops, found by the best energy of the symbols after it."""
    floor = LEVEL / 6
    while at + 2 * SYMBOL < len(sound):
        strengths = _strengths(sound, at)
        if strengths[-1] > floor and strengths[-1] > 2 * strengths[:-1].max():
            break
        at += SYMBOL // 2
    else:
        return None
    while at + 2 * SYMBOL < len(sound) and _strengths(sound, at)[-1] > floor:
        at += SYMBOL // 8
    # The lead fades out of the window within one symbol; the true edge gives the purest tones.
    edges = [e for e in range(max(0, at - SYMBOL // 4), at + SYMBOL // 2, 4) if e + 8 * SYMBOL <= len(sound)]
    if not edges:
        return at
    return max(edges, key=lambda e: sum(_strengths(sound, e + n * SYMBOL)[:-1].max() for n in range(8)))


def _symbols(sound: NDArray[np.float64], at: int) -> tuple[str, int]:
    nibbles: list[int] = []
    while at + SYMBOL <= len(sound):
        strengths = _strengths(sound, at)
        if strengths.max() < LEVEL / 6 or strengths[-1] == strengths.max():
            break
        nibbles.append(int(strengths[:-1].argmax()))
        at += SYMBOL
    pairs = zip(nibbles[::2], nibbles[1::2], strict=False)
    text = bytes(high << 4 | low for high, low in pairs).decode("ascii", "ignore")
    # A step on in any case: a lead tone without a letter is not looked at twice.
    return "".join(c for c in text if c.isprintable()), at + SYMBOL
