"""Who calls decides whose the call is and what is told: nobody, known late, known better, and nobody else."""

from __future__ import annotations

from pipecat_memory import Caller

from .kit import NUMBER, ended, opened, say, verified


async def test_nobody_leaves_no_record() -> None:
    async with opened() as (memory, clock):
        call = memory.call(Caller.phone("anonymous"), call_id="c1")
        await call.preload()
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock)
        assert call.summary is not None
        assert await memory.reprocess() == {"settled": 0, "held": 0, "parked": 0}
        for caller in (Caller.phone("anonymous"), Caller.nobody()):
            assert await memory.export(caller) == {"calls": [], "profiles": {}}


async def test_a_late_identity_takes_the_earlier_turns_along() -> None:
    async with opened() as (memory, clock):
        call = memory.call(None, call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        await call.identify(Caller.phone(NUMBER), how="verified")
        await say(call, clock, "call me Wrennie")
        await ended(call, clock)
        export = await memory.export(verified())
    assert [item["text"] for item in export["calls"][0]["history"]] == [
        "my name is Wren Okafor",
        "call me Wrennie",
    ]
    assert {f["value"] for f in export["profiles"][NUMBER]} == {"Wren Okafor", "Wrennie"}


async def test_a_second_identity_moves_the_call_and_leaves_nothing_behind() -> None:
    account = Caller.account("customer-77")
    async with opened() as (memory, clock):
        call = memory.call(Caller.phone(NUMBER), call_id="c1")
        await call.preload()
        await say(call, clock, "my name is Wren Okafor")
        await call.identify(account)
        await ended(call, clock)
        assert (await memory.export(verified()))["calls"] == []
        assert [f["value"] for f in await memory.profile(account)] == ["Wren Okafor"]


async def test_one_caller_never_sees_another() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor and I'm allergic to walnuts")
        await ended(call, clock)
        for other in (
            "+15551230002",
            "+1555123000",
            "+155512300011",
            f"{NUMBER}#",
            "../../x",
            f"{NUMBER}\x00",
        ):
            stranger = memory.call(
                Caller.phone(other, how="verified"), call_id=f"c-{len(other)}-{other[-2:]}"
            )
            await stranger.preload()
            assert "walnuts" not in stranger.briefing("what am I allergic to?").text
            await ended(stranger, clock)


async def test_tenants_are_apart() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1", tenant="one")
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock)
        other = memory.call(verified(), call_id="c2", tenant="two")
        await other.preload()
        assert other.greeting_name() is None
        await ended(other, clock)


async def test_who_is_verified_in_mid_call_is_known_more_of_from_then_on() -> None:
    async with opened() as (memory, clock):
        first = memory.call(verified(), call_id="c1")
        await first.preload()
        await say(first, clock, "my email is wren at example dot com")
        await ended(first, clock)
        call = memory.call(Caller.phone(NUMBER), call_id="c2")
        await call.preload()
        await say(call, clock, "a table for two")
        assert "email" not in call.course.notes.known.values
        await call.identify(Caller.phone(NUMBER), how="verified")
        assert call.course.notes.known.values["email"] == "wren@example.com"
        assert call.course.notes.profile["email"] == "wren@example.com"
        assert call.state["slots"]["party_size"]["value"] == 2


async def test_who_is_doubted_in_mid_call_is_known_less_of_from_then_on() -> None:
    async with opened() as (memory, clock):
        first = memory.call(verified(), call_id="c1")
        await first.preload()
        await say(first, clock, "my email is wren at example dot com")
        await ended(first, clock)
        call = memory.call(verified(), call_id="c2")
        await call.preload()
        assert "email" in call.course.notes.known.values
        await call.identify(Caller.phone(NUMBER), how="claimed")
        assert "email" not in call.course.notes.known.values
