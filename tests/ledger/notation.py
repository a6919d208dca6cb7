"""A short notation for calls, one event a line, and for the history they should end in.

    1.0 U[                   voice starts            2.0 U]              voice stops
    1.2 U~ what are          interim text            2.2 U= hello @1.0 #f1 *spk   final: start, id, speaker
    2.5 .                    the turn ended          2.6 T some text     typed
    2.7 D 12+                keys, more follow       2.8 ? text / !?     early guess / withdrawn
    3.0 R r1 / Rx r1         reply starts / unrecorded
    3.0 G r1 text            generated               3.4 H r1 text / Hc  heard / joined as characters
    4.0 X r1 / Xi r1 0.4     ended / interrupted, with the share played; `~` after it: no word timings
    4.0 INT                  the caller cuts in      5.0 C t1 name       tool called
    5.1 V t1 ok              tool returned           9.0 END hangup      the call ended
    6.0 PAUSE RESUME FORGET MACHINE

History: `user 1 text`, `agent 1 text`, with marks before the text: `!` interrupted, `~` estimated, `?` no
evidence, `^` promoted, `_` incomplete, `-` low trust.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pipecat_memory import events as ev
from pipecat_memory.ledger.effects import Effect
from pipecat_memory.ledger.reducer import Ledger
from pipecat_memory.records.turn import HistoryItem

_OPTION = re.compile(r"\s+([@#*])(\S+)")


def events(script: str) -> list[ev.Event]:
    """The events of a script, in the order of its lines."""
    return [_event(line) for line in script.strip().splitlines() if line.strip()]


def fold(script: str, **options: Any) -> Ledger:
    """The ledger after a script."""
    ledger = Ledger(**options)
    for event in events(script):
        ledger.apply(event)
    return ledger


def effects(script: str) -> list[Effect]:
    """All effects of a script."""
    ledger = Ledger()
    return [effect for event in events(script) for effect in ledger.apply(event)]


def told(ledger: Ledger) -> list[str]:
    """The history in the notation."""
    return [_item(item) for item in ledger.history()]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def _item(item: HistoryItem) -> str:
    marks = {
        "!": item.interrupted,
        "~": item.precision == "estimated",
        "?": item.role == "assistant" and item.precision == "none",
        "^": item.promoted,
        "_": item.incomplete,
        "-": item.trust == "low" and not item.promoted,
    }
    who = "user" if item.role == "user" else "agent"
    return f"{who} {item.turn} {''.join(m for m, on in marks.items() if on)}{item.text}"


def _event(line: str) -> ev.Event:
    clock, _, rest = line.strip().partition(" ")
    kind, _, body = rest.strip().partition(" ")
    return _KINDS[kind](float(clock), body.strip())


def _final(t: float, body: str) -> ev.Event:
    options = dict(_OPTION.findall(" " + body))
    return ev.UserFinal(
        t=t,
        text=_OPTION.sub("", " " + body).strip(),
        started=float(options["@"]) if "@" in options else None,
        id=options.get("#"),
        speaker=options.get("*"),
    )


def _ended(t: float, body: str, *, interrupted: bool) -> ev.Event:
    reply, *rest = body.split()
    timed = "~" not in rest
    played = next((float(r) for r in rest if r != "~"), None)
    return ev.ReplyEnded(t=t, reply=reply, interrupted=interrupted, played=played, timed=timed)


def _two(body: str) -> tuple[str, str]:
    first, _, second = body.partition(" ")
    return first, second


def _reply(make: Callable[..., ev.Event], **fixed: Any) -> Callable[[float, str], ev.Event]:
    def build(t: float, body: str) -> ev.Event:
        reply, text = _two(body)
        return make(t=t, reply=reply, text=text, **fixed)

    return build


_KINDS: dict[str, Callable[[float, str], ev.Event]] = {
    "U[": lambda t, _: ev.UserStarted(t=t),
    "U]": lambda t, _: ev.UserStopped(t=t),
    "U~": lambda t, b: ev.UserPartial(t=t, text=b),
    "U=": _final,
    ".": lambda t, _: ev.TurnEnded(t=t),
    "T": lambda t, b: ev.UserTyped(t=t, text=b),
    "D": lambda t, b: ev.Dtmf(t=t, digits=b.rstrip("+"), done=not b.endswith("+")),
    "?": lambda t, b: ev.TurnSpeculated(t=t, text=b),
    "!?": lambda t, _: ev.SpeculationWithdrawn(t=t),
    "R": lambda t, b: ev.ReplyStarted(t=t, reply=b),
    "Rx": lambda t, b: ev.ReplyStarted(t=t, reply=b, record=False),
    "G": _reply(ev.ReplyText),
    "H": _reply(ev.ReplyHeard),
    "Hc": _reply(ev.ReplyHeard, chars=True),
    "X": lambda t, b: _ended(t, b, interrupted=False),
    "Xi": lambda t, b: _ended(t, b, interrupted=True),
    "INT": lambda t, _: ev.Interrupted(t=t),
    "C": lambda t, b: ev.ToolCalled(t=t, id=_two(b)[0], name=_two(b)[1], args={}),
    "V": lambda t, b: ev.ToolReturned(t=t, id=_two(b)[0], status=_two(b)[1], result="r"),  # pyright: ignore[reportArgumentType] - a script may name any status
    "END": lambda t, b: ev.CallEnded(t=t, reason=b),  # pyright: ignore[reportArgumentType] - same
    "PAUSE": lambda t, _: ev.MemoryPaused(t=t),
    "RESUME": lambda t, _: ev.MemoryResumed(t=t),
    "FORGET": lambda t, _: ev.MemoryForgetLast(t=t),
    "MACHINE": lambda t, _: ev.MachineDetected(t=t),
}
