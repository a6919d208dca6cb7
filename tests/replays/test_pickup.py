"""A pick-up told in four turns, in two languages: each turn stands in the notes before its reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipecat_memory.replay import replay

SCHEMA = {
    "version": 1,
    "slots": [
        {"name": "date", "type": "date"},
        {"name": "time", "type": "time"},
        {"name": "guest", "type": "text", "description": "whom to pick up"},
        {"name": "car", "type": "text", "description": "kind of car"},
    ],
}
MOMENT = {"version": 1, "slots": [{"name": "when", "type": "datetime"}]}

CHINESE = (
    "明天下午三点去机场接王总，车型要商务车",
    "接机时准备一束花",
    "说错了，是后天下午三点",
    "接到王总后送他去酒店",
)
ENGLISH = (
    "tomorrow at three in the afternoon pick up Mr Wang at the airport, and the car has to be a van",
    "have a bunch of flowers ready when he arrives",
    "sorry, I got that wrong, it's the day after tomorrow at three in the afternoon",
    "once you have picked up Mr Wang take him to the hotel",
)
TALKS = {"zh": CHINESE, "en": ENGLISH}
DAYS = ("2026-12-01", "2026-12-01", "2026-12-02", "2026-12-02")
"""The day that is right after each turn; the call is on Monday, 30 November."""

STEPS = {
    "zh": ("去机场接王总", "准备一束花", "用商务车", "送王总去酒店"),
    "en": ("meet Mr Wang at the airport", "have flowers ready", "send a van", "take Mr Wang to the hotel"),
}
GUEST, CAR = {"zh": "王总", "en": "Mr Wang"}, {"zh": "商务车", "en": "van"}
TASK = {"zh": "机场接王总", "en": "pick up Mr Wang at the airport"}


def answers(language: str) -> list[dict[str, Any]]:
    """What a model would find in each turn."""
    talk, steps = TALKS[language], STEPS[language]
    first = {
        "facts": [],
        "slots": [
            {"name": "guest", "value": GUEST[language], "quote": GUEST[language], "explicit": True},
            {"name": "car", "value": CAR[language], "quote": CAR[language], "explicit": True},
        ],
        "task": TASK[language],
        "pending_steps": [steps[0], steps[2]],
    }
    return [
        first,
        {"facts": [], "pending_steps": [steps[1]]},
        {"facts": [], "slots": [{"name": "date", "value": DAYS[2], "quote": talk[2], "explicit": True}]},
        {"facts": [], "pending_steps": [steps[3]]},
    ]


async def call(
    language: str, turns: int, schema: dict[str, Any] | None, *, model: bool = False
) -> dict[str, Any]:
    """The report of the first so many turns, each followed by a reply."""
    started = {"type": "call_started", "call": "pickup", "at": "2026-11-30T09:00:00+08:00",
               "caller": "+8613800138000", "how": "verified", "timezone": "Asia/Shanghai"}  # fmt: skip
    lines: list[dict[str, Any]] = [started | ({"schema": schema} if schema else {})]
    for turn, text in enumerate(TALKS[language][:turns], 1):
        t = turn * 10.0
        lines += [
            {"type": "user_final", "t": t, "text": text, "started": t - 3},
            {"type": "turn_ended", "t": t + 0.2},
        ]
        if model:
            text = json.dumps(answers(language)[turn - 1], ensure_ascii=False)
            lines.append({"type": "model_answer", "t": t + 0.3, "purpose": "extract", "text": text,
                          "finish": "stop", "delay": 0.5})  # fmt: skip
        lines += [
            {"type": "reply_started", "t": t + 2, "reply": f"r{turn}"},
            {
                "type": "reply_text",
                "t": t + 2,
                "reply": f"r{turn}",
                "text": "好的。" if language == "zh" else "Right.",
            },
            {"type": "reply_ended", "t": t + 3, "reply": f"r{turn}", "interrupted": False},
        ]
    lines.append({"type": "call_ended", "t": turns * 10.0 + 9, "reason": "hangup"})
    report = await replay([json.dumps(line) for line in lines], embedder=None)
    assert report["errors"] == []
    return report["calls"][0]


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
@pytest.mark.parametrize("schema", [None, SCHEMA])
async def test_without_a_model_the_time_is_right_after_each_turn(
    language: str, turns: int, schema: dict[str, Any] | None
) -> None:
    found = await call(language, turns, schema)
    slots = found["state"]["slots"]
    assert (slots["date"]["value"], slots["time"]["value"]) == (DAYS[turns - 1], "15:00")
    assert {slots["date"]["confidence"], slots["time"]["confidence"]} == {"confirmed"}
    assert found["state"]["questions"] == []
    days = [(c["before"], c["after"]) for c in found["changes"] if c["path"] == "/slots/date/value"]
    assert days == [(None, DAYS[0]), (DAYS[0], DAYS[2])][: 2 if turns > 2 else 1]


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
async def test_a_moment_in_one_slot_is_right_after_each_turn(language: str, turns: int) -> None:
    found = await call(language, turns, MOMENT)
    held = found["state"]["slots"]["when"]
    assert (held["value"][:16], held["confidence"]) == (f"{DAYS[turns - 1]}T15:00", "confirmed")


@pytest.mark.parametrize("language", TALKS)
async def test_every_reply_sees_the_notes_of_its_turn_and_the_words_of_all(language: str) -> None:
    found = await call(language, 4, SCHEMA)
    assert len(found["briefings"]) == 4
    for turn, briefing in enumerate(found["briefings"]):
        assert f"date = {DAYS[turn]}" in briefing
        assert "time = 15:00" in briefing
        # The words of the turn itself are the model's last message; those before stand in the briefing.
        assert all(words in briefing for words in TALKS[language][:turn])
    assert [item["text"] for item in found["history"] if item["role"] == "user"] == list(TALKS[language])


@pytest.mark.parametrize("language", TALKS)
async def test_with_a_model_person_car_task_and_steps_are_right(language: str) -> None:
    state = (await call(language, 4, SCHEMA, model=True))["state"]
    slots = {name: held["value"] for name, held in state["slots"].items()}
    assert slots == {"date": DAYS[3], "time": "15:00", "guest": GUEST[language], "car": CAR[language]}
    assert state["task"] == TASK[language]
    assert sorted(state["pending_steps"]) == sorted(STEPS[language])
    assert state["completed_steps"] == []
