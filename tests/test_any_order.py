"""Calls in random orders: an export, and a replay, tell of each person what the live call knew of them."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from pipecat_memory import Caller, Memory
from pipecat_memory import events as ev
from pipecat_memory.records.caller import Scope
from pipecat_memory.replay import replay
from pipecat_memory.report import call_report, parting_report
from pipecat_memory.testing import CallSimulator, ManualClock

from .kit import NUMBER, ended, opened, rest

SAID = [
    *("my name is Wren Okafor", "a table for five please", "no, make it six", "tomorrow at seven", "yes"),
    *(
        "no, Thursday",
        "I'm allergic to walnuts",
        "forget that please",
        "call me on 555 123 4567",
        "never mind",
    ),
]
REPLIES = ["How many people?", "Thank you Wren, anything else?", "So that is five on Thursday?"]
PEOPLE = [
    *(Caller.phone(NUMBER, how=how) for how in ("number", "claimed", "verified")),
    *(Caller.account("cust-1"), Caller.account("cust-2"), None),
]
STEPS = [
    *("say", "say", "say", "late", "typed", "keyed", "promoted", "reply", "reply", "cut", "tool", "returned"),
    *("pause", "resume", "forget", "roll_back", "correct", "party", "turn_end", "identify", "identify"),
    *("begin", "go_on", "finish", "voice", "hush", "final", "final", "keys", "documents"),
    *("quiet", "guess", "no_guess", "cut_in", "again", "left"),
]
AGAIN = (
    ev.UserStarted,
    ev.UserStopped,
    ev.UserFinal,
    ev.UserTyped,
    ev.ReplyStarted,
    ev.ReplyHeard,
    ev.ReplyEnded,
)
"""What a transport may deliver twice."""


class Line:
    """One call, told at random."""

    def __init__(self, seed: int, memory: Memory, clock: ManualClock) -> None:
        self.draw = random.Random(seed)
        self.memory = memory
        self.clock = clock
        self.first = self.draw.choice([who for who in PEOPLE if who])
        self.told: list[ev.Event] = []
        """What the call was told, in order."""
        self.before: list[tuple[str, float, dict[str, Any]]] = []
        """Of the line before its connection was lost: whose, from when on, and what was known of them."""
        self.began = clock.now()
        self.tools: list[str] = []
        self.replies: list[str] = []
        self.take_up(self.first)

    def take_up(self, who: Caller | None) -> None:
        self.call = self.memory.call(who, call_id="c1")
        self.simulator = CallSimulator(self.call, self.clock)
        taken, within = self.call.apply, False

        def apply(event: ev.Event) -> Any:
            nonlocal within
            if within:  # what follows from an event is not told
                return taken(event)
            self.told.append(event)
            within = True
            try:
                return taken(event)
            finally:
                within = False

        self.call.apply = apply

    async def step(self, kind: str) -> None:
        """One thing more happens."""
        call, draw, text = self.call, self.draw, self.draw.choice(SAID)
        await self.clock.advance(0.02 + draw.random())
        now = call.elapsed
        match kind:
            case "say":
                await self.simulator.say(text, seconds=draw.random())
            case "late":
                call.apply(ev.UserFinal(t=now, started=max(0.0, now - 5 * draw.random()), text=text))
            case "typed":
                call.apply(ev.UserTyped(t=now, text=text))
            case "keyed" | "keys":
                call.apply(ev.Dtmf(t=now, digits="12", done=kind == "keyed"))
            case "promoted":
                call.apply(ev.UserStarted(t=now))
                call.apply(ev.UserPartial(t=now, text="I want the"))
                call.apply(ev.UserStopped(t=now))
                call.apply(ev.UserFinal(t=now, text=""))
                call.apply(ev.TurnEnded(t=now))
            case "final":  # does not say when it began: with a voice, soon behind it or out of nothing
                call.apply(ev.UserFinal(t=now, text=text))
            case "again" if self.told:
                event = draw.choice(self.told[-6:])
                if isinstance(event, AGAIN):
                    call.apply(event)
            case "quiet":
                await self.clock.advance(8 * draw.random())
            case "documents":
                call.documents([{"id": "d1", "text": "The table for five is free."}])
            case _:
                self.sounds(kind, now, text)
                await self.agent(kind)
                await self.around(kind)

    def sounds(self, kind: str, now: float, text: str) -> None:
        """What is told of voices and turns."""
        call = self.call
        match kind:
            case "voice":
                call.apply(ev.UserStarted(t=now))
                call.apply(ev.UserPartial(t=now, text="I want a"))
            case "hush":
                call.apply(ev.UserStopped(t=now))
            case "turn_end":
                call.apply(ev.TurnEnded(t=now))
            case "guess":
                call.apply(ev.TurnSpeculated(t=now, text=text))
            case "no_guess":
                call.apply(ev.SpeculationWithdrawn(t=now, text=text))
            case "cut_in":
                call.apply(ev.Interrupted(t=now))
            case _:
                pass

    async def around(self, kind: str) -> None:
        """What a person does to the record, and who is on the line."""
        call, draw = self.call, self.draw
        match kind:
            case "roll_back":
                call.rollback(draw.randint(0, call.course.turn))
            case "correct":
                call.correct("/slots/party_size", draw.choice([3, 9]), by="operator")
            case "party" | "left":
                event = "joined" if kind == "party" else "left"
                call.apply(ev.Party(t=call.elapsed, event=event, role="other", speaker="S2"))
            case "identify":
                await self.identify(draw.choice(PEOPLE))
            case "pause" | "resume" | "forget":
                {"pause": call.pause, "resume": call.resume, "forget": call.forget_last}[kind]()
            case "drop":
                await self.drop()
            case _:
                pass

    async def agent(self, kind: str) -> None:
        """What the agent says and does."""
        call, draw = self.call, self.draw
        match kind:
            case "reply" | "cut":
                words = draw.choice(REPLIES)
                heard = " ".join(words.split()[: draw.randrange(4)]) if kind == "cut" else None
                await self.simulator.reply(words, heard=heard)
            case "begin":
                self.replies.append(f"r{call.elapsed}")
                call.apply(ev.ReplyStarted(t=call.elapsed, reply=self.replies[-1]))
                call.apply(ev.ReplyText(t=call.elapsed, reply=self.replies[-1], text=draw.choice(REPLIES)))
            case "go_on" if self.replies:
                call.apply(ev.ReplyHeard(t=call.elapsed, reply=draw.choice(self.replies), text="How many"))
            case "finish" if self.replies:
                reply = self.replies.pop()
                call.apply(ev.ReplyEnded(t=call.elapsed, reply=reply, interrupted=draw.random() < 0.5))
            case "tool":
                self.tools.append(f"t{call.elapsed}")
                call.apply(ev.ToolCalled(t=call.elapsed, id=self.tools[-1], name="look_up", args={"q": 1}))
            case "returned" if self.tools:
                call.apply(ev.ToolReturned(t=call.elapsed, id=self.tools.pop(), status="ok", result={"n": 3}))
            case _:
                pass

    async def identify(self, who: Caller | None) -> None:
        there, left = self.call.caller, len(self.call.identity.left)
        named = asyncio.ensure_future(self.call.identify(who))
        await self.clock.settle()
        while not named.done():
            await self.clock.next()
        await named
        if who is not None and who.id is not None and len(self.call.identity.left) == left:  # all of it moved
            self.before = [(who.id if one[0] == there.id else one[0], *one[1:]) for one in self.before]

    async def drop(self) -> None:
        """The connection is lost, and taken up again."""
        await ended(self.call, self.clock, "crash")
        self.before += await self.known()
        await self.clock.advance(3.0)
        self.tools, self.replies = [], []
        self.take_up(self.call.caller)
        await self.call.preload()

    async def known(self) -> list[tuple[str, float, dict[str, Any]]]:
        """What the live call knows of each person, and when it began to count."""
        call = self.call
        since = (call.started.at - self.began).total_seconds()
        reports = [(left.caller.id, await parting_report(left)) for left in call.identity.left]
        reports.append((call.caller.id, call_report(call, call.caller.id)))
        return [(who, since, report) for who, report in reports if who is not None]

    async def stays(self) -> dict[str, list[tuple[float, dict[str, Any]]]]:
        """The same of the whole line, by person."""
        found: dict[str, list[tuple[float, dict[str, Any]]]] = {}
        for who, since, report in [*self.before, *await self.known()]:
            found.setdefault(who, []).append((since, report))
        return found

    async def check(self) -> None:
        """The live call against the exports of all who were on the line."""
        await self.clock.settle()
        await self.call.kept.durable()
        for who, stays in (await self.stays()).items():
            calls = (await self.memory.export(Caller.account(who)))["calls"]
            if who != self.call.caller.id and not any(report["history"] for _, report in stays):
                continue  # nothing is kept of who said nothing; a pause, or a tool, may be
            (exported,) = calls
            if len(stays) == 1:
                assert shown(exported) == shown(stays[0][1])
            else:
                assert spoken((0.0, exported)) == spoken(*stays)

    async def retold(self) -> None:
        """The live call against a replay of what it was told, and of each person's journal."""
        if self.before:
            return
        opening = {"type": "call_started", "call": "c1", "at": self.call.kept.meta.at, "timezone": "UTC"}
        heard = [opening | {"caller": self.first.id, "how": self.first.how}, *map(ev.encode, self.told)]
        report = await replay([json.dumps(line) for line in heard], embedder=None)
        live = [await parting_report(left) for left in self.call.identity.left]
        live.append(call_report(self.call, self.call.caller.id))
        assert [one["caller"] for one in report["calls"]] == [one["caller"] for one in live]
        assert [shown(one) for one in report["calls"]] == [shown(one) for one in live]
        assert len(report["errors"]) == len(self.call.rejections)
        for who, stays in (await self.stays()).items():
            file = await self.memory.archive.file(Scope("default", who, ""), create=False)
            if file is None:
                continue  # nothing was said or done with them
            lines = [opening | {"caller": who, "how": "verified"}]
            lines += [json.loads(one.blob) for one in await file.journal("c1") if one.kind == "event"]
            if len(stays) == 1 and len(lines) > 1:
                report = await replay([json.dumps(line) for line in lines], embedder=None)
                assert {error["kind"] for error in report["errors"]} <= {
                    "withdrawn_reply"
                }  # as when it was live
                assert shown(report["calls"][0]) == shown(stays[0][1])


def shown(report: dict[str, Any]) -> dict[str, Any]:
    """What was said and done, what is known, and how it ended."""
    state = {name: value for name, value in report["state"].items() if name != "updated_at"}
    return {"state": state, **{name: report[name] for name in ("history", "tools", "outcome")}}


def spoken(*stays: tuple[float, dict[str, Any]]) -> list[dict[str, Any]]:
    """The history of several stays as of one call that went on: without what each counts for itself."""
    items = [
        {
            name: item[name]
            for name in ("role", "text", "promoted", "interrupted", "precision")
            if name in item
        }
        | {"started": item["started"] + since}
        for since, report in stays
        for item in report["history"]
    ]
    first = min((item["started"] for item in items), default=0.0)
    for item in items:
        item["started"] = round(item["started"] - first, 3)
    return sorted(items, key=lambda item: (item["started"], item["role"], item["text"]))


async def told(seed: int, *, dropped: bool = False) -> None:
    async with opened() as (memory, clock):
        line = Line(seed, memory, clock)
        await line.call.preload()
        few = line.draw.sample(STEPS, line.draw.randint(4, len(STEPS)))  # of few kinds more comes together
        steps = [*few, "drop", "drop"] if dropped else few
        for _ in range(14):
            await line.step(line.draw.choice(steps))
            await line.check()
        await ended(line.call, clock)
        await rest(memory, clock)
        await line.check()
        await line.retold()


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("seed", range(15))
async def test_the_export_and_a_replay_tell_what_the_call_knew(seed: int, dropped: bool) -> None:
    await told(seed, dropped=dropped)
