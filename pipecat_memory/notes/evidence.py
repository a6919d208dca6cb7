"""Hearings of names and codes over turns, weighed together.

A later attempt at the same value is evidence; an explicit correction replaces what came before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pipecat_memory.notes.fusion.evidence import Attempt, Candidate
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.question import Question

Candidates = Callable[[str], Sequence[Candidate]]
"""The app's table: slot name to the values it may have."""

Attempts = Mapping[str, tuple[Attempt, ...]]


class HasEvidence(Protocol):
    """The part of the notes that is needed here."""

    @property
    def candidates(self) -> Candidates | None: ...

    @property
    def profile(self) -> Mapping[str, Any]: ...


def weigh(
    attempts: Attempts, mentions: list[Mention], heard: Heard, question: Question, notes: HasEvidence
) -> tuple[Attempts, list[Mention]]:
    """Mentions with the values that all attempts together speak for."""
    return attempts, mentions
