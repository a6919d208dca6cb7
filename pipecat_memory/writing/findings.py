"""What was found in a call's turns: claims with their quotes, and the notes that they refine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from ..calls.course import Course
from ..records.fact import Claim
from ..records.turn import Turn
from .asked import asked_for, asked_key
from .claims_note import ClaimsNote
from .extract import ExtractionResult
from .journal import Journal
from .scene import Scene


class Findings:
    """The deep path's findings of one call, and what the caller asked to be kept.

    Args:
        course: whose turns they are of, and whose notes they enter.
        journal: where they become durable.
        told: is told the turn's number and how many facts, each time.
    """

    def __init__(self, course: Course, journal: Journal, told: Callable[[int, int], None]) -> None:
        self._course = course
        self._journal = journal
        self._told = told
        self._claims: dict[str, tuple[Claim, ...]] = {}
        self._behind: set[str] = set()
        """Keys of turns that were amended after the words of which the model gave these claims."""

    def take(self, result: ExtractionResult) -> None:
        """The deep path's findings for one turn: into the notes, and durable."""
        if all(turn.key != result.turn.key for turn in self._course.ledger.turns):
            return
        self._course.deepen(result.turn, result.patch)
        self._keep(ClaimsNote.of(result), result.turn)

    def ask(self, key: str, value: str, quote: str, scene: Scene) -> bool:
        """Keep what the caller asks to be kept; False where no words of the caller carry it."""
        found = asked_for(key, value, quote, self._course.ledger.turns, scene)
        if found is None:
            return False
        turn, claim = found
        earlier = self._claims.get(asked_key(turn.key), ())
        claims = (*earlier, replace(claim, seq=claim.seq + len(earlier)))
        self._keep(ClaimsNote.asked_in(turn, claims), turn)
        return True

    def restore(self, notes: Sequence[ClaimsNote]) -> None:
        """What the journal says was found: in the words that a turn has now, else in those it began with."""
        turns = self._course.ledger.turns
        for note in notes:
            if any(note.is_of(turn) for turn in turns):
                self._hold(note.key, note)
        for note in notes:
            if (turn := note.of_turn(turns)) is not None and note.fits(turn):
                key = note.key_in(turn)
                if key not in self._claims:
                    self._hold(key, note)

    def begin_anew(self, course: Course, journal: Journal) -> None:
        """What was found so far is somebody else's; what comes is of that course, and written there."""
        self._course = course
        self._journal = journal
        self._claims = {}
        self._behind = set()

    def forget(self, turn: str) -> None:
        """The turn of this key is no longer history."""
        for key in (turn, asked_key(turn)):
            self._claims.pop(key, None)
            self._behind.discard(key)

    def missing(self) -> list[Turn]:
        """Committed turns of whose words, as they are now, the deep path has not answered yet."""
        done = self._claims.keys() - self._behind
        return [t for t in self._course.ledger.turns if t.key not in done and t.trust == "high"]

    @property
    def claims(self) -> list[Claim]:
        """What was found so far, under the numbers that turns have now: a late one moves those behind it."""
        turns = self._course.ledger.turns
        numbers = {key: turn.number for turn in turns for key in (turn.key, asked_key(turn.key))}
        return [
            replace(claim, turn=numbers.get(key, claim.turn))
            for key, claims in self._claims.items()
            for claim in claims
        ]

    def _hold(self, key: str, note: ClaimsNote) -> None:
        self._claims[key] = note.claims
        (self._behind.add if note.read else self._behind.discard)(key)

    def _keep(self, note: ClaimsNote, turn: Turn) -> None:
        """Claims of a turn: they count from now on, and are durable."""
        self._hold(note.key, note)
        self._journal.note("claims", note.uid, asdict(note))
        self._told(turn.number, len(note.claims))
