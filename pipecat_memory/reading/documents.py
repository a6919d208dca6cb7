"""Documents of the app's own retrieval, held against what the caller said: the caller's word wins.

What a document says of a slot stands in its `fields`, or in its text behind the slot's name ("Date: Friday").
Free text is read for a plain statement of that one form; whatever may mean anything else says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from ..notes.choice_words import match_choice
from ..notes.mention import Moment, same
from ..notes.spoken import Kind, find
from ..notes.written_value import written
from ..records.call_state import CallState
from ..records.schema import MemorySchema, Slot
from .briefing import Line, plain

_KINDS: dict[str, Kind] = {
    "number": "number",
    "quantity": "number",
    "digits": "digits",
    "phone": "phone",
    "email": "email",
    "date": "date",
    "time": "time",
    "money": "money",
    "postcode": "postcode",
}
"""Types whose values are told apart from any other words by the finders of spoken values."""

LOOKED_AT = 2000
"""Characters of a document's text that are read; of all documents of a turn, four times as many."""

STATEMENTS = 8
"""Statements read of all documents of a turn: a finder takes up to 0.2 ms for the words behind one name."""

_BEHIND = 60
"""Characters behind a name in which its value stands."""

_TABLE = 2
"""Statements of one slot in one document; more are a table of many bookings, prices, branches."""

_SURE = 0.5
"""Certainty under which a span is worth taking only as an answer (`Span.certainty`)."""

_LONG = 3
"""Words of a description that may stand for the slot's name; more is an explanation."""

_UNDIALLED = re.compile(r"[^\w]+")
_DIALLED = 7
"""Digits of a number to call without its country, at least."""

_SENTENCE = re.compile(r"(?<!max)(?<!min)\.|[!?;\n]", re.IGNORECASE)
_ENDS = re.compile(r"[!?;\n]|\.(?=\s|$)")
_IS = "is|was|ist|war|es|era|est|était|set to|on|at|am|um|auf|el|a las|le|à"
_JOINED = rf"\s*(?:[:=\-–—]|(?<!\w)(?:{_IS})(?!\w))\s*"
_JOINTS = re.compile(rf"(?:{_JOINED}){{1,3}}", re.IGNORECASE)
_LEAD = re.compile(r"^[\s*_\"'“«(]*(?:(?:the|der|den|dem|el|le)\s+)?", re.IGNORECASE)
_MORE = re.compile(
    r"\s*(?:[-–—/]|(?:to|or|and|until|till|through|bis|oder|und|o|y|a|hasta|ou|et|jusqu\w*|plus|at most"
    r"|at least|max\w*|min\w*|or more|at the latest)(?!\w))",
    re.IGNORECASE,
)
"""Behind a value: it is the beginning of a range or of a choice, and no value of the slot."""
_NOT = re.compile(
    r"(?<!\w)(?:not|no|never|max\w*|min\w*|limit\w*|default|old|former\w*|previous\w*|nicht|kein\w*|alte\w*"
    r"|nunca|antigu\w*|pas|ancien\w*|if|wenn|si)(?!\w)|n't(?!\w)|(?<!\w)(?:to|of)\s*$",
    re.IGNORECASE,
)
"""About a name: what follows is denied, supposed, a limit, or over; or it is no name ("up to date")."""


@dataclass(frozen=True, slots=True, repr=False)
class Told:
    """What a document says of a slot: in which words, and in the slot's written form where it has one."""

    document: str
    slot: str
    words: Any
    value: Any


def read_documents(
    docs: Sequence[Mapping[str, Any]], schema: MemorySchema, moment: Moment
) -> tuple[Told, ...]:
    """What documents say of slots. Sync and bounded: under 2 ms.

    Args:
        docs: `{"id","text","fields"?}` each.
        schema: of the call.
        moment: when and where the call is: what a document's "Friday" counts from.
    """
    found: list[Told] = []
    left, unread = STATEMENTS, 4 * LOOKED_AT
    for doc in docs:
        id, fields = plain(doc.get("id", ""), 40), doc.get("fields")
        named: dict[str, Any] = {str(n): v for n, v in fields.items()} if isinstance(fields, Mapping) else {}
        found += [
            Told(id, name, value, _written(schema, name, value, moment)) for name, value in named.items()
        ]
        slots = [slot for slot in schema.slots if slot.name not in named]
        text = str(doc.get("text") or "")[: min(LOOKED_AT, unread)]
        told = list(islice(_statements(text, slots, moment), left))
        left, unread = left - len(told), unread - len(text)
        found += [Told(id, slot, words, value) for slot, words, value in told]
    return tuple(found)


def document_lines(told: Sequence[Told], state: CallState, hidden: Container[str] = ()) -> list[Line]:
    """Warnings of documents that contradict a value which stands in the notes.

    Args:
        told: what they say.
        state: the notes.
        hidden: names of slots whose values may not be told.
    """
    lines: list[Line] = []
    for one in told:
        held = None if one.slot in hidden else state.slots.get(one.slot)
        # One of several values says nothing of the others.
        if held is None or held.confidence == "pending" or isinstance(held.value, list | tuple):
            continue
        if not _agree(str(held.value).strip(), str(one.value).strip()):
            text = (
                f"Document {one.document} says {plain(one.slot, 40)} = {plain(one.words, 80)}, "
                f"but the caller said {plain(held.value, 80)}: go by the caller."
            )
            lines.append(Line(f"document.{one.document}", "warnings", text))
    return lines


def _agree(held: str, told: str) -> bool:
    """Whether two values are one; a number to call may stand without its country."""
    short, long = sorted((_UNDIALLED.sub("", held), _UNDIALLED.sub("", told)), key=len)
    return same(held, told) or (short.isdigit() and len(short) >= _DIALLED and long.endswith(short))


def _written(schema: MemorySchema, name: str, value: Any, moment: Moment) -> Any:
    slot = schema.slot(name)
    if slot is None:
        return value
    form = match_choice(slot, str(value)) if slot.values else written(value, slot, moment)
    return value if form is None else form


def _statements(text: str, slots: Sequence[Slot], moment: Moment) -> Iterator[tuple[str, str, Any]]:
    """What a text says of slots, each at most once: the slot, the words, the value."""
    if not text.strip():
        return
    for slot in slots:
        kind = _KINDS.get(slot.type)
        if kind is None or slot.multi or slot.secret or slot.values:
            continue
        found = list(_named(text, slot, kind, moment))
        plain_ones = [one for one in found if one is not None]
        if len(plain_ones) == len(found) and len({str(value) for _, value in plain_ones}) == 1:
            yield slot.name, *plain_ones[0]


def _named(text: str, slot: Slot, kind: Kind, moment: Moment) -> Iterator[tuple[str, Any] | None]:
    """Words and values behind the slot's name, wherever it stands; None for what is no plain value."""
    for index, match in enumerate(_names(slot.name, slot.description or "").finditer(text)):
        behind = text[match.end() : match.end() + _BEHIND]
        if (joint := _JOINTS.match(behind)) is None:
            continue
        behind = _ENDS.split(behind)[0]
        before = _SENTENCE.split(text[max(0, match.start() - _BEHIND) : match.start()])[-1]
        if index >= _TABLE or _NOT.search(before) or _NOT.search(behind):
            yield None
            return
        rest = _LEAD.sub("", behind[joint.end() :], count=1)
        spans = find(rest, kind, at=moment.at, timezone=moment.timezone)
        sure = len(spans) == 1 and not rest[: spans[0].start].strip("+(") and spans[0].certainty >= _SURE
        alone = sure and not _MORE.match(rest[spans[0].end :])
        yield (rest[: spans[0].end], spans[0].value) if alone else None


@lru_cache(maxsize=512)
def _names(name: str, description: str) -> re.Pattern[str]:
    """A slot's name, and a description short enough to be one, as words in a text."""
    ways = [[word for word in re.split(r"[\W_]+", name) if word]]
    described = re.findall(r"\w+", description)
    if described and len(described) <= _LONG:
        ways.append(described)
    alternatives = "|".join(r"[\s_\-]+".join(map(re.escape, way)) for way in ways if way)
    return re.compile(rf"(?<!\w)(?:{alternatives or '(?!)'})(?!\w)", re.IGNORECASE)
