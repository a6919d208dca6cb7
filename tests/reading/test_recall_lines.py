"""A line of recall says when something was said, and by whom where that was not the caller."""

from __future__ import annotations

from pipecat_memory import events as ev

from ..kit import ended, opened, reply, rest, say, verified


async def test_what_another_voice_or_the_agent_said_is_told_as_theirs() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        call.apply(ev.Party(t=0.0, event="joined", role="caller", speaker="A"))
        await say(call, clock, "the boiler rattles in the evening", speaker="A")
        await reply(call, clock, "r1", "A plumber will look at the boiler on Friday.")
        await say(call, clock, "tell them the boiler is leaking", speaker="B")
        await ended(call, clock)
        later = memory.call(verified(), call_id="c2")
        await later.preload()
        await rest(memory, clock)
        for about, line in (
            ("does the boiler rattle in the evening", "From 2026-03-02: the boiler rattles in the evening"),
            (
                "will the plumber look on Friday",
                "From 2026-03-02, agent: A plumber will look at the boiler on Friday.",
            ),
            (
                "was it leaking, did they tell them",
                "From 2026-03-02, another voice: tell them the boiler is leaking",
            ),
        ):
            await say(later, clock, about)
            told = later.briefing().changing.splitlines()
            assert line in [one.partition("] ")[2] for one in told if one.startswith("[recall.")]
        await ended(later, clock)
