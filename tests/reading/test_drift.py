"""What is dropped although it was found."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.drift import relevant


@pytest.mark.parametrize(
    ("coverage", "similarity", "share", "foreign", "expected"),
    [
        (1.0, 0.0, 1.0, False, True),
        (0.3, 0.0, 0.35, False, True),
        (0.29, 0.24, 1.0, False, False),
        (0.29, 0.25, 1.0, False, True),
        (0.0, -0.1, 1.0, False, False),
        (1.0, 1.0, 0.34, False, False),
        (0.5, 0.0, 0.1, True, True),
        (0.49, 1.0, 1.0, True, False),
    ],
)
def test_worth_a_line(
    coverage: float, similarity: float, share: float, foreign: bool, expected: bool
) -> None:
    assert relevant(coverage, similarity, share, foreign=foreign) is expected
