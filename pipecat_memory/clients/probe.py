"""Whose vectors these are. A name does not say it: an app may put another model behind the same one."""

from __future__ import annotations

import numpy as np

from .base import Vectors

PROBE = "The quick brown fox jumps over the lazy dog."
"""Embedded along with whatever is embedded: what a model makes of one sentence shows which model it is."""
SAME = 0.99
"""Least cosine of two vectors of the probe by one model. Storing one with 16 bits leaves it above .999; two
models' axes have nothing to do with each other."""


def same_model(one: Vectors | None, other: Vectors | None) -> bool:
    """Whether two vectors of the probe come from one model; of a missing one that is assumed."""
    if one is None or other is None:
        return True
    if one.shape != other.shape:
        return False
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) >= SAME * lengths
