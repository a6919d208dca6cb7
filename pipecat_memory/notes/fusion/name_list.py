"""The list of common names: how common each is, how it sounds, how it is written."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from pipecat_memory.notes.fusion.sounding import skeleton

ALIKE = 12
"""Listed names looked up by one sound, the commonest."""


@lru_cache(maxsize=1)
def listed() -> tuple[dict[str, float], dict[str, float]]:
    """Given names and surnames with their frequency per 100,000."""
    path = resources.files("pipecat_memory.notes.fusion") / "tables" / "names_us_census_1990.txt"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    first, last = (
        {
            name: float(run.partition(":")[0])
            for run in line.split()
            for name in run.partition(":")[2].split(",")
        }
        for line in lines
    )
    return first, last


@lru_cache(maxsize=1)
def alike() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Given names and surnames by how they sound, the commonest first."""
    found: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for index, names in zip(found, listed(), strict=True):
        for name in sorted(names, key=lambda name: -names[name]):
            group = index.setdefault(skeleton(name), [])
            if len(group) < ALIKE:
                group.append(name)
    return found


def prewarm() -> None:
    """Read the list now: it takes a few hundred milliseconds, which no call should pay."""
    alike()


def written_name(part: str) -> str:
    """A name as it is usually written; Irish and Scots prefixes keep theirs."""
    if (
        len(part) > 3
        and part[0] == "o"
        and part[1] not in "aeiouy"
        and part[1:] in listed()[1]
        and part not in listed()[0]
    ):
        return f"O'{part[1:].capitalize()}"
    if len(part) > 4 and part.startswith("mc"):
        return f"Mc{part[2:].capitalize()}"
    return part.capitalize()
