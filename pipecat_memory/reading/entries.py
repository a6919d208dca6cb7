"""What is kept of a caller as entries of the index.

Words that say what no longer holds are told as such, and come behind those that say what does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..records.fact import Fact
from ..records.profile import Episode, Profile
from ..records.summary import Summary
from .entry import Entry, Standing

_GONE = frozenset(("superseded", "retracted"))
_HOLDS = frozenset(("current", "pending"))


def entries_of(profile: Profile, episodes: Sequence[Episode]) -> list[Entry]:
    """Facts that hold or were replaced, summaries, and the turns of past calls."""
    turns = standings(profile.facts)
    calls = {call for call, _ in turns}
    return [
        *(_fact(fact) for fact in profile.facts if fact.status in ("current", "superseded")),
        *(_summary(one, "partly" if one.call in calls else "current") for one in profile.summaries),
        *(_episode(one, turns.get((one.call, one.turn), "current")) for one in episodes),
    ]


def standings(facts: Iterable[Fact]) -> Mapping[tuple[str, int], Standing]:
    """Of the turns, by call and number, that facts came from which no longer hold.

    Returns:
        `superseded` where all that was learned in the turn is gone, `partly` where some of it stands.
    """
    gone: set[tuple[str, int]] = set()
    holds: set[tuple[str, int]] = set()
    for fact in facts:
        if fact.status in _GONE:
            gone.add((fact.call, fact.turn))
        elif fact.status in _HOLDS:
            holds.add((fact.call, fact.turn))
    return {turn: "partly" if turn in holds else "superseded" for turn in gone}


def _fact(fact: Fact) -> Entry:
    return Entry(
        id=f"fact.{fact.id}",
        kind="fact",
        text=fact.text,
        at=fact.valid_from,
        call=fact.call,
        turn=fact.turn,
        line=fact.line,
        language=fact.language,
        importance=fact.importance,
        status=fact.status,
        subject=fact.subject,
        relations=fact.relations,
        topic=fact.key,
        correction=fact.corrects is not None,
    )


def _summary(summary: Summary, status: Standing) -> Entry:
    return Entry(
        id=f"summary.{summary.call}",
        kind="summary",
        text=summary.text,
        at=summary.at,
        call=summary.call,
        line=summary.line,
        status=status,
    )


def _episode(episode: Episode, status: Standing) -> Entry:
    """The caller's own words may be outdated; what the agent or another voice said stands for itself."""
    caller = episode.role == "user" and not episode.speaker
    return Entry(
        id=episode.id,
        kind="turn",
        text=episode.text,
        at=episode.at,
        call=episode.call,
        turn=episode.turn,
        role="user" if episode.role == "user" else "assistant",
        line=episode.line,
        language=episode.language,
        status=status if caller else "current",
        subject=f"other: {episode.speaker}" if episode.speaker else "caller",
    )
