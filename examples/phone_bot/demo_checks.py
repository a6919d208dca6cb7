"""What the demo claims, and whether it is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .answers import QUESTIONS
from .demo_script import Script, same_utterance, same_word, says, weekday
from .line import Line

Row = dict[str, Any]
FIRST = ("name", "booking", "correction", "interruption")


@dataclass(slots=True)
class Claims:
    """Claims and whether they hold."""

    rows: list[tuple[bool, str]] = field(default_factory=list[tuple[bool, str]])

    def that(self, claim: str, holds: object) -> None:
        """Note one."""
        self.rows.append((bool(holds), claim))

    @property
    def failed(self) -> int:
        return sum(not holds for holds, _ in self.rows)

    def show(self) -> None:
        """Print them."""
        for holds, claim in self.rows:
            print(f"  {'yes' if holds else 'NO '}  {claim}")


def check_first(
    claims: Claims, script: Script, end: Row, rows: Sequence[Row], line: Line, greeting: str
) -> None:
    """The call in which everything is told."""
    _heard_in_order(claims, script, end, FIRST, 1)
    heard = [item["text"] for item in end.get("history", []) if item["role"] == "user"]
    broken = heard[len(FIRST) :]
    last = script.lines["broken off"]
    claims.that(
        "call 1: the sentence broken off by hanging up is in the journal as far as it was said",
        broken and same_utterance(last, " ".join(broken), share=script.cut),
    )
    slots = _slots(end)
    claims.that("call 1: her name is noted", same_word(script.name, str(slots.get("name", ""))))
    claims.that("call 1: the party is noted", slots.get("party_size") == script.party)
    claims.that("call 1: the corrected day is noted", slots.get("date") == script.after.isoformat())
    cut = [item for item in end.get("history", []) if item.get("interrupted")]
    claims.that("call 1: cutting in stopped the bot's audio", line.clears > 0)
    claims.that(
        "call 1: of the reply that was cut, a part is history and marked as cut",
        cut
        and all(item["text"] for item in cut)
        and not any(QUESTIONS["time"] in item["text"] for item in cut),
    )
    summary = end.get("summary") or {}
    items = " ".join(summary.get("open_items", []))
    claims.that("call 1: the booking is left as an open item with its day", script.after.isoformat() in items)


def check_second(
    claims: Claims, script: Script, end: Row, rows: Sequence[Row], line: Line, greeting: str
) -> None:
    """The call that goes on."""
    claims.that(f"call 2: she is greeted by her name (heard: {greeting!r})", says(greeting, script.name))
    claims.that("call 2: the greeting's audio names the corrected day", says(greeting, weekday(script.after)))
    claims.that("call 2: and not the first one", not says(greeting, weekday(script.before)))
    _heard_in_order(claims, script, end, ("yes", "time"), 2)
    told = "\n".join(end.get("briefings", []))
    claims.that("call 2: the model was told the corrected day", script.after.isoformat() in told)
    # The first step stands from before she said that she wants to go on.
    asked = [step["slot"] for step in end.get("next", [])[1:] if step["action"] == "ask_slot"]
    said = " ".join(item["text"] for item in end.get("history", []) if item["role"] == "assistant")
    known = ("name", "party_size", "date")
    claims.that(
        "call 2: nothing is asked twice",
        end and not set(asked) & set(known) and not any(QUESTIONS[name] in said for name in known),
    )
    booked = [r["result"]["booked"] for r in rows if r["kind"] == "tool" and "booked" in r["result"]]
    table = booked[-1] if booked else {}
    right = (table.get("party_size"), table.get("date"), table.get("time"))
    expected = (script.party, script.after.isoformat(), f"{script.hour + 12}:00")
    claims.that(f"call 2: the right table is booked {right}", right == expected)
    claims.that("call 2: in her name", same_word(script.name, str(table.get("name", ""))))


def check_third(
    claims: Claims, script: Script, end: Row, rows: Sequence[Row], line: Line, greeting: str
) -> None:
    """The stranger's call."""
    _heard_in_order(claims, script, end, ("stranger",), 3)
    given = "\n".join(
        [greeting, *end.get("briefings", []), *(item["text"] for item in end.get("history", []))]
    )
    claims.that("call 3: the stranger is answered", len(end.get("history", [])) >= 3)
    claims.that("call 3: the stranger hears and is told no name", end and not says(given, script.name))
    leaked = [
        w for w in (script.after.isoformat(), weekday(script.after), weekday(script.before)) if w in given
    ]
    claims.that("call 3: and no day", end and not leaked)
    claims.that("call 3: and has no notes", end and not _slots(end))


def _heard_in_order(claims: Claims, script: Script, end: Row, labels: Sequence[str], call: int) -> None:
    heard = [item["text"] for item in end.get("history", []) if item["role"] == "user"]
    for number, label in enumerate(labels):
        text = heard[number] if number < len(heard) else ""
        claims.that(
            f"call {call}, turn {number + 1} ({label}): heard as said",
            same_utterance(script.lines[label], text),
        )


def _slots(end: Row) -> dict[str, Any]:
    return {name: slot["value"] for name, slot in end.get("state", {}).get("slots", {}).items()}
