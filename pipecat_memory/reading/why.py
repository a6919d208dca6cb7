"""`why`: from a claim or a reply back to the words it came from, or to where it was lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..records.caller import Caller, Scope
from ..records.fact import Fact
from ..stores.base import Entry
from .words import fold, guess_language, terms

if TYPE_CHECKING:
    from ..memory import Memory

_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w+")
LIKE = 0.5
"""Share of the asked content words that a text must hold to count as saying it."""
CLOSEST = 0.75
"""Share of the best one's that it must hold besides."""


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
    facts = [
        (said, _fact_step(fact))
        for fact in loaded.profile.facts
        if (said := _said(f"{fact.key} {fact.value} {fact.text} {fact.quote}", text)) >= LIKE
    ]
    heard: list[tuple[float, dict[str, Any]]] = []
    for call in sorted(loaded.calls.values(), key=lambda meta: meta.at):
        entries = await file.journal(call.call)
        heard += [(_told(step, text), step) for step in _heard_steps(call.call, entries, text)]
    enough = CLOSEST * max((said for said, _ in facts + heard), default=0.0)
    near = [step for said, step in heard if said >= enough]
    kept = [fact for said, fact in facts if said >= enough or any(_quotes(fact, step) for step in near)]
    steps = kept + [step for _, step in heard if step in near or any(_quotes(fact, step) for fact in kept)]
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


def _told(step: dict[str, Any], text: str) -> float:
    """How much of the text was said in the step, whichever of its hearings or forms says most of it."""
    forms = (
        step.get("text", ""),
        step.get("planned", ""),
        step.get("heard", ""),
        *step.get("alternatives", ()),
    )
    return max(_said(form, text) for form in forms)


def _quotes(fact: dict[str, Any], step: dict[str, Any]) -> bool:
    """Whether the fact's own words are from what was heard there."""
    quote = fact["quote"].casefold()
    return bool(quote) and step["call"] == fact["call"] and quote in step.get("text", "").casefold()


def _says(text: str, asked: str) -> bool:
    return _said(text, asked) >= LIKE


def _said(text: str, asked: str) -> float:
    """Share of the asked content words that a text holds."""
    language = guess_language(asked)
    wanted = _content(asked, language)
    return len(wanted & _content(text, language)) / len(wanted) if wanted else 0.0


def _content(text: str, language: str) -> set[str]:
    """Its words as recall knows them, and codes of letters and digits whole."""
    return {*terms(text, language), *_CODE.findall(fold(text))}
