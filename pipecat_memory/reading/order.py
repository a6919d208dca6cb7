"""The order of hits: by score, ties by time, then id; corrections before what they correct."""

from __future__ import annotations

from collections.abc import Sequence

from .entry import Hit


def arranged(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in the order they are told.

    Within one topic a correction comes first, then what is current, then what was: the places that
    the topic's hits won by score are kept, only who stands on which of them is settled here.
    """
    ranked = sorted(hits, key=lambda hit: hit.entry.id)
    ranked.sort(key=lambda hit: hit.entry.at, reverse=True)
    ranked.sort(key=lambda hit: -hit.score)
    places: dict[str, list[int]] = {}
    for place, hit in enumerate(ranked):
        if hit.entry.topic:
            places.setdefault(hit.entry.topic, []).append(place)
    for held in places.values():
        group = sorted((ranked[p] for p in held), key=_standing)
        for place, hit in zip(held, group, strict=True):
            ranked[place] = hit
    return ranked


def _standing(hit: Hit) -> tuple[bool, bool]:
    return (not hit.entry.correction, hit.entry.status != "current")
