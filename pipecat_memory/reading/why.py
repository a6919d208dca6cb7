"""`why`: from a claim or a reply back to the words it came from, or to where it was lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..letters import MARKS
from ..records.caller import Caller, Scope
from ..records.fact import Fact
from ..stores.base import Entry

if TYPE_CHECKING:
    from ..memory import Memory

_WORD = re.compile(rf"(?:[^\W_][{MARKS}]*)+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LIKE = 0.5
"""Share of the asked content words that a text must hold to count as saying it."""


async def trace(memory: Memory, caller: Caller, text: str, *, by: str = "app") -> dict[str, Any]:
    """Walk back from `text`.

    Args:
        memory: where the caller's file lies.
        caller: whose.
        text: a claim ("allergic to nuts") or words of the agent.
        by: id of who asks, for the audit trail.

    Returns:
        `steps` in the order fact, quote, turn, alternatives, reply, and a `verdict`: where the
        text came in (`fact`, `turn`, `reply`), where it was lost (`playback`, `extraction`,
        `recogniser`), or `never` where nothing says so.
    """
    file = await memory.archive.file(Scope(memory.tenant, caller.id or "", caller.person or ""), create=False)
    if file is None:
        return {"caller": caller.label, "steps": [], "verdict": "never"}
    memory.holdings.note("read", caller, by)
    loaded = await file.load()
    steps = [
        _fact_step(fact)
        for fact in loaded.profile.facts
        if _says(f"{fact.key} {fact.value} {fact.text} {fact.quote}", text)
    ]
    for call in sorted(loaded.calls.values(), key=lambda meta: meta.at):
        entries = await file.journal(call.call)
        steps += _heard_steps(call.call, entries, text)
    return {"caller": caller.label, "steps": steps, "verdict": _verdict(steps)}


def _heard_steps(call: str, entries: Sequence[Entry], text: str) -> list[dict[str, Any]]:
    """What the caller said, what else the recogniser offered, what the agent planned and got across."""
    steps: list[dict[str, Any]] = []
    planned: dict[str, str] = {}
    heard: dict[str, str] = {}
    cut: dict[str, bool] = {}
    for entry in entries:
        if entry.kind != "event":
            continue
        event = msgspec.json.decode(entry.blob)
        match event.get("type"):
            case "user_final" | "user_typed":
                nbest = [alt for alt in event.get("nbest", ()) if alt != event["text"]]
                if _says(event["text"], text):
                    steps.append(
                        {
                            "step": "turn",
                            "call": call,
                            "seq": entry.seq,
                            "t": event["t"],
                            "text": event["text"],
                            "alternatives": nbest,
                        }
                    )
                elif any(_says(alt, text) for alt in nbest):
                    steps.append(
                        {
                            "step": "alternative",
                            "call": call,
                            "seq": entry.seq,
                            "t": event["t"],
                            "heard_as": event["text"],
                            "alternatives": nbest,
                        }
                    )
            case "reply_text":
                planned[event["reply"]] = planned.get(event["reply"], "") + event["text"]
            case "reply_heard":
                heard[event["reply"]] = f"{heard.get(event['reply'], '')} {event['text']}".strip()
            case "reply_ended":
                cut[event["reply"]] = event["interrupted"]
            case _:
                pass
    for reply, plan in planned.items():
        if _says(plan, text) or _says(heard.get(reply, ""), text):
            said = heard.get(reply, "" if cut.get(reply, False) else plan)
            steps.append(
                {
                    "step": "reply",
                    "call": call,
                    "reply": reply,
                    "planned": plan,
                    "heard": said,
                    "interrupted": cut.get(reply, False),
                    "lost": not _says(said, text),
                }
            )
    return steps


def _fact_step(fact: Fact) -> dict[str, Any]:
    return {
        "step": "fact",
        "id": f"fact.{fact.id}",
        "status": fact.status,
        "call": fact.call,
        "turn": fact.turn,
        "quote": fact.quote,
        "text": fact.text,
        "seen": fact.seen,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
    }


def _verdict(steps: Sequence[dict[str, Any]]) -> str:
    kinds = {step["step"] for step in steps}
    if any(step["step"] == "fact" and step["status"] == "current" for step in steps):
        return "fact"
    if "turn" in kinds:
        return "turn" if "fact" in kinds else "extraction"
    if "alternative" in kinds:
        return "recogniser"
    if "reply" in kinds:
        return "playback" if all(step.get("lost") for step in steps if step["step"] == "reply") else "reply"
    return "never" if not kinds else "fact"


def _says(text: str, asked: str) -> bool:
    wanted = _content(asked)
    return bool(wanted) and len(wanted & _content(text)) / len(wanted) >= LIKE


def _content(text: str) -> set[str]:
    """Words of over two letters and digits; character pairs of scripts without spaces."""
    words = {w for w in _WORD.findall(text.casefold()) if len(w) > 2 and not _CJK.search(w)}
    chars = "".join(_CJK.findall(text))
    return words | {chars[i : i + 2] for i in range(len(chars) - 1)}
