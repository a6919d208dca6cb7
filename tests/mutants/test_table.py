"""The table of faults fits the engine; whether the tests see the faults is `make mutants`."""

from __future__ import annotations

import ast

import pytest

from .run import MUTANTS, ROOT, planted
from .table import Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_every_fault_can_be_planted(mutant: Mutant) -> None:
    sound = (ROOT / "pipecat_memory" / mutant.file).read_text(encoding="utf-8")
    ast.parse(planted(sound, mutant))


def test_there_are_enough_and_no_two_alike() -> None:
    assert (
        len({m.name for m in MUTANTS})
        == len({(m.file, m.right, m.wrong) for m in MUTANTS})
        == len(MUTANTS)
        >= 35
    )
