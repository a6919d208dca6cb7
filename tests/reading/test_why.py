"""`why` walks back to what says a text best, by the words that mean something."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.why import trace

from ..kit import ended, opened, reply, rest, say, verified


@pytest.mark.parametrize(
    ("text", "texts", "verdict"),
    [
        ("she has a cat", ["our cat sleeps on the bonnet"], "extraction"),
        ("cats", ["our cat sleeps on the bonnet"], "extraction"),
        ("plate R7K", ["the plate is R7K 22M"], "extraction"),
        ("R7K", ["the plate is R7K 22M"], "extraction"),
        ("we will order the glass", ["We'll order new glass."], "reply"),
        ("the", [], "never"),
        ("I'll", [], "never"),
        ("🙂", [], "never"),
        ("", [], "never"),
        ("a dog", [], "never"),
        ("glass " * 300, ["We'll order new glass.", "the glass is cracked"], "extraction"),
    ],
)
async def test_the_origin_of_a_text(text: str, texts: list[str], verdict: str) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c")
        for said in (
            "our cat sleeps on the bonnet",
            "the plate is R7K 22M",
            "I have 7 7 1 2 on the card",
            "the glass is cracked",
        ):
            await say(call, clock, said)
        await reply(call, clock, "r", "We'll order new glass.")
        await ended(call, clock)
        await rest(memory, clock)
        found = await trace(memory, verified(), text)
    assert found["verdict"] == verdict
    told = [step.get("text") or step.get("heard") for step in found["steps"] if step["step"] != "fact"]
    assert sorted(told) == sorted(texts)
