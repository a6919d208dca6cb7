"""A call as a model reads it: a line a voice, so that nobody's words are taken for the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from ..ledger.parties import Who
from ..ledger.script import join
from ..records.turn import HistoryItem, ToolRecord, Turn

WhoIs = Callable[[str | None, float], Who]
"""Who speaks under a recogniser's label (None: under none) in speech that started then."""

_NAMES: dict[Who, tuple[str, str]] = {
    "caller": ("CALLER", "The caller"),
    "unsure": ("CALLER OR ANOTHER", "The caller, or somebody else on the line,"),
    "other": ("OTHER VOICE", "Somebody else on the line"),
    "human_agent": ("HUMAN AGENT", "A human agent"),
    "recording": ("RECORDING", "A recording"),
}
"""As a transcript names them, and in a sentence."""
NOT_THE_CALLERS = tuple(_NAMES[who][0] for who in ("other", "human_agent", "recording"))
"""How lines of a transcript begin that are surely somebody else's."""
HEAD, TAIL = 2_000, 10_000
"""Characters of a long transcript that are shown: how it began and how it ended."""

LINE = 600
"""Characters of one item or tool result in a transcript."""

_LABEL = 20
"""Characters of a recogniser's label that are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Said:
    """What one voice said in a turn."""

    who: Who
    speaker: str | None
    text: str

    @property
    def name(self) -> str:
        """The voice as a transcript names it."""
        return _NAMES[self.who][0] + (self.label if self.who == "other" else "")

    @property
    def subject(self) -> str:
        """The voice in a sentence."""
        return _NAMES[self.who][1]

    @property
    def label(self) -> str:
        """What tells voices of one name apart."""
        return f" {one_line(self.speaker)[:_LABEL]}" if self.speaker else ""


def everybody_is_the_caller(speaker: str | None, started: float) -> Who:
    """Where nothing is known of other voices."""
    return "caller"


def said_in(turn: Turn | HistoryItem, who: WhoIs) -> list[Said]:
    """What each voice said in a turn, in order."""
    segments = turn.segments if isinstance(turn, Turn) else turn.voices
    if len({segment.speaker for segment in segments}) < 2:
        return [Said(who(turn.speaker, turn.started), turn.speaker, turn.text)]
    found: list[Said] = []
    for speaker, run in groupby(segments, key=lambda segment: segment.speaker):
        own = list(run)
        found.append(Said(who(speaker, own[0].started), speaker, join(segment.text for segment in own)))
    return found


def transcript(
    items: Iterable[HistoryItem],
    tools: Iterable[ToolRecord] = (),
    who: WhoIs = everybody_is_the_caller,
) -> str:
    """What was said and heard, one line a voice, so that no text can forge a speaker's line."""
    lines: list[str] = []
    for item in items:
        if item.role == "user":
            lines += [f"{said.name}: {capped(one_line(said.text), LINE)}" for said in said_in(item, who)]
        else:
            lines.append(f"AGENT: {capped(one_line(item.text), LINE)}")
    lines += [
        f"TOOL {one_line(tool.name)} {tool.status}: {capped(one_line(str(tool.result)), LINE)}"
        for tool in tools
        if tool.status is not None
    ]
    text = "\n".join(lines)
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n[...]\n{text[-TAIL:]}"


def capped(text: str, limit: int) -> str:
    """At most so many characters, the end marked where it is missing."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """One line, so that no words can forge another voice's."""
    return " ".join(text.split())
