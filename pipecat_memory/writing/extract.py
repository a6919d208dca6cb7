"""One extraction: a request from the last turns, the answer grounded, one result a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..clients.base import ModelRequest
from ..notes.patch import DeepPatch
from ..records.fact import Claim
from ..records.schema import DEFAULT_SCHEMA, MemorySchema
from ..records.turn import Turn
from .answer import RawExtract
from .clean import meant
from .ground import ground
from .prompting import EXTRACT_SCHEMA, FACTS_SCHEMA, fixed, now_line
from .scene import Scene
from .transcript import Said, one_line, said_in

CONTEXT_ITEMS = 4
"""Items of history before the asked turns: enough to know what "the same" and "yes" mean."""

CONTEXT_CHARS = 240
"""Of each context item; the end of a long reply holds its question."""

TURN_CHARS = 2000
ROOM = 500
"""Tokens of an answer about one turn; each further turn adds `ROOM_MORE`."""

ROOM_MORE = 150


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExtractionResult:
    """What the deep path found in one turn. A later result of the same turn replaces it.

    `asked` is the turn's text as the model read it, which may have been amended since.
    """

    turn: Turn
    asked: str
    claims: tuple[Claim, ...] = ()
    patch: DeepPatch = field(default_factory=DeepPatch)
    rejected: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])

    def __repr__(self) -> str:
        return f"<ExtractionResult turn={self.turn.number} claims={len(self.claims)}>"


def request_for(turns: Sequence[Turn], scene: Scene) -> ModelRequest:
    """The request for these turns: what never changes first, then keys, context and the turns.

    Args:
        turns: caller turns to extract from, ascending.
        scene: the call, whose moment and zone resolve "tomorrow", its slots and fact keys, its voices, and
            its history; what stands before or between the turns is shown as context.
    """
    started, schema, before = scene.started, scene.schema, scene.before
    lines = [now_line(started.at, started.timezone), *_wanted(schema)]
    asked = {turn.number: turn for turn in turns}
    first, last = turns[0].number, turns[-1].number
    earlier = [i for i in before if i.turn < first and i.trust == "high"][-CONTEXT_ITEMS:]
    between = [i for i in before if first <= i.turn <= last and i.trust == "high"]
    for item in (*earlier, *between):
        if item.role == "user" and item.turn in asked:
            lines.extend(_marked(asked.pop(item.turn), scene))
        elif item.role == "user":
            lines.extend(f"{_name(said, scene)}: {_end(said.text)}" for said in said_in(item, scene.who))
        elif item.turn < last:
            lines.append(f"AGENT: {_end(item.text)}")
    for turn in asked.values():
        lines.extend(_marked(turn, scene))
    return ModelRequest(
        purpose="extract",
        fixed=fixed("extract"),
        text="\n".join(lines),
        schema=EXTRACT_SCHEMA if _own_slots(schema) else FACTS_SCHEMA,
        max_tokens=ROOM + ROOM_MORE * (len(turns) - 1),
        call=started.call,
        turns=tuple(turn.number for turn in turns),
    )


def results_of(
    raw: RawExtract, asked: Sequence[Turn], turns: Sequence[Turn], scene: Scene
) -> list[ExtractionResult]:
    """What stands of an answer, by turn, ascending. What it says of the call goes with the last turn.

    Args:
        raw: the answer, under the numbers that the turns have now.
        asked: the turns as the model read them.
        turns: the same as they are now, to which quotes are held.
        scene: what grounding may look at.
    """
    found = ground(raw, turns, scene)
    results: list[ExtractionResult] = []
    for turn, read in zip(turns, asked, strict=True):
        grounded = found[turn.key]
        patch = DeepPatch(slots=tuple(grounded.slots))
        if turn is turns[-1]:
            patch = DeepPatch(
                slots=tuple(grounded.slots),
                task=raw.task,
                goal=raw.goal,
                topic=raw.topic,
                pending_steps=raw.pending_steps,
                completed_steps=raw.completed_steps,
                mood=raw.mood,
            )
        results.append(
            ExtractionResult(
                turn=turn,
                asked=read.text,
                claims=tuple(grounded.claims),
                patch=patch,
                rejected=grounded.rejected,
                refused=grounded.refused,
            )
        )
    return results


def _wanted(schema: MemorySchema) -> list[str]:
    """The app's own slots and keys. The default slots are common words that need no telling."""
    lines: list[str] = []
    if _own_slots(schema):
        slots = [
            f"{s.name}({'|'.join(s.values)})" if s.values else s.name for s in schema.slots if not s.secret
        ]
        lines.append("Slots: " + ", ".join(slots))
    if schema.facts:
        rows = [f"{r.key}({'|'.join(r.values)})" if r.values else r.key for r in schema.facts]
        lines.append("Fact keys, no others: " + ", ".join(rows))
    return lines


def _own_slots(schema: MemorySchema) -> bool:
    return bool(schema.slots) and schema.slots != DEFAULT_SCHEMA.slots


def _marked(turn: Turn, scene: Scene) -> list[str]:
    lines: list[str] = []
    for said in said_in(turn, scene.who):
        words = one_line(meant(said.text, turn.language).text or said.text)
        lines.append(f"> [{turn.number}] {_name(said, scene)}: {words[:TURN_CHARS]}")
    return lines


def _name(said: Said, scene: Scene) -> str:
    """A label that nobody introduced may be the caller's after all: it is asked about as his, and waits."""
    if said.who == "other" and said.speaker not in scene.other_voices:
        return f"CALLER voice{said.label}"
    return said.name


def _end(text: str) -> str:
    return one_line(text)[-CONTEXT_CHARS:]
