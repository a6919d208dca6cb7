"""Keys pressed on the phone (SIP DTMF)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import MakeCall
from .kit import bot


class Key:
    def __init__(self, digit: str) -> None:
        self.digit = digit


@pytest.mark.parametrize(
    ("keys", "then", "expected"),
    [
        ("4711#", None, ["4711"]),
        ("47#11#", None, ["47", "11"]),
        ("4711", "that is my number", ["4711 that is my number"]),
        ("4711", None, ["4711"]),
        ("#", None, []),
    ],
    ids=["hash ends it", "two entries", "words follow", "the call ends", "nothing keyed"],
)
async def test_keys(make_call: MakeCall, keys: str, then: str | None, expected: list[str]) -> None:
    call = make_call()
    async with bot(call) as rig:
        listener: Any = rig.memory._listener
        for digit in keys:
            listener.keys.press(Key(digit))
        if then:
            await rig.session.run(user_input=then)
    assert [i.text for i in call.course.history() if i.role == "user"] == expected
